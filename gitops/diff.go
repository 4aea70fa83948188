package gitops

import (
	"context"
	"fmt"
	"strings"
)

// MergeBase is the newest commit that both contain; false if their histories never met.
func (r *Repo) MergeBase(ctx context.Context, a, b ID) (ID, bool, error) {
	out, code, err := r.ask(ctx, call{args: []string{"merge-base", string(a), string(b)}, quiet: []int{1}})
	if err != nil || code == 1 {
		return "", false, err
	}
	id, err := parseID(line(out))
	return id, err == nil, err
}

// IsAncestor says whether b contains a. A commit is its own ancestor.
func (r *Repo) IsAncestor(ctx context.Context, a, b ID) (bool, error) {
	if a == b {
		return true, nil
	}
	_, code, err := r.ask(ctx, call{args: []string{"merge-base", "--is-ancestor", string(a), string(b)}, quiet: []int{1}})
	return code == 0, err
}

// FileChange is a path that differs between two trees. An absent side has mode 0 and the zero ID.
type FileChange struct {
	Path             string
	OldMode, NewMode Mode
	OldID, NewID     ID
}

// DiffTrees lists the files that differ between two trees or commits, by path; a rename is a deletion and an addition.
// The zero ID stands for the empty tree.
func (r *Repo) DiffTrees(ctx context.Context, a, b ID) ([]FileChange, error) {
	if a.IsZero() {
		a = r.emptyTree()
	}
	if b.IsZero() {
		b = r.emptyTree()
	}
	if a == b {
		return nil, nil
	}
	out, err := r.git(ctx, call{args: []string{
		"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", string(a), string(b),
	}})
	if err != nil {
		return nil, err
	}
	parts := fields(out)
	changes := make([]FileChange, 0, len(parts)/2)
	for i := 0; i+1 < len(parts); i += 2 {
		change, err := parseChange(parts[i], parts[i+1])
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	sortByPath(changes)
	return changes, nil
}

// parseChange reads ":100644 100755 <id> <id> M" and a path.
func parseChange(head, path string) (FileChange, error) {
	words := strings.Fields(strings.TrimPrefix(head, ":"))
	if len(words) != 5 {
		return FileChange{}, fmt.Errorf("unexpected line of diff-tree: %q", head)
	}
	c := FileChange{Path: path}
	var errs [4]error
	c.OldMode, errs[0] = parseMode(words[0])
	c.NewMode, errs[1] = parseMode(words[1])
	c.OldID, errs[2] = parseID(words[2])
	c.NewID, errs[3] = parseID(words[3])
	for _, err := range errs {
		if err != nil {
			return FileChange{}, fmt.Errorf("diff of %q: %w", path, err)
		}
	}
	return c, nil
}
