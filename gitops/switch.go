package gitops

import (
	"context"
	"os"
	"path/filepath"
)

// Switch checks the branch out in this worktree, as `git switch` does:
// uncommitted work is carried along where it does not overlap, and refused with [*GitError] where it does.
func (r *Repo) Switch(ctx context.Context, branch string) error {
	_, err := r.git(ctx, call{args: []string{"switch", "--quiet", "--no-guess", branch}, voice: personal})
	return err
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
