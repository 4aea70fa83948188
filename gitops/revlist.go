package gitops

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Between lists the commits that one of tips contains and none of bases does, newest first.
// In a shallow repository it says nothing about what was cut off.
func (r *Repo) Between(ctx context.Context, tips, bases []ID) ([]ID, error) {
	return r.revList(ctx, tips, bases, "--stdin")
}

// FirstParentsTouching lists the commits on the first parents of tip, and not in base,
// that change one of the paths against their first parent, newest first. The zero base excludes nothing.
func (r *Repo) FirstParentsTouching(ctx context.Context, tip, base ID, paths ...string) ([]ID, error) {
	var bases []ID
	if !base.IsZero() {
		bases = append(bases, base)
	}
	args := append([]string{"--first-parent", "--diff-merges=first-parent", "--full-history", "--stdin", "--"}, paths...)
	return r.revList(ctx, []ID{tip}, bases, args...)
}

// FirstParentChanges lists what each of the commits does to the paths, and to what is below them, compared with its first parent,
// in one process. A commit that touches none of them is not in the map.
func (r *Repo) FirstParentChanges(ctx context.Context, commits []ID, paths ...string) (map[ID][]FileChange, error) {
	changes := make(map[ID][]FileChange, len(commits))
	if len(commits) == 0 {
		return changes, nil
	}
	var asked strings.Builder
	for _, commit := range commits {
		asked.WriteString(string(commit) + "\n")
	}
	args := append([]string{
		"diff-tree", "--stdin", "--diff-merges=first-parent", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--",
	}, paths...)
	out, err := r.git(ctx, call{args: args, in: []byte(asked.String())})
	if err != nil {
		return nil, err
	}
	var commit ID
	for parts := fields(out); len(parts) > 0; parts = parts[1:] {
		if !strings.HasPrefix(parts[0], ":") {
			if commit, err = parseID(parts[0]); err != nil {
				return nil, err
			}
			continue
		}
		if len(parts) == 1 {
			return nil, fmt.Errorf("unexpected end of diff-tree: %q", parts[0])
		}
		change, err := parseChange(parts[0], parts[1])
		if err != nil {
			return nil, err
		}
		changes[commit] = append(changes[commit], change)
		parts = parts[1:]
	}
	return changes, nil
}

// CommitsSince names every commit, on any branch of this clone or of a remote and on what was archived,
// whose committer's time is not before since. It is one walk that ends at the first older commits.
func (r *Repo) CommitsSince(ctx context.Context, since time.Time) ([]ID, error) {
	out, err := r.git(ctx, call{args: []string{
		"rev-list", "--max-age=" + strconv.FormatInt(since.Unix(), 10),
		"--branches", "--remotes", "--glob=refs/agentd/archive", "--glob=refs/agentd/saved",
	}})
	if err != nil {
		return nil, err
	}
	return parseIDs(out)
}

// revList asks for commits through standard input, which holds as many of them as there are.
func (r *Repo) revList(ctx context.Context, tips, bases []ID, args ...string) ([]ID, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	var revisions strings.Builder
	for _, tip := range tips {
		revisions.WriteString(string(tip) + "\n")
	}
	for _, base := range bases {
		revisions.WriteString("^" + string(base) + "\n")
	}
	out, err := r.git(ctx, call{args: append([]string{"rev-list"}, args...), in: []byte(revisions.String())})
	if err != nil {
		return nil, err
	}
	return parseIDs(out)
}

// parseIDs reads one name in each line.
func parseIDs(out []byte) ([]ID, error) {
	var ids []ID
	for text := range strings.Lines(string(out)) {
		id, err := parseID(strings.TrimSuffix(text, "\n"))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
