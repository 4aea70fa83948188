package changes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Store is the set of changes of one repository.
type Store struct {
	Repo *gitops.Repo     // required
	Now  func() time.Time // required; stamps STATE.yaml, never decides anything
	// AtCommit, where set, is called right before and right after the ref of a change moves.
	// Crash tests stop the process there; production leaves it nil.
	AtCommit func(point string)
	// Secrets are refused in every file and message that is about to be committed.
	Secrets []Secret

	lock *gitops.Lock // held by the store that Lock returned
	past *past        // what that store has read; nil without a lock, where everything is read once
}

// Where says how a change was found.
type Where uint8

// The places a change can be in.
const (
	OnBranch  Where = iota + 1 // refs/heads/agentd/<id> exists
	InArchive                  // the base's tree holds agentd/archive/<id>
)

// Change is one change as its history tells it at the moment it was opened.
// It is a value of the past: every Append checks that the branch is still there.
type Change struct {
	ID    phases.ChangeID
	State phases.State // replayed, never read from STATE.yaml
	Where Where
	Tip   gitops.ID // the commit that State describes
	Base  gitops.ID // newest commit of the base branch that the change contains
	// Archived is the commit on the base that archived the change, "" if there is none or a squash dropped it.
	Archived gitops.ID

	// Document is STATE.yaml at the tip, nil when it cannot be read: then DocumentErr says why.
	Document    *specs.State
	DocumentErr error

	store  *Store
	folder gitops.ID     // tree of the change's folder at the tip
	odd    *OddFileError // what stands in the folder's place at the tip, nil normally
	tree   gitops.ID     // root tree at the tip
	files  map[string][]byte
}

// Open reads and replays one change.
// It returns *NotFoundError when no branch and no archive of that id exists,
// and the *phases.ReplayError of an illegal history together with what could be read before it.
func (s *Store) Open(ctx context.Context, id phases.ChangeID) (*Change, error) {
	base := s.findBase(ctx) // three short git processes, beside the replay
	defer base()
	r, err := s.reader(ctx, id)
	if err != nil {
		return nil, err
	}
	defer r.close()
	tip, err := r.tip(id.Ref())
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return s.openArchived(ctx, r, id)
	}
	change, err := s.openAt(ctx, r, id, tip)
	if change == nil || err != nil {
		return change, err
	}
	return change, s.noteArchive(ctx, r, change, base)
}

// OpenAt replays the change as if its branch stood at the given commit.
func (s *Store) OpenAt(ctx context.Context, id phases.ChangeID, tip gitops.ID) (*Change, error) {
	r, err := s.reader(ctx, id)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return s.openAt(ctx, r, id, tip)
}

func (s *Store) openAt(ctx context.Context, r *reader, id phases.ChangeID, tip gitops.ID) (*Change, error) {
	history, err := r.history(ctx, tip)
	if isNotFound(err) && s.Repo.Shallow() {
		return nil, &ShallowError{ID: id}
	}
	if err != nil {
		return nil, err
	}
	state, replayErr := phases.Replay(history)
	change := &Change{ID: id, State: state, Where: OnBranch, Tip: tip, store: s}
	if err := r.describe(change); err != nil {
		return nil, err
	}
	if errors.Is(replayErr, phases.ErrNoHistory) {
		return nil, &NoHistoryError{ID: id}
	}
	return change, replayErr
}

// describe fills in what the tip's tree says.
func (r *reader) describe(c *Change) error {
	commit, err := r.commit(c.Tip)
	if err != nil {
		return err
	}
	t, err := r.trees(commit.Tree)
	if err != nil {
		return err
	}
	c.tree, c.folder, c.odd = t.root, t.folder, t.odd
	if t.state == "" {
		c.DocumentErr = ErrNoState
		return nil
	}
	doc, err := r.document(t.state)
	c.Document, c.DocumentErr = doc.state, doc.err
	return err
}

// Forward refuses every move while the record contradicts itself:
// the phase that was replayed and the one STATE.yaml claims must be one.
func (c *Change) Forward() error {
	switch {
	case c.odd != nil:
		return c.odd
	case c.State.Mismatch != "":
		return &phases.MismatchError{Change: c.ID, Detail: c.State.Mismatch}
	case c.DocumentErr != nil:
		return &phases.MismatchError{Change: c.ID, Detail: fmt.Sprintf("STATE.yaml: %v", c.DocumentErr)}
	case c.Document.Phase != c.State.Recorded:
		return &phases.MismatchError{Change: c.ID, Detail: fmt.Sprintf(
			"the history says %s, STATE.yaml says %s", c.State.Recorded, c.Document.Phase)}
	}
	return nil
}
