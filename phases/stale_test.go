package phases_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestReplay_planEditedAfterApproval(t *testing.T) {
	for name, at := range map[string]func(rapid.TB) *chain{"challenged": challenged, "implementing": implementing, "complete": complete} {
		t.Run(name, func(t *testing.T) {
			c := at(t)
			recorded := c.state().Recorded
			c.plan = "edited"
			c.push("edit by hand\n")
			s := c.wantPhase(recorded, phases.Proposed)
			if !s.StalePlan {
				t.Error("the plan is not called stale")
			}
			c.wantNeed(phases.NeedChallenge)

			legal := len(c.commits)
			c.add(phases.StepNote, from(recorded))
			c.wantIllegal("was edited: the change stood at proposed")

			c.commits = c.commits[:legal]
			c.challenge(phases.Approved)
			c.wantPhase(phases.Challenged, phases.Challenged)
			c.work(phases.StepImplement, "more")
			c.wantPhase(phases.Implementing, phases.Implementing)
			c.wantNeed(phases.NeedReview)
		})
	}
}

// The edit itself confirms the phase before it; only what follows sees the plan as proposed.
func TestReplay_editStep(t *testing.T) {
	c := challenged(t)
	approved := c.plan
	c.plan = "edited"
	c.add(phases.StepEdit)
	c.wantPhase(phases.Challenged, phases.Proposed)
	c.plan = approved
	c.push("take the edit back\n")
	c.wantPhase(phases.Challenged, phases.Challenged)
}

func TestReplay_noteOnStalePlanLowersTheRecord(t *testing.T) {
	c := complete(t)
	approved := c.plan
	c.plan = "edited"
	c.push("edit\n")
	c.add(phases.StepNote)
	s := c.wantPhase(phases.Proposed, phases.Proposed)
	if s.PlanApproval != nil || s.CodeApproval != nil {
		t.Error("an approval outlived its phase")
	}
	c.plan = approved
	c.push("take the edit back\n")
	c.wantPhase(phases.Proposed, phases.Proposed)
	c.wantNeed(phases.NeedChallenge)
}

func TestReplay_folderDeleted(t *testing.T) {
	c := implementing(t)
	c.plan = ""
	c.push("delete the plan\n")
	c.wantPhase(phases.Implementing, phases.Proposed)
	c.wantNeed(phases.NeedArtefacts)
}

func TestReplay_codeChangedAfterApproval(t *testing.T) {
	c := complete(t)
	c.code = "patched"
	c.push("one more fix\n")
	s := c.wantPhase(phases.Complete, phases.Implementing)
	if !s.StaleCode || s.StalePlan || s.Reverify {
		t.Errorf("stale code %v, stale plan %v, reverify %v", s.StaleCode, s.StalePlan, s.Reverify)
	}
	c.wantNeed(phases.NeedReview)

	legal := len(c.commits)
	c.add(phases.StepArchive, from(phases.Complete))
	c.wantIllegal("was changed: the change stood at implementing")

	c.commits = c.commits[:legal]
	c.add(phases.StepReverify)
	c.wantIllegal("the approved diff")

	c.commits = c.commits[:legal]
	c.review(phases.Approved)
	c.wantPhase(phases.Complete, phases.Complete)
}

func TestReplay_codeTakenBack(t *testing.T) {
	c := complete(t)
	approved := c.code
	c.code = "patched"
	c.push("one more fix\n")
	c.code = approved
	c.push("Revert \"one more fix\"\n")
	c.wantPhase(phases.Complete, phases.Complete)
}

func TestReplay_baseMergedIn(t *testing.T) {
	c := complete(t)
	c.base = "main 2"
	c.push("Merge branch 'main'\n")
	s := c.wantPhase(phases.Complete, phases.Implementing)
	if !s.StaleCode || !s.Reverify {
		t.Errorf("stale code %v, reverify %v", s.StaleCode, s.Reverify)
	}
	c.wantNeed(phases.NeedReverify)

	t.Run("reverified", func(t *testing.T) {
		c := c.rebased("main 2", false)
		c.add(phases.StepReverify)
		c.wantPhase(phases.Complete, phases.Complete)
	})
	t.Run("not without evidence", func(t *testing.T) {
		c := c.rebased("main 2", false)
		c.add(phases.StepReverify, unproved, to(phases.Complete))
		c.wantIllegal("passed evidence")
	})
	t.Run("a note does not cost the approval", func(t *testing.T) {
		c := c.rebased("main 2", false)
		c.add(phases.StepNote)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.wantNeed(phases.NeedReverify)
		c.add(phases.StepReverify)
		c.wantPhase(phases.Complete, phases.Complete)
	})
	t.Run("work does", func(t *testing.T) {
		c := c.rebased("main 2", false)
		c.add(phases.StepResolve)
		c.wantNeed(phases.NeedReview)
		c.add(phases.StepReverify)
		c.wantIllegal("the approved diff")
	})
	t.Run("with changes to the same files", func(t *testing.T) {
		c := complete(t)
		c.base, c.overlap = "main 2", true
		c.push("Merge branch 'main'\n")
		c.wantPhase(phases.Complete, phases.Implementing)
		c.wantNeed(phases.NeedReview)
	})
}

