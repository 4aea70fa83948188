package phases

import (
	"errors"
	"fmt"
	"slices"
)

// Allows reports whether an event can be legal now, before anything is spent on it.
// The error is an [*IllegalTransitionError] or a [*MismatchError].
func (s State) Allows(ev Event) error {
	if s.Mismatch != "" && ev != EventConfirm {
		return &MismatchError{Change: s.Change, Detail: s.Mismatch}
	}
	c := AllConditions
	if s.AwaitsDecision {
		c &^= Decided
	}
	if !s.Reverify {
		c &^= SameDiff
	}
	switch s.Profile {
	case ProfilePair:
		c &^= Planned
	case ProfileSpec, ProfileCrew:
		c &^= Paired
	}
	if s.landed(Archived, ev) {
		return nil
	}
	_, err := Next(s.Effective, ev, c)
	return err
}

// Admit checks a transition that is about to be committed on top of the state;
// the trees are those that the commit will have.
// It is stricter than [Replay], which has to live with rewritten history:
// From must be the effective phase, and an approval must name its tree exactly.
func (s State) Admit(t Transition, planTree, codeTree string) error {
	if t.Change != s.Change {
		return fmt.Errorf("the transition is of %q, the history of %q", t.Change, s.Change)
	}
	if s.Mismatch != "" && t.Step != StepRepair {
		return &MismatchError{Change: s.Change, Detail: s.Mismatch}
	}
	if _, err := t.Trailers(); err != nil {
		return err
	}
	ev, err := t.Event()
	if err != nil {
		return fmt.Errorf("the transition %w", err)
	}
	if t.From != s.Effective && !s.landed(t.From, ev) {
		return fmt.Errorf("the transition %w", s.wrongFrom(t.From))
	}
	if err := s.Allows(ev); err != nil {
		return fmt.Errorf("the transition makes an %w", err)
	}
	tree := codeTree
	if t.From == Proposed {
		tree = planTree
	}
	if err := s.judge(t, ev, t.Subject != "" && t.Subject == tree); err != nil {
		return fmt.Errorf("the transition %w", err)
	}
	return nil
}

// landed reports whether an unarchive answers an archive commit that is on the base alone:
// there the branch was never moved, and its own last word is complete.
func (s *State) landed(from Phase, ev Event) bool {
	return ev == EventUnarchive && from == Archived && s.Recorded == Complete
}

// judge holds a transition, whose From has been accepted, against the table and against the chain.
// Errors are predicates.
func (s *State) judge(t Transition, ev Event, bound bool) error {
	if t.Decision != t.Step.Decision() {
		return fmt.Errorf("records the decision %q in step %q", t.Decision, t.Step)
	}
	if err := s.judgeRound(t); err != nil {
		return err
	}
	if err := s.judgeConstants(t); err != nil {
		return err
	}
	to, err := Next(t.From, ev, s.conditions(t, bound))
	if err != nil {
		return fmt.Errorf("makes an %w", err)
	}
	if to != t.Phase {
		return fmt.Errorf("says %s, but %s leads from %s to %s", t.Phase, ev, t.From, to)
	}
	return nil
}

// judgeRound keeps verdicts in sequence, so that none can be left out unseen.
func (s *State) judgeRound(t Transition) error {
	var want int
	switch t.Step {
	case StepChallenge:
		want = s.round(Proposed)
	case StepReview:
		want = s.round(Implementing)
	default:
		return nil
	}
	if t.Round != want {
		return fmt.Errorf("is round %d, the next is %d", t.Round, want)
	}
	return nil
}

// judgeConstants keeps what the first commit fixed.
func (s *State) judgeConstants(t Transition) error {
	switch {
	case slices.Contains(t.DependsOn, t.Change):
		return fmt.Errorf("makes %s depend on itself", t.Change)
	case s.Recorded == None:
		return nil
	case t.Profile != "" && t.Profile != s.Profile:
		return fmt.Errorf("changes the profile from %s to %s", s.Profile, t.Profile)
	case t.Base != nil && *t.Base != s.Base && !(t.Base.Branch == s.Base.Branch && judgesPlan(t.Step)):
		return fmt.Errorf("changes the base from %s to %s", s.Base, t.Base)
	}
	return nil
}

// conditions are the facts that a transition brings along.
func (s *State) conditions(t Transition, bound bool) Conditions {
	profile := s.Profile
	if s.Recorded == None {
		profile = profileOf(t)
	}
	facts := []struct {
		holds bool
		c     Conditions
	}{
		{t.Actor == Human && t.Decision != "", ByPerson},
		{bound, Bound},
		{EvidencePassed(t.Evidence), Proved},
		{t.Diff != "" && s.CodeApproval != nil && t.Diff == s.CodeApproval.Diff, SameDiff},
		{!s.awaitsDecision(), Decided},
		{profile != ProfilePair, Planned},
		{profile == ProfilePair, Paired},
	}
	var c Conditions
	for _, f := range facts {
		if f.holds {
			c |= f.c
		}
	}
	return c
}

// wrongFrom explains where the change stood instead.
func (s *State) wrongFrom(from Phase) error {
	standing := s.standing()
	switch {
	case s.Recorded == None:
		return fmt.Errorf("says it comes from %s, but nothing has begun the change", from)
	case from == None:
		return errors.New("begins the change a second time")
	case standing == s.Recorded:
		return fmt.Errorf("says it comes from %s, but the change stood at %s", from, standing)
	case standing == Proposed:
		return fmt.Errorf("says it comes from %s, but the plan approved in %s was edited: the change stood at proposed", from, shortID(s.PlanApproval.Commit))
	}
	return fmt.Errorf("says it comes from %s, but the code approved in %s was changed: the change stood at implementing", from, shortID(s.CodeApproval.Commit))
}

// MismatchError refuses to go on while STATE.yaml contradicts the commits.
type MismatchError struct {
	Change ChangeID
	Detail string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the record of change %q contradicts itself: %s", e.Change, e.Detail)
}

// Hint names the command that repairs STATE.yaml.
func (e *MismatchError) Hint() string {
	return fmt.Sprintf("the history is the truth: `gh agentd doctor %s --fix` rewrites STATE.yaml", e.Change)
}
