package gitops

import (
	"context"
	"errors"
	"strings"
)

// ScratchCommit makes a commit that no reference will name, such as a merge that is only to be tested.
// No hook sees it, nobody signs it, and it is nobody's: a machine that was told no name can make one.
func (r *Repo) ScratchCommit(ctx context.Context, tree ID, parents ...ID) (ID, error) {
	c := call{args: []string{"commit-tree"}, in: []byte("scratch\n"), env: []string{
		"GIT_AUTHOR_NAME=agentd", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=agentd", "GIT_COMMITTER_EMAIL=",
	}}
	for _, parent := range parents {
		c.args = append(c.args, "-p", string(parent))
	}
	c.args = append(c.args, "-F", "-", string(tree))
	out, err := r.git(ctx, c)
	if err != nil {
		return "", commitError(err, false)
	}
	return parseID(line(out))
}

// Exists reports whether the object is in the repository.
func (r *Repo) Exists(ctx context.Context, id ID) bool {
	if id.IsZero() {
		return false
	}
	_, code, err := r.ask(ctx, call{args: []string{"cat-file", "-e", string(id)}, quiet: []int{1, 128}})
	return err == nil && code == 0
}

// LastTouch is the newest commit reachable from rev that changed the path.
// It returns [ErrNotFound] when none did.
func (r *Repo) LastTouch(ctx context.Context, rev ID, path string) (ID, error) {
	out, err := r.git(ctx, call{args: []string{
		"log", "-1", "--first-parent", "-m", "--no-show-signature", "--format=%H", "--end-of-options", string(rev), "--", path,
	}})
	if err != nil {
		return "", err
	}
	if line(out) == "" {
		return "", errors.Join(ErrNotFound, errors.New(path+" was never changed"))
	}
	return parseID(line(out))
}

// Ignored reports whether git would ignore a new file at the path, relative to the top of the worktree.
func (r *Repo) Ignored(ctx context.Context, path string) (bool, error) {
	// check-ignore refuses to run under literal pathspecs; it takes paths, not patterns.
	_, code, err := r.ask(ctx, call{
		args: []string{"check-ignore", "-q", "--no-index", "--", path}, env: []string{"GIT_LITERAL_PATHSPECS=0"}, quiet: []int{1},
	})
	return code == 0 && err == nil, err
}

// Touches are the commits on the first parents of rev that changed the path, the newest first; renames are not followed.
func (r *Repo) Touches(ctx context.Context, rev ID, path string) ([]ID, error) {
	out, err := r.git(ctx, call{args: []string{
		"log", "--first-parent", "-m", "--no-show-signature", "--format=%H", "--end-of-options", string(rev), "--", path,
	}})
	if err != nil {
		return nil, err
	}
	var all []ID
	for _, word := range strings.Fields(string(out)) {
		id, err := parseID(word)
		if err != nil {
			return nil, err
		}
		all = append(all, id)
	}
	return all, nil
}
