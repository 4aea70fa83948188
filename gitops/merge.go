package gitops

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// MergeTrees merges two commits without a worktree.
// Where they conflict the paths are listed, and tree holds the conflicting files with their markers.
func (r *Repo) MergeTrees(ctx context.Context, ours, theirs ID) (tree ID, conflicts []string, err error) {
	out, code, err := r.ask(ctx, call{
		args: []string{
			// What is forecast for one user must be forecast for all.
			"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c", "merge.conflictStyle=merge",
			"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(ours), string(theirs),
		},
		quiet: []int{1},
	})
	if err != nil {
		return "", nil, err
	}
	parts := fields(out)
	if len(parts) == 0 {
		return "", nil, &GitError{Args: []string{"merge-tree"}, Code: code, Stderr: "no tree in the answer"}
	}
	tree, err = parseID(parts[0])
	if code == 1 {
		conflicts = slices.Compact(slices.DeleteFunc(parts[1:], func(path string) bool { return path == "" }))
	}
	return tree, conflicts, err
}

// FastForward moves the branch that is checked out in a worktree to a commit that contains it,
// with index and files, and without touching anything uncommitted.
//
// Errors: [*OverlapError] where uncommitted changes are in the way, [ErrNotFastForward] where the branch has moved on;
// in both nothing has changed.
func (r *Repo) FastForward(ctx context.Context, worktree string, commit ID) error {
	at := r.At(worktree)
	before, err := at.head(ctx)
	if err != nil {
		return err
	}
	if err := r.awaitGone(ctx, filepath.Join(at.gitDir, "index.lock")); err != nil {
		return err
	}
	// The user's post-merge hook runs, and his stash is left alone.
	_, err = at.git(context.WithoutCancel(ctx), call{
		args:  []string{"-c", "merge.autoStash=false", "merge", "--ff-only", "--quiet", "--no-stat", string(commit)},
		voice: personal,
	})
	if err == nil || before.IsZero() {
		return err
	}
	if after, errAfter := at.head(ctx); errAfter == nil && after == commit {
		return err // a hook complained afterwards
	}
	contained, errContained := r.IsAncestor(ctx, before, commit)
	if errContained == nil && !contained {
		return ErrNotFastForward
	}
	if overlap := at.overlap(ctx, before, commit); overlap != nil {
		return overlap
	}
	return errors.Join(err, errContained)
}

// Overlap returns an [*OverlapError] where uncommitted changes in a worktree, ignored files among them,
// are in the way of taking it from one commit to another.
func (r *Repo) Overlap(ctx context.Context, worktree string, from, to ID) error {
	return r.At(worktree).overlap(ctx, from, to)
}

// overlap finds the uncommitted changes that a move from one commit to another would overwrite.
func (r *Repo) overlap(ctx context.Context, from, to ID) error {
	changes, err := r.DiffTrees(ctx, from, to)
	if err != nil {
		return err
	}
	dirty, err := r.status(ctx, "--ignored=matching")
	if err != nil {
		return err
	}
	var files []string
	for _, d := range dirty {
		hit := slices.ContainsFunc(changes, func(c FileChange) bool {
			return c.Path == d.Path || strings.HasPrefix(c.Path, strings.TrimSuffix(d.Path, "/")+"/") || strings.HasPrefix(d.Path, c.Path+"/")
		})
		if hit {
			files = append(files, d.Path)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return &OverlapError{Worktree: r.workTree, Files: files}
}
