package gitops

import (
	"context"
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
