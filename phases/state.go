package phases

// State is where a change stands, proved by its commits.
// The zero value, with a Change, is a change that does not exist yet.
type State struct {
	Change    ChangeID
	Recorded  Phase // what the last transition says
	Effective Phase // the recorded phase, lowered where an approval went stale; decide by this one
	Profile   Profile
	Base      Base
	DependsOn []ChangeID

	// Round is the round of the next challenge or review, from 1.
	// A verdict that asks for a repair ends its round;
	// reviews count anew when implementing begins, both at reopen.
	Round int

	// Repairs are the reproposals, or while implementing the resolves, since a person last had a say: a decision, or a verdict of theirs.
	Repairs int

	Transitions []Applied  // oldest first
	Done        []TaskDone // tasks, in the order in which commits named them; people's commits too

	Tip      string // the newest commit
	PlanTree string // at the tip
	CodeTree string // at the tip

	PlanApproval *Applied // what the phase rests on, from challenged on; nil in the pair profile
	CodeApproval *Applied // the newest approval of code that no later work or verdict has undone
	StalePlan    bool     // the plan tree is not the approved one
	StaleCode    bool     // complete, and the code tree is not the approved one
	Reverify     bool     // effectively implementing, and the diff is the approved one: only evidence is missing

	AwaitsDecision bool     // the last review found major issues, and nobody has decided since
	LastChallenge  *Applied // the newest one that could be read; a reopen drops an approval, and keeps what asks for repair
	LastReview     *Applied // the newest one that could be read, since implementing began

	// CodeMovedSinceReview tells, while implementing, that LastReview read other code than there is now.
	CodeMovedSinceReview bool

	// Mismatch says how STATE.yaml disagrees with Recorded; "" when it does not, or was not read.
	// The commits are right, and nothing moves until STATE.yaml has been repaired.
	Mismatch string
}

// Applied is a transition that was replayed.
type Applied struct {
	Transition
	Commit     string
	Time       int64
	Subject    string // first line of the message; the tree is Transition.Subject
	Body       string
	PlanTreeAt string // at the commit
	CodeTreeAt string // at the commit

	// Unbound marks an approval of code that matches its own commit neither by tree nor by diff,
	// as after a rebase over commits that changed the same files.
	// It holds nothing, whatever code follows: the code is reviewed again.
	Unbound bool
}

// TaskDone says which commit did a task, and under which plan.
type TaskDone struct{ Task, Commit, PlanTree string }

// Proved is the number of transitions that were replayed.
func (s State) Proved() int { return len(s.Transitions) }

// fold records a legal transition.
func (s *State) fold(a Applied, ev Event) {
	if s.Recorded == None {
		s.begin(a.Transition)
	}
	s.Recorded = a.Phase
	s.DependsOn = append(s.DependsOn, a.DependsOn...)
	s.Transitions = append(s.Transitions, a)
	switch {
	case approvesCode(a):
		s.CodeApproval = &a
	case approvesPlan(a):
		s.PlanApproval = &a
	case undoesApproval(ev):
		s.CodeApproval = nil
	}
	switch s.Recorded {
	case Proposed, Rejected:
		s.PlanApproval, s.CodeApproval = nil, nil
	case Challenged:
		s.CodeApproval = nil
	}
}

// begin takes what the first commit fixes for good.
func (s *State) begin(t Transition) {
	s.Profile = profileOf(t)
	if t.Base != nil {
		s.Base = *t.Base
	}
}

// profileOf is the profile that a first commit chooses.
func profileOf(t Transition) Profile {
	if t.Profile == "" {
		return ProfileSpec
	}
	return t.Profile
}

func approvesPlan(a Applied) bool {
	return a.Phase == Challenged && judgesPlan(a.Step)
}

func judgesPlan(s Step) bool { return s == StepChallenge || s == StepApprove }

func approvesCode(a Applied) bool {
	if a.Phase != Complete {
		return false
	}
	switch a.Step {
	case StepReview:
		return a.Verdict == Approved
	case StepApprove, StepReverify:
		return true
	}
	return false
}

// undoesApproval reports whether an approval of code is over after the event.
// A note or a decision to continue leaves it, so that reverify can still take it up.
func undoesApproval(ev Event) bool {
	switch ev {
	case EventImplement, EventResolve, EventPair,
		EventReviewUnproved, EventReviewNeedsChanges, EventReviewMajorIssues:
		return true
	}
	return false
}

// standing is the effective phase, from the trees of the newest commit.
func (s *State) standing() Phase {
	switch {
	case s.planMoved():
		return Proposed
	case s.codeMoved():
		return Implementing
	}
	return s.Recorded
}

// planMoved reports whether a phase that rests on an approved plan has lost it.
func (s *State) planMoved() bool {
	switch s.Recorded {
	case Challenged, Implementing, Complete:
		return s.PlanApproval != nil && s.PlanApproval.Transition.Subject != s.PlanTree
	}
	return false
}

// codeMoved reports whether complete rests on code that is no longer there.
func (s *State) codeMoved() bool {
	a := s.CodeApproval
	return s.Recorded == Complete && a != nil && (a.Unbound || a.Transition.Subject != s.CodeTree)
}
