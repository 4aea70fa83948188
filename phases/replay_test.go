package phases_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestReplay_wholeLife(t *testing.T) {
	c := newChain(t)
	c.add(phases.StepClarify)
	c.add(phases.StepProposalGen)
	c.add(phases.StepProposalReview)
	c.add(phases.SpecGen("auth"))
	c.add(phases.SpecReview("auth"))
	c.add(phases.StepTasksGen)
	c.add(phases.StepValidate)
	c.wantNeed(phases.NeedChallenge)
	c.challenge(phases.NeedsRevision, high(2))
	c.wantNeed(phases.NeedReproposal)
	c.plan = "plan 2"
	c.add(phases.StepReproposal)
	c.wantNeed(phases.NeedChallenge)
	c.challenge(phases.Approved)
	c.wantPhase(phases.Challenged, phases.Challenged)
	c.wantNeed(phases.NeedImplement)
	c.work(phases.StepImplement, "task 1")
	c.work(phases.StepImplement, "task 2")
	c.wantNeed(phases.NeedReview)
	c.review(phases.NeedsChanges, high(1))
	c.wantNeed(phases.NeedResolve)
	c.work(phases.StepResolve, "task 2 mended")
	c.wantNeed(phases.NeedReview)
	c.review(phases.Approved)
	s := c.wantPhase(phases.Complete, phases.Complete)
	if s.PlanApproval == nil || s.CodeApproval == nil || s.StalePlan || s.StaleCode || s.Reverify {
		t.Errorf("approvals: %+v", s)
	}
	c.wantNeed(phases.NeedNothing)
	plan := c.plan
	c.plan = ""
	c.add(phases.StepArchive)
	c.wantPhase(phases.Archived, phases.Archived)
	c.plan = plan
	c.add(phases.StepUnarchive)
	c.wantPhase(phases.Complete, phases.Complete)
	if got := c.state().Proved(); got != len(c.commits) {
		t.Errorf("proved %d of %d commits", got, len(c.commits))
	}
}

func TestReplay_noHistory(t *testing.T) {
	c := newChain(t)
	if _, err := c.replay(); !errors.Is(err, phases.ErrNoHistory) {
		t.Errorf("empty: %v", err)
	}
	c.push("fix typo\n\nbody\n")
	c.push("merge\n\nAgentd-Change: add-oauth\nAgentd-Task: 1.1\n")
	if _, err := c.replay(); !errors.Is(err, phases.ErrNoHistory) {
		t.Errorf("people only: %v", err)
	}
}

func TestReplay_chainBegins(t *testing.T) {
	t.Run("from none only once", func(t *testing.T) {
		c := proposed(t)
		c.add(phases.StepProposalGen, from(phases.None))
		c.wantIllegal("begins the change a second time")
	})
	t.Run("with none", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepProposalGen, from(phases.Proposed))
		c.wantIllegal("nothing has begun the change")
	})
	t.Run("by a step that begins", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepNote)
		c.wantIllegal("illegal transition: confirm at none")
	})
	t.Run("commits before it are passed over", func(t *testing.T) {
		c := newChain(t)
		c.push("before\n")
		c.add(phases.StepImport)
		c.wantPhase(phases.Proposed, phases.Proposed)
	})
	t.Run("an import approves nothing", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepImport, to(phases.Complete))
		c.wantIllegal("says complete, but import leads from none to proposed")
	})
	t.Run("an import takes no approval over", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepImport, to(phases.Proposed), verdict(phases.Approved))
		c.wantIllegal(`is an import with the verdict "APPROVED"`)
	})
	t.Run("an import keeps a rejection", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepImport, to(phases.Rejected), verdict(phases.VerdictRejected))
		c.wantPhase(phases.Rejected, phases.Rejected)
	})
}

