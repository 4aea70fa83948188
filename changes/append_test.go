package changes_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

const oauthRef = "refs/heads/agentd/add-oauth"

// A whole change: each commit holds its paths and no others, and STATE.yaml in it says what its trailers say.
func TestChange_Append_eachCommitHoldsExactlyItsPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.begin(store, "add-oauth")
	const folder = "agentd/changes/add-oauth/"
	for _, step := range []struct {
		record func(*changes.Change) changes.Record
		phase  phases.Phase
		paths  []string
	}{
		{func(*changes.Change) changes.Record { return tasksWritten() }, phases.Proposed, []string{folder + "STATE.yaml", folder + "specs/greeting.md", folder + "tasks.md"}},
		{func(c *changes.Change) changes.Record { return challenged(c, phases.NeedsRevision) }, phases.Proposed, []string{folder + "CHALLENGE.md", folder + "STATE.yaml"}},
		{func(*changes.Change) changes.Record {
			return changes.Record{
				Subject: "reproposal", Transition: phases.Transition{Step: phases.StepReproposal},
				Files: map[string][]byte{"proposal.md": []byte("# Better\n"), "specs/greeting.md": nil},
			}
		}, phases.Proposed, []string{folder + "STATE.yaml", folder + "proposal.md", folder + "specs/greeting.md"}},
		{func(c *changes.Change) changes.Record { return challenged(c, phases.Approved) }, phases.Challenged, []string{folder + "CHALLENGE.md", folder + "STATE.yaml"}},
		{func(*changes.Change) changes.Record { return implemented() }, phases.Implementing, []string{folder + "STATE.yaml", "src/greeting.txt"}},
		{func(c *changes.Change) changes.Record { return reviewed(c, phases.Approved) }, phases.Complete, []string{folder + "REVIEW.md", folder + "STATE.yaml"}},
	} {
		before := c
		c = w.append(c, step.record(c))
		if got := w.touched(c.Tip); !slices.Equal(got, step.paths) {
			t.Errorf("%s touches %q, want %q", c.Document.LastAction, got, step.paths)
		}
		if parent := w.Rev(string(c.Tip) + "^"); parent != before.Tip || c.State.Effective != step.phase {
			t.Errorf("%s stands on %s at %s, want %s at %s", c.Document.LastAction, parent, c.State.Effective, before.Tip, step.phase)
		}
		w.agrees(c.Tip, "add-oauth")
	}
	if got := w.Git("rev-list", "--count", "main..agentd/add-oauth"); got != "7" {
		t.Errorf("%s commits, want 7", got)
	}
	if subject := w.trailer(c.Tip, "Agentd-Subject"); !strings.Contains(w.Git("ls-tree", "-r", "--name-only", subject), "src/greeting.txt") {
		t.Error("the tree that was reviewed cannot be read")
	}
}

// agrees holds STATE.yaml in a commit of ours against what real git reads in its trailers.
func (w *world) agrees(commit gitops.ID, name string) {
	w.t.Helper()
	state := w.document(commit, name)
	last := state.Transitions[len(state.Transitions)-1]
	for key, want := range map[string]string{
		"Agentd-Change":  state.ChangeID,
		"Agentd-Phase":   state.Phase.String(),
		"Agentd-Step":    state.LastAction,
		"Agentd-From":    last.From.String(),
		"Agentd-Verdict": string(last.Verdict),
		"Agentd-Subject": last.Subject,
		"Agentd-Actor":   string(last.Actor),
	} {
		if got := w.trailer(commit, key); got != want {
			w.t.Errorf("commit %.7s: %s is %q in the trailers, %q in STATE.yaml", commit, key, got, want)
		}
	}
}

// The journal alone tells what all the commits told.
func TestChange_Append_theJournalIsTheHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.at(w.lock("add-oauth"), "add-oauth", phases.Complete)
	var commits, journal []phases.Transition
	for _, a := range c.State.Transitions {
		commits = append(commits, a.Transition)
	}
	for _, e := range w.document(c.Tip, "add-oauth").Transitions {
		e.Change = c.ID // the file says it once, at its top
		journal = append(journal, e.Transition)
	}
	if diff := cmp.Diff(commits, journal, cmp.AllowUnexported(phases.ChangeID{})); diff != "" {
		t.Errorf("(-commits +journal):\n%s", diff)
	}
}

