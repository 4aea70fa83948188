package phases

import "fmt"

// Need is what the machine wants next.
type Need uint8

// The needs.
const (
	NeedNothing    Need = iota // complete or archived
	NeedArtefacts              // there is no plan tree yet; whether one is whole, its documents tell
	NeedChallenge              // nobody has judged the plan tree
	NeedReproposal             // the last challenge asks for another plan
	NeedImplement              // the plan is approved; which tasks are left, Done and tasks.md tell
	NeedReview                 // nobody has judged the code
	NeedResolve                // the last review asks for other code, or the evidence failed
	NeedDecision               // a person must decide
	NeedReverify               // the approved diff stands on another tree: run the evidence again
)

var needNames = [...]string{
	NeedNothing: "nothing", NeedArtefacts: "artefacts", NeedChallenge: "challenge", NeedReproposal: "reproposal",
	NeedImplement: "implement", NeedReview: "review", NeedResolve: "resolve", NeedDecision: "decision", NeedReverify: "reverify",
}

// String is the need in one word.
func (n Need) String() string {
	if int(n) >= len(needNames) {
		return fmt.Sprintf("need(%d)", uint8(n))
	}
	return needNames[n]
}

// Need is what comes next, from verdicts and trees alone.
// Limits and the stall guard have not been asked.
func (s State) Need() Need {
	switch s.Effective {
	case None:
		return NeedArtefacts
	case Proposed:
		return s.needPlan()
	case Challenged:
		return NeedImplement
	case Implementing:
		return s.needCode()
	case Rejected:
		return NeedDecision
	}
	return NeedNothing
}

// needPlan challenges every plan tree once.
// A reproposal ends in a challenge even where it changed nothing: the stall guard ends such a loop.
func (s State) needPlan() Need {
	if s.PlanTree == "" {
		return NeedArtefacts
	}
	i := s.lastChallenge()
	if i < 0 || s.Transitions[i].Verdict == Approved || s.PlanTree != s.Transitions[i].PlanTreeAt {
		return NeedChallenge
	}
	if s.workedSince(i, StepReproposal) {
		return NeedChallenge
	}
	return NeedReproposal
}

// needCode reviews every code tree once, whoever changed it.
func (s State) needCode() Need {
	i := s.lastReview()
	switch {
	case s.AwaitsDecision:
		return NeedDecision
	case s.Reverify:
		return NeedReverify
	case i < 0 || !asksForRepair(s.Transitions[i]) || s.CodeMovedSinceReview:
		return NeedReview
	case s.workedSince(i, StepResolve, StepImplement, StepPair):
		return NeedReview
	}
	return NeedResolve
}

// workedSince reports whether one of the steps was taken after the transition at the index.
func (s *State) workedSince(i int, steps ...Step) bool {
	for _, a := range s.Transitions[i+1:] {
		for _, step := range steps {
			if a.Step == step {
				return true
			}
		}
	}
	return false
}