func TestReplay_foreignCommitsChangeNothing(t *testing.T) {
	other := "agentd(other): x\n\nAgentd-Change: other\nAgentd-Step: challenge\nAgentd-From: none\nAgentd-Phase: complete\n"
	malformed := "agentd(other): x\n\nAgentd-Change: other\nAgentd-Phase: complete\nAgentd-Phase: proposed\n"
	for name, message := range map[string]string{
		"a person's":              "fix typo\n",
		"with hints":              "do task\n\nAgentd-Change: add-oauth\nAgentd-Task: 1.2\n",
		"a merge":                 "Merge branch 'main' into agentd/add-oauth\n",
		"a revert":                "Revert \"agentd(add-oauth): review approved\"\n\nThis reverts commit 1234567.\n",
		"another change's":        other,
		"another's, malformed":    malformed,
		"a record in the body":    "note\n\nAgentd-Change: add-oauth\nAgentd-Step: abandon\nAgentd-From: proposed\nAgentd-Phase: rejected\n\nand more\n",
		"a squash of messages":    "squash\n\n* agentd(add-oauth): a\n\n    Agentd-Phase: complete\n\nCo-authored-by: a <a@b>\n",
		"a record in the title":   "Agentd-Phase: complete\nAgentd-From: none\n",
		"an empty message":        "",
		"Windows line endings":    "fix\r\n\r\nbody\r\n",
		"a known key of a person": "x\n\nAgentd-Verdict: APPROVED\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, begin := range []func(rapid.TB) *chain{proposed, challenged, rejected, implementing, complete, archived} {
				c := begin(t)
				before := c.state()
				c.push(message)
				after := c.state()
				ignore := cmpopts.IgnoreFields(phases.State{}, "Tip", "Done")
				if d := cmp.Diff(before, after, ignore, cmp.AllowUnexported(phases.ChangeID{})); d != "" {
					t.Errorf("at %s:\n%s", before.Effective, d)
				}
			}
		})
	}
}

func TestReplay_namesMalformedRecords(t *testing.T) {
	record := "agentd(add-oauth): x\n\nAgentd-Change: add-oauth\nAgentd-Step: note\nAgentd-From: proposed\nAgentd-Phase: proposed\n"
	for _, tc := range []struct{ name, old, new, says string }{
		{"ID-15 two values", "Agentd-Phase: proposed", "Agentd-Phase: proposed\nAgentd-Phase: complete", "has 2 Agentd-Phase trailers"},
		{"ID-15 the same value twice", "Agentd-Phase: proposed", "Agentd-Phase: proposed\nagentd-PHASE: proposed", "has 2 Agentd-Phase trailers"},
		{"ID-15 other case of key and value", "Agentd-Phase: proposed", "agentd-PHASE: Complete", "unknown phase"},
		{"DC-08 unknown phase", "Agentd-Phase: proposed", "Agentd-Phase: chalenged", "the phases are proposed, challenged"},
		{"no phase", "Agentd-Phase: proposed\n", "", "has no Agentd-Phase trailer"},
		{"no change", "Agentd-Change: add-oauth\n", "", "has no Agentd-Change trailer"},
		{"two changes", "Agentd-Change: add-oauth", "Agentd-Change: add-oauth\nAgentd-Change: other", "has 2 Agentd-Change trailers"},
		{"unknown step", "Agentd-Step: note", "Agentd-Step: deploy", "unknown step"},
		{"phase none", "Agentd-Phase: proposed", "Agentd-Phase: none", "unknown phase"},
		{"folded value", "Agentd-Phase: proposed", "Agentd-Phase: proposed\n complete", "unknown phase"},
		{"NUL", "Agentd-Phase: proposed", "Agentd-Phase: proposed\x00", "has a NUL"},
		{"bad number", "Agentd-Step: note", "Agentd-Step: note\nAgentd-Round: -1", "rounds are counted from 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := proposed(t)
			c.push(strings.Replace(record, tc.old, tc.new, 1))
			c.wantIllegal(tc.says)
			_, err := c.replay()
			if want := "commit " + c.commits[1].ID[:7] + " "; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q does not begin with %q", err, want)
			}
		})
	}
	t.Run("ID-15 other case of keys, unknown keys", func(t *testing.T) {
		c := proposed(t)
		c.push(strings.ReplaceAll(record, "Agentd-", "AGENTD-") + "Agentd-Seq: 7\nSigned-off-by: a <a@b>\nSigned-off-by: b <b@b>\nTicket ABC-1\n")
		if s := c.wantPhase(phases.Proposed, phases.Proposed); s.Proved() != 2 {
			t.Errorf("proved %d", s.Proved())
		}
	})
}

