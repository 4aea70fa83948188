package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectOptions narrow a projection.
type ProjectOptions struct {
	Under []string // only these files, or what is below these folders; nil: everything
}

// Project brings the worktrees that have branchRef checked out from old to new, after the reference has moved.
//
// Index entries that equal old get the new content by name; files that equal old are replaced by rename, as git would check them out.
// Whatever a person has staged or edited stays as it is, and its full path is returned in left.
// Nothing else in index or worktree is looked at. Doing it again, or after a crash, does what is missing.
//
// Call it under a lock: what a killed run of it leaves is recognised by the lock's name.
// It waits up to 5 s for a locked index, then returns a [*LockFileError]; the reference has moved all the same.
func (r *Repo) Project(ctx context.Context, branchRef string, old, new ID, opts ProjectOptions) (left []string, err error) {
	places, err := r.placesOf(ctx, branchRef)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	changes, err := r.DiffTrees(ctx, old, new)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c FileChange) bool { return !under(c.Path, opts.Under) })
	if len(changes) == 0 {
		return nil, nil
	}
	var errs []error
	for _, place := range places {
		p, err := place.prepare(ctx, changes)
		if err == nil {
			err = p.finish()
		}
		errs = append(errs, err)
		left = append(left, p.leftOver()...)
	}
	slices.Sort(left)
	return left, errors.Join(errs...)
}

// placesOf is the repository as seen from each worktree that has the branch checked out and is there.
func (r *Repo) placesOf(ctx context.Context, branchRef string) ([]*Repo, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var places []*Repo
	for _, w := range all {
		if w.Branch != branchRef || w.Bare || w.Prunable {
			continue
		}
		if r.workTree != "" && samePath(w.Path, r.workTree) {
			places = append(places, r)
			continue
		}
		place := r.At(w.Path)
		if _, err := os.Stat(place.gitDir); err == nil {
			places = append(places, place)
		}
	}
	return places, nil
}

func under(path string, folders []string) bool {
	return folders == nil || slices.ContainsFunc(folders, func(folder string) bool {
		return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	})
}

// projection is the work in one worktree.
type projection struct {
	place   *Repo
	changes []FileChange
	index   *indexHold
	left    []string
	put     []FileChange // index entries to write
	hidden  []string     // of these, the ones that a sparse checkout leaves out
	remove  []string
	write   []string
	done    bool
}

// prepare does everything that can fail: it takes the index, decides, and writes the new index and the new files
// beside the old ones. What is left for finish are renames.
// The projection is never nil; after an error it holds nothing.
func (r *Repo) prepare(ctx context.Context, changes []FileChange) (*projection, error) {
	p := &projection{place: r, changes: changes}
	index, err := r.holdIndex(ctx)
	if err != nil {
		return p, err
	}
	p.index = index
	err = p.plan(ctx)
	if err == nil {
		err = p.stage(ctx)
	}
	if err != nil {
		return p, errors.Join(err, index.release())
	}
	return p, nil
}

// leftOver is the full paths of what finish did not bring to the new state.
func (p *projection) leftOver() []string {
	names := p.left
	if !p.done {
		names = pathsOf(p.changes)
	}
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = filepath.Join(p.place.workTree, filepath.FromSlash(name))
	}
	return full
}

func pathsOf(changes []FileChange) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}
