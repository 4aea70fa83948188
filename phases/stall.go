package phases

import (
	"fmt"
	"math"
)

// stallRounds is how many rounds may pass without a new minimum of HIGH findings.
// In recorded histories, loops that passed it never came to an end by themselves.
const stallRounds = 3

// Stall says why a loop does not converge.
type Stall struct {
	Reason  string   // names the commits
	Commits []string // in full, oldest first
}

// Stalled reports whether another round would only cost.
// It looks at the verdicts of the present loop that asked for a repair, since a person last had a say:
// the same findings came back, a tree came back, or HIGH found no new minimum in three rounds.
func (s State) Stalled() (Stall, bool) {
	rounds := s.loopRounds()
	if len(rounds) == 0 {
		return Stall{}, false
	}
	for _, look := range []func([]Applied) (Stall, bool){sameFindings, s.sameTree, noNewMinimum} {
		if stall, ok := look(rounds); ok {
			return stall, true
		}
	}
	return Stall{}, false
}

// loopRounds are the verdicts that asked for a repair, in the loop that runs now.
func (s *State) loopRounds() []Applied {
	step := StepChallenge
	switch s.Effective {
	case Proposed:
	case Implementing:
		step = StepReview
	default:
		return nil
	}
	var rounds []Applied
	for _, a := range s.sincePerson() {
		switch {
		case beginsCode(a), approvesPlan(a), approvesCode(a):
			rounds = nil
		case a.Step == step && asksForRepair(a):
			rounds = append(rounds, a)
		}
	}
	return rounds
}

func sameFindings(rounds []Applied) (Stall, bool) {
	if len(rounds) < 2 {
		return Stall{}, false
	}
	before, now := rounds[len(rounds)-2], rounds[len(rounds)-1]
	if before.Findings == nil || now.Findings == nil || now.Findings.Set == "" || before.Findings.Set != now.Findings.Set {
		return Stall{}, false
	}
	return stalled([]string{before.Commit, now.Commit},
		"the same %d findings came back (%s, %s)", now.Findings.Total(), shortID(before.Commit), shortID(now.Commit))
}

// sameTree looks for a tree that was judged before, at the newest verdict and in the work since.
// It compares the trees at the commits, not the subjects, so that a rebase does not hide a repetition.
func (s *State) sameTree(rounds []Applied) (Stall, bool) {
	last := rounds[len(rounds)-1]
	if was, ok := judged(rounds[:len(rounds)-1], treeAt(last)); ok {
		return cameBack(was, last.Commit)
	}
	tip := s.PlanTree
	if last.Step == StepReview {
		tip = s.CodeTree
	}
	for i := len(s.Transitions) - 1; i >= 0 && s.Transitions[i].Commit != last.Commit; i-- {
		switch a := s.Transitions[i]; a.Step {
		case StepReproposal, StepResolve, StepImplement, StepPair:
			if was, ok := judged(rounds, tip); ok {
				return cameBack(was, a.Commit)
			}
			return Stall{}, false
		}
	}
	return Stall{}, false
}

func judged(rounds []Applied, tree string) (string, bool) {
	for _, a := range rounds {
		if tree != "" && treeAt(a) == tree {
			return a.Commit, true
		}
	}
	return "", false
}

func treeAt(a Applied) string {
	if a.Step == StepChallenge {
		return a.PlanTreeAt
	}
	return a.CodeTreeAt
}

func cameBack(was, now string) (Stall, bool) {
	return stalled([]string{was, now}, "%s has the tree that was judged in %s", shortID(now), shortID(was))
}

func noNewMinimum(rounds []Applied) (Stall, bool) {
	least, at := math.MaxInt, 0
	for i, a := range rounds {
		if a.Findings != nil && a.Findings.High < least {
			least, at = a.Findings.High, i
		}
	}
	if len(rounds)-1-at < stallRounds {
		return Stall{}, false
	}
	first, last := rounds[at].Commit, rounds[len(rounds)-1].Commit
	return stalled([]string{first, last},
		"%d rounds since %s brought no fewer HIGH findings (%s)", len(rounds)-1-at, shortID(first), shortID(last))
}

func stalled(commits []string, format string, args ...any) (Stall, bool) {
	return Stall{Reason: "no progress: " + fmt.Sprintf(format, args...), Commits: commits}, true
}
