package phases

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoHistory says that no commit begins the change:
// the walk reached the base, and that is never a phase.
var ErrNoHistory = errors.New("no history")

// History is what [Replay] and [Audit] walk: the branch of one change.
type History struct {
	Change ChangeID

	// Commits are first parents, oldest first,
	// from the commit with Agentd-From: none, or from the base, to the tip.
	Commits []Commit

	// Diff is called only where a tree alone does not decide.
	// nil means that no diff ever matches.
	Diff DiffFunc

	// Journal are the transitions that STATE.yaml at the tip tells of, oldest first. nil is not checked.
	Journal []Transition

	// ForeignPath is a path under agentd/ that the tip has otherwise than every base that it was made from,
	// and that is no part of the change; "" where there is none. ForeignCommit is the last to have touched it.
	ForeignPath, ForeignCommit string

	// SignedBy are the fingerprints of who signed a commit, and none where nobody did whose signature holds.
	// Only [Audit] asks, and only where the policy wants signatures; nil means nobody.
	SignedBy func(commit string) ([]string, error)

	// OtherMergeParentsOK reports whether every other parent of a merge is an ancestor of the base
	// or of a change that this one depends on. Only [Audit] asks; nil means yes.
	OtherMergeParentsOK func(commit Commit) bool
}

// Commit is what must be known of one commit.
type Commit struct {
	ID          string
	Parents     []string
	Message     string // raw
	Time        int64  // seconds; shown, never decided by
	PlanTree    string // "" when the change's folder does not exist
	CodeTree    string
	TouchesCode bool // a path outside agentd/ differs from every parent

	// StatePhase is the phase that STATE.yaml has at this commit. "" is not checked.
	// StateErr says why it has none, a missing file included.
	StatePhase string
	StateErr   error

	// StateID names the content of STATE.yaml at this commit. "" is not checked.
	StateID string

	// ReportFault says how the report of a verdict in this commit contradicts the trailers: "CHALLENGE.md says …".
	// "" where it bears them out, or was not read. Only [Audit] asks.
	ReportFault string

	// TouchedPaths are the paths that differ from every parent.
	// Only [Audit] asks, and only for commits of reviewers; nil is not checked.
	TouchedPaths []string
}

// DiffFunc is the digest of what a commit's code changes, seen from its merge base with the base branch.
type DiffFunc func(commitID string) (string, error)

// Replay folds a history into the state that it proves.
// It stops at the first illegal commit with a [*ReplayError],
// is [ErrNoHistory] where no commit begins the change,
// and hands on the errors of [History.Diff].
//
// Commits of people, and records of other changes, move the trees and nothing else.
// The order is that of the commits; times are never compared.
func Replay(h History) (State, error) {
	r := replayer{history: h, state: State{Change: h.Change}}
	for _, c := range h.Commits {
		if err := r.step(c); err != nil {
			return State{}, err
		}
	}
	if r.state.Recorded == None {
		return State{}, ErrNoHistory
	}
	if err := r.settle(); err != nil {
		return State{}, err
	}
	return r.state, nil
}

type replayer struct {
	history History
	state   State // its derived fields are filled by settle

	stateID string // of STATE.yaml at the commit before
	edited  string // the commit that last changed STATE.yaml by hand, "" once it was written anew
}

// step takes one commit. The state's trees are those of the commit before it until the end.
func (r *replayer) step(c Commit) error {
	m, err := ParseMessage(c.Message)
	ours := m.ChangeHint.IsZero() || m.ChangeHint == r.history.Change
	switch {
	case !ours:
	case err != nil:
		return illegal(c, m, err)
	case m.Transition != nil:
		if err := r.apply(c, m); err != nil {
			return err
		}
	default:
		r.done(c, m.TaskHints)
	}
	r.watchState(c, ours && m.Transition != nil)
	s := &r.state
	s.Tip, s.PlanTree, s.CodeTree = c.ID, c.PlanTree, c.CodeTree
	return nil
}

