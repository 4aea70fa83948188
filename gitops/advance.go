package gitops

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
)

// Advance is one reference to move, with everything that belongs to it.
type Advance struct {
	Ref      string // required
	Old, New ID
	Reason   string      // for the reflog
	Note     string      // for the intent
	Also     []RefUpdate // moved in the same transaction, before Ref
}

// Advance moves a branch, and with it the worktrees that have it checked out.
//
// First comes everything that can fail: the note for the next run, the lock on each index (waited for up to 5 s),
// the new index and the new files, written beside the old ones.
// Then the references move in one transaction, which is the only moment that counts; after it there are only renames.
// Killed before that moment, nothing has happened; killed after it, [Lock.Recover] does the rest.
//
// Files that a person has changed stay, and are returned in left.
// An error with moved true means that the branch is where it should be and a worktree is not.
func (l *Lock) Advance(ctx context.Context, a Advance) (left []string, moved bool, err error) {
	note := Intent{Ref: a.Ref, Old: a.Old, New: a.New, Note: a.Note}
	for _, u := range a.Also {
		note.Also = append(note.Also, u.New)
		note.Locks = append(note.Locks, filepath.Join(l.repo.commonDir, filepath.FromSlash(u.Name))+".lock")
	}
	if err := l.SetIntent(ctx, note); err != nil {
		return nil, false, err
	}
	ready, err := l.prepareAll(ctx, a)
	if err == nil {
		// git's own transaction on files renames one lock after the other, in this order, and can be killed in between:
		// the reference that counts comes last.
		updates := append(slices.Clone(a.Also), RefUpdate{Name: a.Ref, Old: a.Old, New: a.New})
		err = l.repo.UpdateRefs(ctx, a.Reason, updates...)
	}
	if err != nil {
		for _, p := range ready {
			err = errors.Join(err, p.index.release())
		}
		// A git that was killed, by whoever is short of memory, has left the locks of its references.
		_, _, mendErr := l.Recover(context.WithoutCancel(ctx))
		return nil, false, errors.Join(err, mendErr)
	}
	for _, p := range ready {
		err = errors.Join(err, p.finish())
		left = append(left, p.leftOver()...)
	}
	slices.Sort(left)
	if err != nil {
		return left, true, err // the note stays: the next run tries again
	}
	return left, true, l.ClearIntent()
}

// prepareAll prepares every worktree that has the branch. What it returns holds locks, also beside an error.
func (l *Lock) prepareAll(ctx context.Context, a Advance) ([]*projection, error) {
	places, err := l.repo.placesOf(ctx, a.Ref)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	objects, err := l.repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := objects.DiffCommits(a.Old, a.New)
	if err = errors.Join(err, objects.Close()); err != nil || len(changes) == 0 {
		return nil, err
	}
	var ready []*projection
	for _, place := range places {
		p, err := place.prepare(ctx, changes)
		if err != nil {
			return ready, err
		}
		ready = append(ready, p)
	}
	return ready, nil
}
