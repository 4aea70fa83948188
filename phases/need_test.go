package phases_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestNeed_byPhase(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   func(rapid.TB) *chain
		want phases.Need
	}{
		{"nothing yet", newChain, phases.NeedArtefacts},
		{"proposed", proposed, phases.NeedChallenge},
		{"rejected", rejected, phases.NeedDecision},
		{"challenged", challenged, phases.NeedImplement},
		{"implementing", implementing, phases.NeedReview},
		{"complete", complete, phases.NeedNothing},
		{"archived", archived, phases.NeedNothing},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.at(t).wantNeed(tc.want) })
	}
}

func TestNeed_planning(t *testing.T) {
	t.Run("no plan tree", func(t *testing.T) {
		c := newChain(t)
		c.plan = ""
		c.add(phases.StepClarify)
		c.wantNeed(phases.NeedArtefacts)
	})
	t.Run("an unreadable verdict is none", func(t *testing.T) {
		c := proposed(t)
		c.challenge(phases.Unknown)
		c.wantPhase(phases.Proposed, phases.Proposed)
		c.wantNeed(phases.NeedChallenge)
	})
	t.Run("an unreadable verdict hides none", func(t *testing.T) {
		c := proposed(t)
		c.challenge(phases.NeedsRevision)
		c.challenge(phases.Unknown)
		c.wantNeed(phases.NeedReproposal)
		if s := c.state(); s.LastChallenge == nil || s.LastChallenge.Verdict != phases.NeedsRevision {
			t.Errorf("last challenge %+v", s.LastChallenge)
		}
	})
	t.Run("a person edits instead of the agent", func(t *testing.T) {
		c := proposed(t)
		c.challenge(phases.NeedsRevision)
		c.plan = "edited"
		c.add(phases.StepEdit)
		c.wantNeed(phases.NeedChallenge)
	})
	t.Run("a reproposal that changes nothing is challenged", func(t *testing.T) {
		c := proposed(t)
		c.challenge(phases.NeedsRevision)
		c.add(phases.StepReproposal)
		c.wantNeed(phases.NeedChallenge)
	})
	t.Run("reopened after a rejection", func(t *testing.T) {
		c := rejected(t)
		c.add(phases.StepReopen)
		c.wantNeed(phases.NeedReproposal)
		c.plan = "edited"
		c.push("edit\n")
		c.wantNeed(phases.NeedChallenge)
	})
	t.Run("reopened after an approval", func(t *testing.T) {
		c := complete(t)
		c.add(phases.StepReopen)
		s := c.wantPhase(phases.Proposed, phases.Proposed)
		c.wantNeed(phases.NeedChallenge)
		if s.LastChallenge != nil || s.LastReview != nil || s.PlanApproval != nil || s.CodeApproval != nil {
			t.Errorf("something outlived the reopening: %+v", s)
		}
	})
}

func TestNeed_implementing(t *testing.T) {
	t.Run("an unreadable verdict is none", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.Unknown)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.wantNeed(phases.NeedReview)
	})
	t.Run("an approval whose evidence failed", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.Approved, unproved)
		s := c.wantPhase(phases.Implementing, phases.Implementing)
		if s.CodeApproval != nil {
			t.Error("it approves")
		}
		c.wantNeed(phases.NeedResolve)
	})
	t.Run("a person mends instead of the agent", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.NeedsChanges)
		c.code = "mended"
		c.push("mend\n")
		c.wantNeed(phases.NeedReview)
	})
	t.Run("the base merged in is no mending", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.NeedsChanges)
		c.base = "main 2"
		c.push("Merge branch 'main'\n")
		c.wantNeed(phases.NeedResolve)
	})
	t.Run("a resolve that changes nothing is reviewed", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.NeedsChanges)
		c.add(phases.StepResolve)
		c.wantNeed(phases.NeedReview)
	})
	t.Run("complete is reviewed again, and falls", func(t *testing.T) {
		c := complete(t)
		c.review(phases.Approved)
		c.wantPhase(phases.Complete, phases.Complete)
		c.review(phases.NeedsChanges)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.wantNeed(phases.NeedResolve)
	})
}