// watchState notes who changed STATE.yaml: only a record of the change may.
// A later record may have been written on top of what a hand put there; only a repair starts from the commits.
func (r *replayer) watchState(c Commit, record bool) {
	switch {
	case record:
		if t := r.state.Transitions[len(r.state.Transitions)-1]; t.Step == StepRepair {
			r.edited = ""
		}
	case c.StateID != "" && r.stateID != "" && c.StateID != r.stateID:
		r.edited = c.ID
	}
	if c.StateID != "" {
		r.stateID = c.StateID
	}
}

func (r *replayer) apply(c Commit, m Message) error {
	t := *m.Transition
	ev, err := t.Event()
	if err != nil {
		return illegal(c, m, err)
	}
	from, err := r.accepts(t.From, ev)
	if err != nil {
		return err
	}
	if !from {
		return illegal(c, m, r.state.wrongFrom(t.From))
	}
	if err := r.state.judge(t, ev, isBound(t, c)); err != nil {
		return illegal(c, m, err)
	}
	a := Applied{
		Transition: t,
		Commit:     c.ID, Time: c.Time, Subject: m.Subject, Body: m.Body,
		PlanTreeAt: c.PlanTree, CodeTreeAt: c.CodeTree,
	}
	if approvesCode(a) {
		same, err := r.sameCode(&a, c.ID, c.CodeTree)
		if err != nil {
			return err
		}
		a.Unbound = !same || a.Step == StepReverify && r.state.CodeApproval.Unbound
	}
	r.state.fold(a, ev)
	r.done(c, t.Tasks)
	return nil
}

// accepts reports whether a commit may begin at the phase: the effective one before it.
//
// Rewriting history moves the code tree under an approval, without any commit that says so.
// Commits that follow it kept the From that they were written with,
// so inside a history complete is accepted beside implementing
// where the approval still matches by its diff, or was torn from its own commit.
// What was torn is never archived: it has to be reviewed again.
func (r *replayer) accepts(from Phase, ev Event) (bool, error) {
	s := &r.state
	switch {
	case from == s.standing(), s.landed(from, ev):
		return true, nil
	case from != Complete || s.Recorded != Complete || s.standing() != Implementing:
		return false, nil
	case s.CodeApproval.Unbound:
		return ev != EventArchive, nil
	}
	return r.sameCode(s.CodeApproval, s.Tip, s.CodeTree)
}

// isBound reports whether an approval names what it stands on.
// A plan tree survives every rebase, so there the subject must be exactly the commit's.
// A code tree does not: losing its subject makes an approval stale, not illegal.
func isBound(t Transition, c Commit) bool {
	return t.Subject != "" && (t.From != Proposed || t.Subject == c.PlanTree)
}

// sameCode reports whether an approval's subject or diff matches a commit.
func (r *replayer) sameCode(approval *Applied, commit, codeTree string) (bool, error) {
	if approval.Transition.Subject == codeTree {
		return true, nil
	}
	if approval.Diff == "" || r.history.Diff == nil {
		return false, nil
	}
	diff, err := r.history.Diff(commit)
	if err != nil {
		return false, fmt.Errorf("diff commit %s: %w", shortID(commit), err)
	}
	return diff == approval.Diff, nil
}

func (r *replayer) done(c Commit, tasks []string) {
	for _, task := range tasks {
		r.state.Done = append(r.state.Done, TaskDone{Task: task, Commit: c.ID, PlanTree: c.PlanTree})
	}
}

// settle fills what follows from the transitions and from the trees at the tip.
func (r *replayer) settle() error {
	s := &r.state
	s.Effective = s.standing()
	s.StalePlan, s.StaleCode = s.planMoved(), s.codeMoved()
	if s.Effective == Implementing && s.CodeApproval != nil && !s.CodeApproval.Unbound {
		same, err := r.sameCode(s.CodeApproval, s.Tip, s.CodeTree)
		if err != nil {
			return err
		}
		s.Reverify = same
	}
	s.LastChallenge, s.LastReview = s.at(s.lastChallenge()), s.at(s.lastReview())
	if err := r.settleWork(); err != nil {
		return err
	}
	s.Round = s.round(s.Effective)
	s.Repairs = s.repairs()
	s.AwaitsDecision = s.Effective == Implementing && s.awaitsDecision()
	s.Mismatch = r.mismatch()
	return nil
}