func TestReplay_namesTheFirstIllegal(t *testing.T) {
	c := proposed(t)
	bad := c.add(phases.StepImplement, to(phases.Implementing)).ID
	c.commits = append(c.commits, c.commits[0]) // illegal as well, later
	_, err := c.replay()
	replay, ok := errors.AsType[*phases.ReplayError](err)
	if !ok || replay.Commit != bad || replay.Subject != "agentd(add-oauth): implement" {
		t.Fatalf("got %v", err)
	}
	if _, ok := errors.AsType[*phases.IllegalTransitionError](err); !ok || replay.Hint() == "" {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestReplay_claimsMustFit(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   func(rapid.TB) *chain
		step phases.Step
		bend bend
		says string
	}{
		{"another phase than the table's", proposed, phases.StepChallenge, func(t *phases.Transition) { t.Verdict, t.Phase = phases.NeedsRevision, phases.Challenged }, "says challenged, but challenge NEEDS_REVISION leads from proposed to proposed"},
		{"an unknown verdict passes nothing", proposed, phases.StepChallenge, func(t *phases.Transition) { t.Verdict, t.Phase = phases.Unknown, phases.Challenged }, "says challenged"},
		{"a challenge without verdict", proposed, phases.StepChallenge, func(t *phases.Transition) {}, `with the verdict ""`},
		{"a challenge with a review's verdict", proposed, phases.StepChallenge, verdict(phases.NeedsChanges), `with the verdict "NEEDS_CHANGES"`},
		{"a review with a challenge's verdict", implementing, phases.StepReview, verdict(phases.NeedsRevision), `with the verdict "NEEDS_REVISION"`},
		{"approval of another plan", proposed, phases.StepChallenge, func(t *phases.Transition) { t.Verdict, t.Subject = phases.Approved, treeOf("x") }, "its own tree as subject"},
		{"approval of no plan", proposed, phases.StepChallenge, func(t *phases.Transition) { t.Verdict, t.Subject = phases.Approved, "" }, "its own tree as subject"},
		{"approval of no code", implementing, phases.StepReview, func(t *phases.Transition) { t.Verdict, t.Subject = phases.Approved, "" }, "its own tree as subject"},
		{"an unproved approval", implementing, phases.StepReview, func(t *phases.Transition) {
			t.Verdict, t.Evidence, t.Phase = phases.Approved, failed(), phases.Complete
		}, "says complete, but review APPROVED, evidence failed"},
		{"an approval without evidence", implementing, phases.StepReview, func(t *phases.Transition) { t.Verdict, t.Evidence, t.Phase = phases.Approved, nil, phases.Complete }, "says complete"},
		{"approve by an agent", proposed, phases.StepApprove, func(t *phases.Transition) { t.Actor = phases.ByAgent("challenger") }, "a person's decision"},
		{"approve by nobody", proposed, phases.StepApprove, func(t *phases.Transition) { t.Actor = "" }, "a person's decision"},
		{"approve without its decision", proposed, phases.StepApprove, func(t *phases.Transition) { t.Decision = "" }, `records the decision ""`},
		{"approve with another decision", proposed, phases.StepApprove, func(t *phases.Transition) { t.Decision = phases.DecisionContinue }, `records the decision "continue" in step "approve"`},
		{"approve of another plan", proposed, phases.StepApprove, func(t *phases.Transition) { t.Subject = treeOf("x") }, "its own tree as subject"},
		{"approve of code as a plan", proposed, phases.StepApprove, func(t *phases.Transition) { t.Subject = content{base: "main"}.tree() }, "its own tree as subject"},
		{"approve of no code", implementing, phases.StepApprove, func(t *phases.Transition) { t.Subject = "" }, "its own tree as subject"},
		{"approve without evidence", implementing, phases.StepApprove, func(t *phases.Transition) { t.Evidence = nil }, "passed evidence"},
		{"reopen by an agent", rejected, phases.StepReopen, func(t *phases.Transition) { t.Actor = phases.ByAgent("proposer") }, "a person's decision"},
		{"abandon by an agent", implementing, phases.StepAbandon, func(t *phases.Transition) { t.Actor = phases.ByAgent("reviewer") }, "a person's decision"},
		{"continue by an agent", implementing, phases.StepContinue, func(t *phases.Transition) { t.Actor = phases.ByAgent("reviewer") }, "a person's decision"},
		{"a decision in another step", implementing, phases.StepResolve, func(t *phases.Transition) { t.Decision = phases.DecisionContinue }, `in step "resolve"`},
		{"reverify without approval", implementing, phases.StepReverify, func(t *phases.Transition) {}, "the approved diff"},
		{"a skipped round", proposed, phases.StepChallenge, func(t *phases.Transition) { t.Verdict, t.Round = phases.Approved, 2 }, "is round 2, the next is 1"},
		{"no round", implementing, phases.StepReview, func(t *phases.Transition) { t.Verdict, t.Round = phases.Approved, 0 }, "is round 0, the next is 1"},
		{"another profile", proposed, phases.StepNote, func(t *phases.Transition) { t.Profile = phases.ProfilePair }, "changes the profile from spec to pair"},
		{"another base", proposed, phases.StepNote, func(t *phases.Transition) { t.Base = &phases.Base{Branch: "main", Commit: treeOf("b")} }, "changes the base"},
		{"a change that depends on itself", proposed, phases.StepNote, func(t *phases.Transition) { t.DependsOn = []phases.ChangeID{t.Change} }, "depend on itself"},
		{"a pair turn outside the profile", implementing, phases.StepPair, func(t *phases.Transition) { t.Profile = "" }, "profile pair"},
		{"confirming another phase", challenged, phases.StepEdit, to(phases.Implementing), "says implementing, but confirm leads from challenged to challenged"},
		{"a skipped phase", challenged, phases.StepReview, func(t *phases.Transition) { t.Verdict, t.Phase = phases.Approved, phases.Complete }, "illegal transition: review APPROVED at challenged"},
		{"another phase before", implementing, phases.StepNote, from(phases.Complete), "says it comes from complete, but the change stood at implementing"},
		{"abandon of what is archived", archived, phases.StepAbandon, to(phases.Rejected), "illegal transition: abandon at archived"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tc.at(t)
			legal := len(c.commits)
			c.add(tc.step, tc.bend)
			c.wantIllegal(tc.says)

			// What replay refuses afterwards, Admit refuses before.
			c.commits = c.commits[:legal]
			s := c.state()
			if err := s.Admit(c.draft(s, tc.step, tc.bend), c.planTree(), c.now().tree()); err == nil {
				t.Error("Admit let it pass")
			}
		})
	}
}

