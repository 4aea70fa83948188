package changes

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Lock makes the caller the one writer of a change in this clone.
// It returns a store whose git children hold the lock too,
// so that it is free only when the last of them is gone, kill -9 included.
// Whoever else asks meanwhile gets a *gitops.LockedError that names holder.
//
// What a dead writer left half done (a moved branch whose worktree was not brought along) is finished first.
func (s *Store) Lock(ctx context.Context, id phases.ChangeID, holder string) (*Store, func(), error) {
	lock, err := s.Repo.Lock(ctx, id.String(), holder)
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := lock.Recover(ctx); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("finish what an interrupted run of %q began: %w", id, err), lock.Unlock())
	}
	locked := *s
	locked.Repo, locked.lock, locked.past = lock.Repo(), lock, newPast()
	return &locked, func() { _ = lock.Unlock() }, nil
}

// errUnlocked is a mistake of ours: a commit was about to be made without being the one writer.
var errUnlocked = errors.New("the change is not locked for writing")

// advance moves refs and brings worktrees along; a crash in between is finished by the next Lock.
func (s *Store) advance(ctx context.Context, a gitops.Advance) ([]string, error) {
	if s.lock == nil {
		return nil, errUnlocked
	}
	// A worktree that could not follow the step before is brought along first:
	// the note of it would be overwritten, and the worktree would lag behind for ever.
	if _, _, err := s.lock.Recover(ctx); err != nil {
		return nil, err
	}
	s.point("before-ref")
	left, err := s.move(ctx, a)
	s.point("after-ref")
	return left, err
}

// move is Advance, and one more attempt for a worktree that did not follow: its git may have been killed.
func (s *Store) move(ctx context.Context, a gitops.Advance) ([]string, error) {
	left, moved, err := s.lock.Advance(ctx, a)
	if !moved || err == nil {
		return left, err
	}
	again, _, retryErr := s.lock.Recover(context.WithoutCancel(ctx))
	if retryErr == nil {
		return again.Left, nil
	}
	// The step is in the history; only a worktree lags behind, and the next step or run brings it along.
	return append(left, err.Error()), nil
}

// MakeWorktree runs add, which checks a change's branch out somewhere, with a note for the next run:
// a git that is killed meanwhile leaves the branch locked, and the next [Store.Lock] frees it.
func (s *Store) MakeWorktree(ctx context.Context, id phases.ChangeID, tip gitops.ID, add func() error) error {
	if s.lock == nil {
		return errUnlocked
	}
	if err := s.lock.SetIntent(ctx, gitops.Intent{Ref: id.Ref(), Old: tip, New: tip, Note: "make a worktree"}); err != nil {
		return err
	}
	if err := add(); err != nil {
		_, _, mendErr := s.lock.Recover(context.WithoutCancel(ctx))
		return errors.Join(err, mendErr)
	}
	return s.lock.ClearIntent()
}

// point lets a crash test stop the process at a named place.
func (s *Store) point(name string) {
	if s.AtCommit != nil {
		s.AtCommit(name)
	}
}
