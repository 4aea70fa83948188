package gitops

import (
	"context"
	"errors"
)

// Advance is one reference to move, with everything that belongs to it.
type Advance struct {
	Ref      string // required
	Old, New ID
	Reason   string      // for the reflog
	Note     string      // for the intent
	Also     []RefUpdate // moved in the same transaction
}

// Advance moves a branch and lets the worktrees follow.
//
// A lock on an index is waited for first; then the note is written, the references move in one transaction,
// which is the only moment that counts, the worktrees are projected, and the note is cleared.
// Killed before the transaction, nothing has happened; killed after it, [Lock.Recover] does the rest.
// An error with moved true means that the branch is where it should be and a worktree is not.
func (l *Lock) Advance(ctx context.Context, a Advance) (left []string, moved bool, err error) {
	places, err := l.repo.placesOf(ctx, a.Ref)
	if err != nil {
		return nil, false, err
	}
	if err := l.repo.awaitIndexes(ctx, places); err != nil {
		return nil, false, err
	}
	if err := l.SetIntent(ctx, Intent{Ref: a.Ref, Old: a.Old, New: a.New, Note: a.Note}); err != nil {
		return nil, false, err
	}
	updates := append([]RefUpdate{{Name: a.Ref, Old: a.Old, New: a.New}}, a.Also...)
	if err := l.repo.UpdateRefs(ctx, a.Reason, updates...); err != nil {
		return nil, false, errors.Join(err, l.ClearIntent())
	}
	ctx = context.WithoutCancel(ctx)
	left, err = l.repo.projectAt(ctx, places, a.Old, a.New, ProjectOptions{})
	if err != nil {
		return left, true, err // the note stays: the next run tries again
	}
	return left, true, l.ClearIntent()
}