func TestReplay_clocksDecideNothing_RP24(t *testing.T) {
	c := complete(t)
	c.plan = "edited"
	c.push("edit\n")
	want := c.state()
	for range 20 {
		for i := range c.commits {
			c.commits[i].Time = rand.Int64N(1<<40) - 1<<39 // 1970 and before, jumps back, the far future
		}
		got := c.state()
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(phases.Applied{}, "Time"), cmp.AllowUnexported(phases.ChangeID{})); d != "" {
			t.Fatal(d)
		}
	}
}

func TestReplay_statefile_DC09(t *testing.T) {
	for _, tc := range []struct {
		name  string
		set   func(c *chain)
		wants string
	}{
		{"not read", func(c *chain) {}, ""},
		{"agrees", func(c *chain) { c.commits[2].StatePhase = "implementing" }, ""},
		{"says more", func(c *chain) { c.commits[2].StatePhase = "complete" }, "STATE.yaml says complete, the commits say implementing"},
		{"says less", func(c *chain) { c.commits[2].StatePhase = "proposed" }, "STATE.yaml says proposed, the commits say implementing"},
		{"missing", func(c *chain) { c.commits[2].StateErr = errors.New("no such file") }, "the commits say implementing, and STATE.yaml cannot be read: no such file"},
		{"was wrong before", func(c *chain) { c.commits[1].StatePhase, c.commits[2].StatePhase = "complete", "implementing" }, ""},
		{"wrong before, not read since", func(c *chain) { c.commits[1].StatePhase = "complete" }, ""},
		{"edited by hand since", func(c *chain) { c.commits[2].StatePhase = "implementing"; c.push("edit\n").StatePhase = "complete" }, "STATE.yaml says complete"},
		{"mended by hand since", func(c *chain) { c.commits[2].StatePhase = "complete"; c.push("edit\n").StatePhase = "implementing" }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := implementing(t)
			tc.set(c)
			s := c.wantPhase(phases.Implementing, phases.Implementing) // the commits are right
			if !strings.HasPrefix(s.Mismatch, tc.wants) || (s.Mismatch == "") != (tc.wants == "") {
				t.Fatalf("mismatch %q, want %q", s.Mismatch, tc.wants)
			}
			review := c.draft(s, phases.StepReview, verdict(phases.Approved))
			repair := c.draft(s, phases.StepRepair)
			_, refused := errors.AsType[*phases.MismatchError](s.Admit(review, c.planTree(), c.now().tree()))
			if refused != (tc.wants != "") {
				t.Errorf("a forward move is refused: %v", refused)
			}
			if (s.Allows(phases.EventReviewApproved) != nil) != (tc.wants != "") {
				t.Errorf("Allows: %v", s.Allows(phases.EventReviewApproved))
			}
			note := c.draft(s, phases.StepNote) // its commit would mend STATE.yaml unseen
			if err := s.Admit(note, c.planTree(), c.now().tree()); (err != nil) != (tc.wants != "") {
				t.Errorf("a note: %v", err)
			}
			if err := s.Admit(repair, c.planTree(), c.now().tree()); err != nil {
				t.Errorf("the repair is refused: %v", err)
			}
		})
	}
}