// Whatever a person has in a checkout, committed by half or not at all, stays as it is.
func TestChange_Append_leavesAPersonsWorkAlone_RP01(t *testing.T) {
	t.Parallel()
	dirty := `
		echo dirty >> README.md
		echo staged > staged.txt; git add staged.txt
		echo stashed >> src/main.txt; git stash push -q -- src/main.txt
		echo both > both.txt; git add both.txt; echo more >> both.txt
		echo untracked > untracked.txt
		mkdir -p agentd/changes/add-oauth; echo mine > agentd/changes/add-oauth/scratch.md`
	t.Run("in the main checkout", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.begin(w.lock("add-oauth"), "add-oauth")
		w.Sh(dirty)
		watch := gitopstest.Watch(t, w.Repo)
		w.append(c, tasksWritten())
		watch.Check(gitopstest.Moved(oauthRef))
	})
	t.Run("in the change's own worktree", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		c := w.begin(w.lock("add-oauth"), "add-oauth")
		linked := w.LinkedWorktree("agentd/add-oauth")
		linked.Sh(dirty)
		watch := gitopstest.Watch(t, linked)
		c = w.append(c, tasksWritten())
		watch.Check(gitopstest.Moved(oauthRef), gitopstest.Written(
			"agentd/changes/add-oauth/STATE.yaml", "agentd/changes/add-oauth/tasks.md", "agentd/changes/add-oauth/specs/greeting.md"))
		if got := linked.Read("agentd/changes/add-oauth/tasks.md"); got != "# Tasks\n" {
			t.Errorf("the worktree did not follow: %q", got)
		}
		if got := w.Git("ls-tree", "-r", "--name-only", string(c.Tip)); strings.Contains(got, "staged") || strings.Contains(got, "scratch") {
			t.Errorf("a person's files were committed:\n%s", got)
		}
	})
}

// A file that a person is editing is not overwritten: the commit is made, and the path is named.
func TestChange_Append_namesWhatAWorktreeKeeps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.begin(w.lock("add-oauth"), "add-oauth")
	linked := w.LinkedWorktree("agentd/add-oauth")
	const path = "agentd/changes/add-oauth/proposal.md"
	linked.Write(path, "a person's words\n")
	next, left, err := c.Append(t.Context(), changes.Record{
		Subject: "proposal again", Transition: phases.Transition{Step: phases.StepProposalGen},
		Files: map[string][]byte{"proposal.md": []byte("an agent's words\n")},
	})
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], path) {
		t.Fatalf("left %q, %v", left, err)
	}
	if got := linked.Read(path); got != "a person's words\n" {
		t.Errorf("the worktree holds %q", got)
	}
	if got := w.Git("show", string(next.Tip)+":"+path); got != "an agent's words" {
		t.Errorf("the commit holds %q", got)
	}
}

// arm is the locked store of a change that is at a phase, with something about to happen in the next move.
func (w *world) arm(phase phases.Phase, do func()) *changes.Change {
	w.t.Helper()
	armed := false
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phase)
	store.AtCommit = func(point string) {
		if point == "before-ref" && !armed {
			armed = true
			do()
		}
	}
	return c
}

