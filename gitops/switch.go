package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Switch checks the branch out in this worktree, as `git switch` does:
// uncommitted work is carried along where it does not overlap, and refused with [*GitError] where it does.
// An index that somebody else has locked is waited for, and named when that takes too long.
// A temporary worktree is one no longer: what is done on a branch is somebody's work.
func (r *Repo) Switch(ctx context.Context, branch string) error {
	if err := r.awaitGone(ctx, filepath.Join(r.gitDir, "index.lock")); err != nil {
		return err
	}
	if _, err := r.git(ctx, call{args: []string{"switch", "--quiet", "--no-guess", branch}, voice: personal}); err != nil {
		if on, _, headErr := r.Head(ctx); headErr != nil || on != "refs/heads/"+branch || !ended(err) {
			return err
		}
		r.tell(checkoutHookFailed)
	}
	return removeIfThere(filepath.Join(r.gitDir, temporaryMark))
}

// checkoutHookFailed: the exit status of a post-checkout hook becomes git's own, and changes nothing else (githooks(5)).
// git-lfs without its program, for one, ends so.
const checkoutHookFailed = "the post-checkout hook failed; the branch is checked out all the same"

// ended says that git came to its end, and nobody killed it.
func ended(err error) bool {
	failure, ok := errors.AsType[*GitError](err)
	return ok && failure.Signal == 0
}

// RestorePaths puts files of the worktree back to what the tree holds, through git's filters.
// A path that the tree does not have is removed. The index is left alone.
func (r *Repo) RestorePaths(ctx context.Context, tree ID, paths []string) error {
	objects, err := r.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	args := []string{"restore", "--worktree", "--source=" + string(tree), "--"}
	keep := len(args)
	for _, path := range paths {
		_, _, _, err := objects.Kind(string(tree) + ":" + path)
		if err == nil {
			args = append(args, path)
			continue
		}
		if err := os.Remove(filepath.Join(r.workTree, filepath.FromSlash(path))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if len(args) == keep {
		return nil
	}
	_, err = r.git(ctx, call{args: args})
	return err
}
