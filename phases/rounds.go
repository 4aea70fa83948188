package phases

// The counters of a change follow from its transitions;
// nothing here is kept, so nothing can disagree.

// round is the number of the next challenge, or of the next review.
func (s *State) round(p Phase) int {
	plan, code := 1, 1
	for _, a := range s.Transitions {
		switch {
		case a.Step == StepReopen:
			plan, code = 1, 1
		case beginsCode(a):
			code = 1
		case asksForRepair(a) && a.Step == StepChallenge:
			plan++
		case asksForRepair(a):
			code++
		}
	}
	if p == Implementing || p == Complete || p == Archived {
		return code
	}
	return plan
}

// beginsCode reports whether implementing begins with the transition.
func beginsCode(a Applied) bool { return a.From == Challenged && a.Step == StepImplement }

// asksForRepair reports whether the machine has to work before the next verdict.
func asksForRepair(a Applied) bool {
	ev, err := a.Event()
	if err != nil {
		return false
	}
	switch ev {
	case EventChallengeNeedsRevision, EventReviewNeedsChanges, EventReviewMajorIssues, EventReviewUnproved:
		return true
	}
	return false
}

// sincePerson are the transitions since a person last had a say: after a decision, or from a verdict of a person on.
// What a person asks for is neither a loop that does not converge, nor paid from what agents have left.
func (s *State) sincePerson() []Applied {
	for i := len(s.Transitions) - 1; i >= 0; i-- {
		switch a := s.Transitions[i]; {
		case a.Decision != "":
			return s.Transitions[i+1:]
		case a.Verdict != "" && a.Actor == Human:
			return s.Transitions[i:]
		}
	}
	return s.Transitions
}

func (s *State) repairs() int {
	repair := StepReproposal
	if s.Effective == Implementing || s.Effective == Complete {
		repair = StepResolve
	}
	n := 0
	for _, a := range s.sincePerson() {
		if a.Step == repair {
			n++
		}
	}
	return n
}

// lastChallenge is the index of the newest readable challenge, -1 when there is none.
// A reopen drops an approval; what asked for repair, or turned the plan down,
// is what the reopened plan has to answer.
func (s *State) lastChallenge() int {
	reopened := false
	for i := len(s.Transitions) - 1; i >= 0; i-- {
		a := s.Transitions[i]
		switch {
		case a.Step == StepReopen:
			reopened = true
		case a.Step == StepChallenge && a.Verdict != Unknown:
			if reopened && a.Verdict == Approved {
				return -1
			}
			return i
		}
	}
	return -1
}

// lastReview is the index of the newest readable review since implementing began, -1 when there is none.
func (s *State) lastReview() int {
	for i := len(s.Transitions) - 1; i >= 0; i-- {
		a := s.Transitions[i]
		switch {
		case a.Step == StepReopen || beginsCode(a):
			return -1
		case a.Step == StepReview && a.Verdict != Unknown:
			return i
		}
	}
	return -1
}

func (s *State) awaitsDecision() bool {
	i := s.lastReview()
	if i < 0 || s.Transitions[i].Verdict != MajorIssues {
		return false
	}
	for _, a := range s.Transitions[i:] {
		if a.Decision != "" {
			return false
		}
	}
	return true
}

// at is a copy of the transition at an index, nil for -1.
func (s *State) at(i int) *Applied {
	if i < 0 {
		return nil
	}
	a := s.Transitions[i]
	return &a
}