func TestChange_Append_refusesAnIllegalTransitionWithNothingWritten(t *testing.T) {
	t.Parallel()
	type attempt struct {
		record changes.Record
		says   string
	}
	for phase, attempts := range map[phases.Phase][]attempt{
		phases.Proposed: {
			{changes.Record{Transition: phases.Transition{Step: phases.StepImplement}}, "implement at proposed"},
			{changes.Record{Transition: phases.Transition{Step: phases.StepReview, Verdict: phases.NeedsChanges}}, "review NEEDS_CHANGES at proposed"},
			{changes.Record{Transition: phases.Transition{Step: phases.StepArchive}}, "archive at proposed"},
			{decided(phases.StepReopen), "reopen at proposed"},
			{changes.Record{Transition: phases.Transition{Step: phases.StepPair}}, "pair at proposed"},
		},
		phases.Rejected: {
			{tasksWritten(), "plan at rejected"},
			{decided(phases.StepApprove), "approve at rejected"},
		},
		phases.Challenged: {
			{changes.Record{Transition: phases.Transition{Step: phases.StepChallenge, Verdict: phases.Approved}}, "challenge APPROVED at challenged"},
			{changes.Record{Transition: phases.Transition{Step: phases.StepArchive}}, "archive at challenged"},
			{tasksWritten(), "plan at challenged"},
		},
	} {
		t.Run(phase.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.at(w.lock("add-oauth"), "add-oauth", phase)
			before := w.objects()
			watch := gitopstest.Watch(t, w.Repo)
			for _, a := range attempts {
				_, _, err := c.Append(t.Context(), a.record)
				wantError[*phases.IllegalTransitionError](t, err, "illegal transition: "+a.says, "gh agentd ")
			}
			watch.Check()
			if after := w.objects(); after != before {
				t.Errorf("objects were written:\n%s\n%s", before, after)
			}
		})
	}
}

// What the phase allows can still lack what the step needs.
func TestChange_Append_refusesWhatLacksItsProof(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		phase  phases.Phase
		record func(*changes.Change) changes.Record
		says   string
	}{
		{"an approval that names no tree", phases.Proposed, func(c *changes.Change) changes.Record {
			rec := challenged(c, phases.Approved)
			rec.JudgedPlan = ""
			return rec
		}, "its own tree as subject"},
		{"an approval of a plan that changes the plan", phases.Proposed, func(c *changes.Change) changes.Record {
			rec := challenged(c, phases.Approved)
			rec.Files["proposal.md"] = []byte("# Another\n")
			return rec
		}, "its own tree as subject"},
		{"an approval of code that changes the code", phases.Implementing, func(c *changes.Change) changes.Record {
			rec := reviewed(c, phases.Approved)
			rec.Code = []gitops.Edit{{Path: "src/greeting.txt", Content: []byte("bye\n")}}
			return rec
		}, "its own tree as subject"},
		{"an approval without evidence", phases.Implementing, func(c *changes.Change) changes.Record {
			rec := decided(phases.StepApprove)
			rec.JudgedCode = c.State.CodeTree
			return rec
		}, "passed evidence"},
		{"a person's decision by an agent", phases.Challenged, func(*changes.Change) changes.Record {
			rec := decided(phases.StepReopen)
			rec.Transition.Actor = phases.ByAgent("proposer")
			return rec
		}, "a person's decision"},
		{"a decision that names another", phases.Challenged, func(*changes.Change) changes.Record {
			rec := decided(phases.StepReopen)
			rec.Transition.Decision = phases.DecisionApprove
			return rec
		}, `decision "approve" in step "reopen"`},
		{"a round that was left out", phases.Proposed, func(c *changes.Change) changes.Record {
			rec := challenged(c, phases.NeedsRevision)
			rec.Transition.Round = 3
			return rec
		}, "is round 3, the next is 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.at(w.lock("add-oauth"), "add-oauth", tt.phase)
			watch := gitopstest.Watch(t, w.Repo)
			_, _, err := c.Append(t.Context(), tt.record(c))
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
			watch.Check()
		})
	}
}

// After an edit the step that follows says where the change really stood.
func TestChange_Append_comesFromTheEffectivePhase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	w.at(store, "add-oauth", phases.Complete)
	w.commits("agentd/add-oauth", person("src/greeting.txt", "good morning"))
	c := w.open(store, "add-oauth")
	if c.State.Recorded != phases.Complete || c.State.Effective != phases.Implementing || !c.State.StaleCode {
		t.Fatalf("recorded %s, effective %s", c.State.Recorded, c.State.Effective)
	}
	c = w.append(c, reviewed(c, phases.NeedsChanges))
	if from := w.trailer(c.Tip, "Agentd-From"); from != "implementing" || c.State.Effective != phases.Implementing {
		t.Errorf("from %s to %s", from, c.State.Effective)
	}
	w.agrees(c.Tip, "add-oauth")
}