// settleWork asks whether the code that the last review read is still the code.
func (r *replayer) settleWork() error {
	s := &r.state
	if s.LastReview == nil || s.Effective != Implementing {
		return nil
	}
	s.CodeMovedSinceReview = s.LastReview.CodeTreeAt != s.CodeTree
	if !s.CodeMovedSinceReview {
		return nil
	}
	same, err := r.sameCode(s.LastReview, s.Tip, s.CodeTree)
	s.CodeMovedSinceReview = !same
	return err
}

// mismatch compares the newest STATE.yaml that was read, no older than the last transition.
func (r *replayer) mismatch() string {
	s := &r.state
	last := s.Transitions[len(s.Transitions)-1].Commit
	commits := r.history.Commits
	for i := len(commits) - 1; i >= 0; i-- {
		switch c := commits[i]; {
		case c.StateErr != nil:
			return fmt.Sprintf("the commits say %s, and STATE.yaml cannot be read: %v", s.Recorded, c.StateErr)
		case c.StatePhase != "" && c.StatePhase != s.Recorded.String():
			return fmt.Sprintf("STATE.yaml says %s, the commits say %s", c.StatePhase, s.Recorded)
		case c.StatePhase != "" || c.ID == last:
			return r.unfaithful()
		}
	}
	return ""
}

// unfaithful compares the journal with the commits, and tells of an edit by hand that it does not show.
func (r *replayer) unfaithful() string {
	s := &r.state
	if journal := r.history.Journal; journal != nil {
		if len(journal) != len(s.Transitions) {
			return fmt.Sprintf("STATE.yaml tells of %d transitions, the commits of %d", len(journal), len(s.Transitions))
		}
		for i, t := range s.Transitions {
			if key := differs(journal[i], t.Transition); key != "" {
				return fmt.Sprintf("STATE.yaml and commit %s do not tell the same of transition %d: %s", shortID(t.Commit), i+1, key)
			}
		}
	}
	if r.edited != "" {
		return fmt.Sprintf("commit %s edits STATE.yaml by hand", shortID(r.edited))
	}
	return ""
}

// differs names the first key of two records that is not the same, "" where all are.
// Of a price it is what is recorded that counts: messages have told more digits than STATE.yaml.
func differs(a, b Transition) string {
	for _, t := range []*Transition{&a, &b} {
		if t.Usage != nil {
			u := *t.Usage
			u.USD = Price(u.USD)
			t.Usage = &u
		}
	}
	for _, f := range fields() {
		if !slices.Equal(f.write(a), f.write(b)) {
			return f.key
		}
	}
	return ""
}

// ReplayError names the first illegal commit of a history.
type ReplayError struct {
	Commit  string
	Subject string // the first line of its message
	Reason  string // a predicate: "has 2 Agentd-Phase trailers"
	Err     error
}

func illegal(c Commit, m Message, err error) error {
	return &ReplayError{Commit: c.ID, Subject: m.Subject, Reason: err.Error(), Err: err}
}

func (e *ReplayError) Error() string { return "commit " + shortID(e.Commit) + " " + e.Reason }

// Unwrap is the cause, such as an [*IllegalTransitionError].
func (e *ReplayError) Unwrap() error { return e.Err }

// Hint names the command that takes the commit out of the branch.
func (e *ReplayError) Hint() string {
	commit := shortID(e.Commit)
	return fmt.Sprintf("`gh agentd doctor` shows the history up to it; `git rebase --onto %[1]s^ %[1]s agentd/<id>` takes it out", commit)
}

func shortID(id string) string { return id[:min(len(id), 7)] }