func TestReplay_profiles(t *testing.T) {
	pair := func(t *phases.Transition) { t.Profile = phases.ProfilePair }
	t.Run("a plan's default is spec", func(t *testing.T) {
		if p := proposed(t).state().Profile; p != phases.ProfileSpec {
			t.Errorf("profile %q", p)
		}
	})
	t.Run("crew", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepProposalGen, func(t *phases.Transition) { t.Profile = phases.ProfileCrew })
		if p := c.state().Profile; p != phases.ProfileCrew {
			t.Errorf("profile %q", p)
		}
	})
	t.Run("pair begins at implementing, without a plan", func(t *testing.T) {
		c := newChain(t)
		c.plan = ""
		c.add(phases.StepPair)
		c.wantPhase(phases.Implementing, phases.Implementing)
		c.code = "login"
		c.add(phases.StepPair, func(t *phases.Transition) { t.Loop = "working" })
		c.plan = "a note in the folder" // no plan was approved, so none goes stale
		c.push("note\n")
		c.review(phases.Approved)
		s := c.wantPhase(phases.Complete, phases.Complete)
		if s.Profile != phases.ProfilePair || s.PlanApproval != nil {
			t.Errorf("%q, %v", s.Profile, s.PlanApproval)
		}
	})
	t.Run("pair needs its profile", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepPair, func(t *phases.Transition) { t.Profile = "" })
		c.wantIllegal("profile pair")
	})
	t.Run("pair bypasses no plan", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepProposalGen, pair)
		c.wantIllegal("a profile with a plan")
	})
	t.Run("a reopened pair has a plan to be approved", func(t *testing.T) {
		c := newChain(t)
		c.add(phases.StepPair)
		c.add(phases.StepReopen)
		c.wantPhase(phases.Proposed, phases.Proposed)
		c.challenge(phases.Approved)
		c.add(phases.StepImplement)
		c.plan = "edited"
		c.push("edit\n")
		c.wantPhase(phases.Implementing, phases.Proposed)
	})
}

func TestReplay_baseAndDependencies(t *testing.T) {
	other, _ := phases.ParseChangeID("other")
	third, _ := phases.ParseChangeID("third")
	c := newChain(t)
	base := phases.Base{Branch: "release@2", Commit: treeOf("base")}
	c.add(phases.StepProposalGen, func(t *phases.Transition) { t.Base, t.DependsOn = &base, []phases.ChangeID{other} })
	c.add(phases.StepNote, func(t *phases.Transition) { t.Base, t.DependsOn = &base, []phases.ChangeID{third} })
	s := c.state()
	if s.Base != base || len(s.DependsOn) != 2 || s.DependsOn[0] != other || s.DependsOn[1] != third {
		t.Errorf("base %v, depends on %v", s.Base, s.DependsOn)
	}
}

func TestReplay_tasksDone(t *testing.T) {
	c := challenged(t)
	c.add(phases.StepImplement, func(t *phases.Transition) { t.Tasks = []string{"1.1", "data.2"} })
	mine := c.push("by hand\n\nAgentd-Change: add-oauth\nAgentd-Task: 2.1\n").ID
	c.push("of another\n\nAgentd-Change: other\nAgentd-Task: 2.2\n")
	done := c.state().Done
	if len(done) != 3 || done[0].Task != "1.1" || done[1].Task != "data.2" ||
		done[2] != (phases.TaskDone{Task: "2.1", Commit: mine, PlanTree: c.planTree()}) {
		t.Errorf("done: %+v", done)
	}
}

// Archived locally, the archive commit is on the base alone and the branch still ends at complete.
func TestReplay_unarchiveAfterLocalArchive(t *testing.T) {
	c := complete(t)
	c.add(phases.StepUnarchive, from(phases.Archived))
	c.wantPhase(phases.Complete, phases.Complete)

	c = implementing(t)
	c.add(phases.StepUnarchive, from(phases.Archived))
	c.wantIllegal("says it comes from archived, but the change stood at implementing")
}

func TestReplay_archiveAgain(t *testing.T) {
	c := archived(t)
	c.add(phases.StepArchive)
	c.wantPhase(phases.Archived, phases.Archived)
}

func TestReplay_diffErrorsAreNotIllegal(t *testing.T) {
	c := complete(t).rebased("main 2", false)
	h := c.history()
	broken := errors.New("object is missing")
	h.Diff = func(string) (string, error) { return "", broken }
	_, err := phases.Replay(h)
	if _, named := errors.AsType[*phases.ReplayError](err); named || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