// Names of files come from agents: none leads out of the change's folder.
func TestChange_Append_refusesPathsThatLeaveTheFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.begin(w.lock("add-oauth"), "add-oauth")
	for _, name := range []string{"../other/STATE.yaml", "specs/../../x", ".git/config", "specs/.GIT/hooks/x", "./proposal.md", "specs//x.md", ""} {
		t.Run(name, func(t *testing.T) {
			watch := gitopstest.Watch(t, w.Repo)
			rec := tasksWritten()
			rec.Files = map[string][]byte{name: []byte("x")}
			if _, _, err := c.Append(t.Context(), rec); err == nil {
				t.Errorf("it was committed: %q", w.touched(w.Rev("agentd/add-oauth")))
			}
			watch.Check()
		})
	}
}

// A person's commit-msg hook may add to the message, and may not touch the record.
func TestChange_Append_theHookKeepsTheRecord_RP10(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, says string }{
		{"adds a trailer", `echo 'Signed-off-by: Ada' >> "$1"`, ""},
		{"changes a trailer", `sed -i -e 's/^Agentd-Phase: .*/Agentd-Phase: complete/' "$1"`, "the commit-msg hook changed the Agentd trailers"},
		{"removes the block", `echo 'add(x): y' > "$1"`, "the commit-msg hook removed the Agentd trailers"},
		{"doubles a trailer", `echo 'Agentd-Phase: complete' >> "$1"`, "the commit-msg hook broke the trailers"},
		{"refuses", `echo 'no ticket' >&2; exit 1`, "the commit-msg hook refused: no ticket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.begin(w.lock("add-oauth"), "add-oauth")
			w.Hook("commit-msg", tt.script)
			watch := gitopstest.Watch(t, w.Repo)
			next, _, err := c.Append(t.Context(), tasksWritten())
			if tt.says == "" {
				if err != nil || w.trailer(next.Tip, "Signed-off-by") != "Ada" {
					t.Errorf("%v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
			watch.Check()
		})
	}
}

// STATE.yaml that was lost or ruined is written anew from the commits, and from nothing else.
func TestChange_Append_repairsStateFromTheHistory(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"lost": "", "ruined": "phase: [", "lies": "change_id: add-oauth\nphase: complete\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := w.lock("add-oauth")
			before := w.at(store, "add-oauth", phases.Challenged)
			w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/"+specs.StateFile, content))
			c := w.open(store, "add-oauth")
			_, _, err := c.Append(t.Context(), implemented())
			wantError[*phases.MismatchError](t, err, `the record of change "add-oauth" contradicts itself`, "gh agentd doctor add-oauth --fix")

			c = w.append(c, changes.Record{Subject: "repair", Transition: phases.Transition{Step: phases.StepRepair}})
			if err := c.Forward(); err != nil {
				t.Fatal(err)
			}
			w.agrees(c.Tip, "add-oauth")
			got := w.document(c.Tip, "add-oauth").Transitions
			if n := len(before.Document.Transitions); len(got) != n+1 || got[n-1].Step != phases.StepChallenge || got[n].Phase != phases.Challenged {
				t.Errorf("the journal has %d entries, want %d", len(got), n+1)
			}
			w.append(c, implemented())
		})
	}
}

// When a step is refused, what is said of it wraps what kept it.
func TestChange_Append_namesTheStepThatHasNoVerdict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.begin(w.lock("add-oauth"), "add-oauth")
	for _, transition := range []phases.Transition{{Step: phases.StepChallenge}, {Step: "dance"}} {
		_, _, err := c.Append(t.Context(), changes.Record{Transition: transition})
		if err == nil || !strings.Contains(err.Error(), string(transition.Step)) || errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("%s: %v", transition.Step, err)
		}
	}
}