// After a rebase every code tree is another one; the commits kept what they said.
func TestReplay_rebased(t *testing.T) {
	t.Run("proposed", func(t *testing.T) {
		proposed(t).rebased("main 2", false).wantPhase(phases.Proposed, phases.Proposed)
	})
	t.Run("challenged: a plan approval survives", func(t *testing.T) {
		challenged(t).rebased("main 2", true).wantPhase(phases.Challenged, phases.Challenged)
	})
	t.Run("implementing", func(t *testing.T) {
		c := implementing(t)
		c.review(phases.NeedsChanges)
		c = c.rebased("main 2", true)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.wantNeed(phases.NeedResolve)
	})
	t.Run("complete", func(t *testing.T) {
		c := complete(t).rebased("main 2", false)
		c.wantPhase(phases.Complete, phases.Implementing)
		c.wantNeed(phases.NeedReverify)
		c.add(phases.StepReverify)
		c.wantPhase(phases.Complete, phases.Complete)

		c = c.rebased("main 3", false) // reverify's From is implementing, which is as good as complete here
		c.wantPhase(phases.Complete, phases.Implementing)
		c.wantNeed(phases.NeedReverify)
	})
	t.Run("complete, with more commits after", func(t *testing.T) {
		c := complete(t)
		c.add(phases.StepNote)
		c.review(phases.Unknown)
		c = c.rebased("main 2", false)
		c.wantPhase(phases.Complete, phases.Implementing)
		c.wantNeed(phases.NeedReverify)
	})
	t.Run("archived", func(t *testing.T) {
		archived(t).rebased("main 2", false).wantPhase(phases.Archived, phases.Archived)
	})
	t.Run("by decision of a person", func(t *testing.T) {
		c := implementing(t)
		c.add(phases.StepApprove)
		c.wantPhase(phases.Complete, phases.Complete)
		c.rebased("main 2", false).wantNeed(phases.NeedReverify)
	})
}

// Over commits that touched the same files neither tree nor diff is left: the approval is torn from its commit.
func TestReplay_rebasedOverTheSameFiles(t *testing.T) {
	c := complete(t)
	c.add(phases.StepNote)
	c = c.rebased("main 2", true)
	s := c.wantPhase(phases.Complete, phases.Implementing)
	if s.CodeApproval == nil || !s.CodeApproval.Unbound || s.Reverify {
		t.Errorf("approval %+v, reverify %v", s.CodeApproval, s.Reverify)
	}
	c.wantNeed(phases.NeedReview)
	c.review(phases.Approved)
	s = c.wantPhase(phases.Complete, phases.Complete)
	if s.CodeApproval.Unbound {
		t.Error("the new approval is called unbound")
	}
	t.Run("nothing torn is archived", func(t *testing.T) {
		c := archived(t).rebased("main 2", true)
		c.wantIllegal("the change stood at implementing")
	})
	t.Run("nothing torn is reverified", func(t *testing.T) {
		c := complete(t)
		c.base = "main 2"
		c.push("Merge branch 'main'\n")
		c.add(phases.StepReverify)
		c = c.rebased("main 3", true)
		c.wantPhase(phases.Complete, phases.Implementing)
		c.wantNeed(phases.NeedReview)
	})
}

// An approval may not be written first and the code that it names later.
func TestReplay_approvalOfCodeToCome(t *testing.T) {
	future := content{work: "backdoor", base: "main"}
	forge := func(t *phases.Transition) {
		t.Verdict, t.Subject, t.Diff = phases.Approved, future.tree(), future.diff()
	}
	c := implementing(t)
	s := c.state()
	if err := s.Admit(c.draft(s, phases.StepReview, forge), c.planTree(), c.now().tree()); err == nil {
		t.Error("Admit let it pass")
	}
	c.add(phases.StepReview, forge)
	c.wantPhase(phases.Complete, phases.Implementing)
	c.code = "backdoor"
	c.push("the code\n")
	c.wantPhase(phases.Complete, phases.Implementing)
	c.wantNeed(phases.NeedReview)
	c.add(phases.StepReverify)
	c.wantPhase(phases.Complete, phases.Implementing)
}

func TestAdmit_onlyTheEffectivePhase(t *testing.T) {
	c := complete(t).rebased("main 2", false)
	s := c.state()
	note := c.draft(s, phases.StepNote)
	if err := s.Admit(note, c.planTree(), c.now().tree()); err != nil {
		t.Errorf("from implementing: %v", err)
	}
	note.From, note.Phase = phases.Complete, phases.Complete
	if err := s.Admit(note, c.planTree(), c.now().tree()); err == nil {
		t.Error("from complete: passed, though only the diff matches")
	}
	other, _ := phases.ParseChangeID("other")
	note.Change = other
	if err := s.Admit(note, c.planTree(), c.now().tree()); err == nil {
		t.Error("another change's transition passed")
	}
}

func TestAdmit_firstCommit(t *testing.T) {
	c := newChain(t)
	s := phases.State{Change: c.id}
	if err := s.Admit(c.draft(s, phases.StepClarify), "", c.now().tree()); err != nil {
		t.Error(err)
	}
	if err := s.Admit(c.draft(s, phases.StepImplement), "", c.now().tree()); err == nil {
		t.Error("implement began a change")
	}
	if err := s.Allows(phases.EventPair); err != nil {
		t.Error(err)
	}
}