func TestNeed_majorIssues(t *testing.T) {
	major := func(t *testing.T) *chain {
		c := implementing(t)
		c.review(phases.MajorIssues)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.wantNeed(phases.NeedDecision)
		if s := c.state(); !s.AwaitsDecision || s.Allows(phases.EventResolve) == nil || s.Allows(phases.EventContinue) != nil {
			t.Errorf("awaits %v, resolve %v, continue %v", s.AwaitsDecision, s.Allows(phases.EventResolve), s.Allows(phases.EventContinue))
		}
		return c
	}
	for _, step := range []phases.Step{phases.StepResolve, phases.StepImplement, phases.StepReview} {
		t.Run("nobody but a person goes on: "+string(step), func(t *testing.T) {
			c := major(t)
			c.add(step, verdict(phases.Approved))
			c.wantIllegal("no open decision")
		})
	}
	t.Run("a note decides nothing", func(t *testing.T) {
		c := major(t)
		c.add(phases.StepNote)
		c.wantNeed(phases.NeedDecision)
	})
	t.Run("changed code decides nothing", func(t *testing.T) {
		c := major(t)
		c.code = "mended"
		c.push("mend\n")
		c.wantNeed(phases.NeedDecision)
	})
	t.Run("continue, then resolve", func(t *testing.T) {
		c := major(t)
		c.add(phases.StepContinue)
		c.wantNeed(phases.NeedResolve)
		c.work(phases.StepResolve, "mended")
		c.wantNeed(phases.NeedReview)
	})
	t.Run("approve", func(t *testing.T) {
		c := major(t)
		c.add(phases.StepApprove)
		c.wantPhase(phases.Complete, phases.Complete)
	})
	t.Run("reopen", func(t *testing.T) {
		c := major(t)
		c.add(phases.StepReopen)
		if s := c.wantPhase(phases.Proposed, phases.Proposed); s.AwaitsDecision {
			t.Error("still awaits a decision")
		}
	})
	t.Run("another plan, approved and begun", func(t *testing.T) {
		c := major(t)
		c.plan = "edited"
		c.push("edit\n")
		c.wantNeed(phases.NeedChallenge)
		c.challenge(phases.Approved)
		c.work(phases.StepImplement, "again")
		c.wantNeed(phases.NeedReview)
	})
}

func TestReplay_decisions(t *testing.T) {
	t.Run("approve from proposed", func(t *testing.T) {
		c := proposed(t)
		c.add(phases.StepApprove)
		if s := c.wantPhase(phases.Challenged, phases.Challenged); s.PlanApproval == nil || s.PlanApproval.Actor != phases.Human {
			t.Errorf("plan approval %+v", s.PlanApproval)
		}
	})
	t.Run("approve from implementing", func(t *testing.T) {
		c := implementing(t)
		c.add(phases.StepApprove)
		if s := c.wantPhase(phases.Complete, phases.Complete); s.CodeApproval == nil {
			t.Error("no code approval")
		}
	})
	for name, at := range map[string]func(rapid.TB) *chain{
		"proposed": proposed, "challenged": challenged, "rejected": rejected, "implementing": implementing, "complete": complete,
	} {
		t.Run("abandon from "+name, func(t *testing.T) {
			c := at(t)
			c.add(phases.StepAbandon)
			s := c.wantPhase(phases.Rejected, phases.Rejected)
			if last := s.Transitions[len(s.Transitions)-1]; last.Decision != phases.DecisionAbandon {
				t.Errorf("decision %q", last.Decision)
			}
		})
		if name == "proposed" {
			continue
		}
		t.Run("reopen from "+name, func(t *testing.T) {
			c := at(t)
			c.add(phases.StepReopen)
			c.wantPhase(phases.Proposed, phases.Proposed)
		})
	}
}

func TestReplay_rounds(t *testing.T) {
	c := proposed(t)
	want := func(round int) {
		t.Helper()
		if got := c.state().Round; got != round {
			t.Fatalf("round %d, want %d", got, round)
		}
	}
	want(1)
	c.challenge(phases.Unknown)
	want(1)
	c.challenge(phases.NeedsRevision)
	want(2)
	c.plan = "plan 2"
	c.add(phases.StepReproposal)
	want(2)
	c.add(phases.StepContinue)
	want(2)
	c.challenge(phases.Approved)
	want(2)
	c.work(phases.StepImplement, "a")
	want(1)
	c.review(phases.NeedsChanges)
	want(2)
	c.work(phases.StepResolve, "b")
	c.work(phases.StepImplement, "c")
	want(2)
	c.review(phases.Approved, unproved)
	want(3)
	c.work(phases.StepResolve, "d")
	c.review(phases.MajorIssues)
	want(4)
	c.plan = "plan 3"
	c.push("edit\n")
	want(2) // planning goes on where it was
	c.challenge(phases.Approved)
	c.work(phases.StepImplement, "e")
	want(1)
	c.review(phases.NeedsChanges)
	c.add(phases.StepReopen)
	want(1)
}

func TestReplay_repairsSinceTheLastDecision_NC04(t *testing.T) {
	c := proposed(t)
	want := func(repairs int) {
		t.Helper()
		if got := c.state().Repairs; got != repairs {
			t.Fatalf("%d repairs, want %d", got, repairs)
		}
	}
	for i := range 3 {
		want(i)
		c.challenge(phases.NeedsRevision, high(9-i))
		c.plan += "+"
		c.add(phases.StepReproposal)
	}
	want(3)
	c.add(phases.StepContinue)
	want(0)
	c.challenge(phases.NeedsRevision, high(1))
	c.plan += "+"
	c.add(phases.StepReproposal)
	want(1)
	c.challenge(phases.Approved)
	want(1)
	c.work(phases.StepImplement, "a")
	want(0)
	c.review(phases.NeedsChanges)
	c.work(phases.StepResolve, "b")
	want(1)
	c.add(phases.StepEdit) // not a decision
	want(1)
	c.add(phases.StepContinue)
	want(0)
	c.review(phases.NeedsChanges)
	c.work(phases.StepResolve, "c")
	want(1)
	c.review(phases.NeedsChanges, byPerson)
	want(0) // what a person asks for is not paid from what agents have left
}
