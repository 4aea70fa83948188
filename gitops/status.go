package gitops

import (
	"context"
	"fmt"
	"strings"
)

// StatusEntry is a path that is not as it was committed.
// A folder that ends in a slash is a repository of its own, or wholly ignored.
type StatusEntry struct {
	Path       string
	From       string // the former path of a rename
	XY         string // git's two letters: index, worktree; "." is unchanged
	Staged     bool
	Unstaged   bool
	Untracked  bool
	Ignored    bool
	Conflicted bool
}

// Status compares commit, index and worktree, for these paths or for all, untracked files one by one.
// It takes no lock and refreshes nothing.
func (r *Repo) Status(ctx context.Context, paths ...string) ([]StatusEntry, error) {
	return r.status(ctx, "--ignored=no", paths...)
}

func (r *Repo) status(ctx context.Context, ignored string, paths ...string) ([]StatusEntry, error) {
	args := []string{
		"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none", ignored, "--",
	}
	out, err := r.git(ctx, call{args: append(args, paths...)})
	if err != nil {
		return nil, err
	}
	parts := fields(out)
	var entries []StatusEntry
	for i := 0; i < len(parts); i++ {
		if strings.HasPrefix(parts[i], "#") {
			continue
		}
		entry, err := parseStatus(parts[i])
		if err != nil {
			return nil, err
		}
		if parts[i][0] == '2' && i+1 < len(parts) {
			i++
			entry.From = parts[i]
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// parseStatus reads one entry of porcelain version 2. The path is the rest after a number of words that the first one tells.
func parseStatus(text string) (StatusEntry, error) {
	words := map[byte]int{'1': 8, '2': 9, 'u': 10, '?': 1, '!': 1}[text[0]]
	parts := strings.SplitN(text, " ", words+1)
	if words == 0 || len(parts) != words+1 {
		return StatusEntry{}, fmt.Errorf("unexpected line of status: %q", text)
	}
	entry := StatusEntry{Path: parts[words]}
	switch text[0] {
	case '?':
		entry.XY, entry.Untracked = "??", true
	case '!':
		entry.XY, entry.Ignored = "!!", true
	default:
		entry.XY = parts[1]
		entry.Conflicted = text[0] == 'u'
		entry.Staged = entry.XY[0] != '.'
		entry.Unstaged = entry.XY[len(entry.XY)-1] != '.'
	}
	return entry, nil
}
