package changes_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// listed is the summary of one change.
func (w *world) listed(name string) changes.Summary {
	w.t.Helper()
	all, err := w.store.List(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s changes.Summary) bool { return s.ID.String() == name })
	if at < 0 {
		w.t.Fatalf("%s is not listed", name)
	}
	return all[at]
}

func TestStore_List_showsAPlanThatWasEditedAfterItsApproval(t *testing.T) {
	t.Parallel()
	for _, phase := range []phases.Phase{phases.Challenged, phases.Implementing, phases.Complete} {
		t.Run(phase.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := w.lock("add-oauth")
			w.at(store, "add-oauth", phase)
			if got := w.listed("add-oauth"); got.StalePlan || got.Last.Phase != phase || got.Err != nil {
				t.Fatalf("fresh: %+v", got)
			}
			w.commits("agentd/add-oauth", person("src/other.txt", "code alone"), person("agentd/changes/add-oauth/notes.md", "not of the plan"))
			if got := w.listed("add-oauth"); got.StalePlan || got.Last.Phase != phase || got.Err != nil {
				t.Errorf("other files changed: %+v", got)
			}
			tip := w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/proposal.md", "# Edited\n"))
			got := w.listed("add-oauth")
			if c := w.open(store, "add-oauth"); !got.StalePlan || got.Last.Phase != phase || got.Tip != tip || got.Err != nil || !c.State.StalePlan {
				t.Errorf("edited: %+v", got)
			}
			w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/proposal.md", "# Proposal\n"))
			if got := w.listed("add-oauth"); got.StalePlan {
				t.Errorf("the edit was undone: %+v", got)
			}
		})
	}
}

// Branches that are no changes are not listed; branches that should be changes and are not say why.
func TestStore_List_namesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.begin(w.lock("b-good"), "b-good")
	w.Sh("git branch agentd/a-foreign; git branch agentd/Not-An-ID; git branch feature; git branch agentd/x/y")
	w.Git("branch", "agentd/c-broken")
	w.commits("agentd/c-broken", foreign{message: "x\n\nAgentd-Change: c-broken\nAgentd-Step: note\nAgentd-From: proposed\nAgentd-Phase: proposed\nAgentd-Phase: complete\n"})
	all, err := w.store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		got = append(got, fmt.Sprintf("%s %s %t", s.ID, s.Last.Phase, s.Err != nil))
	}
	if want := []string{"a-foreign none true", "b-good proposed false", "c-broken none true"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// few bounds how often rapid repeats a property on real repositories, unless the command line says how often.
func few(t *testing.T, checks string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", checks); err != nil {
			t.Fatal(err)
		}
	}
}

// move is something that we or a person may try on a change.
type move struct {
	name string
	do   func(*world, *changes.Change, int) error
}

func try(record func(*changes.Change) changes.Record) func(*world, *changes.Change, int) error {
	return func(w *world, c *changes.Change, _ int) error {
		_, _, err := c.Append(w.t.Context(), record(c))
		return err
	}
}

func moves() []move {
	judged := func(rec changes.Record, plan, code string) changes.Record {
		rec.JudgedPlan, rec.JudgedCode = plan, code
		return rec
	}
	all := []move{
		{"tasks", try(func(*changes.Change) changes.Record { return tasksWritten() })},
		{"reproposal", func(w *world, c *changes.Change, n int) error {
			_, _, err := c.Append(w.t.Context(), changes.Record{
				Subject: "reproposal", Transition: phases.Transition{Step: phases.StepReproposal},
				Files: map[string][]byte{"proposal.md": fmt.Appendf(nil, "# Proposal %d\n", n)},
			})
			return err
		}},
		{"edit", func(w *world, c *changes.Change, n int) error {
			_, _, err := c.Append(w.t.Context(), changes.Record{
				Subject: "edited", Transition: phases.Transition{Step: phases.StepEdit, Actor: phases.Human},
				Files: map[string][]byte{"proposal.md": fmt.Appendf(nil, "# Edited %d\n", n)},
			})
			return err
		}},
		{"note", try(func(*changes.Change) changes.Record {
			return changes.Record{Subject: "noted", Transition: phases.Transition{Step: phases.StepNote, Actor: phases.Human}, Files: map[string][]byte{"notes.md": []byte("mind the gap\n")}}
		})},
		{"implement", try(func(*changes.Change) changes.Record { return implemented() })},
		{"resolve", func(w *world, c *changes.Change, n int) error {
			rec := implemented()
			rec.Transition.Step, rec.Code[0].Content = phases.StepResolve, fmt.Appendf(nil, "resolved %d\n", n)
			_, _, err := c.Append(w.t.Context(), rec)
			return err
		}},
		{"approve the plan", try(func(c *changes.Change) changes.Record {
			return judged(decided(phases.StepApprove), c.State.PlanTree, "")
		})},
		{"approve the code", try(func(c *changes.Change) changes.Record {
			rec := judged(decided(phases.StepApprove), "", c.State.CodeTree)
			rec.Transition.Evidence = []phases.Evidence{{Command: "true"}}
			return rec
		})},
		{"a person edits the plan", func(w *world, c *changes.Change, n int) error {
			w.commits(c.ID.Branch(), person(c.ID.Dir()+"/proposal.md", fmt.Sprintf("# By hand %d\n", n)))
			return nil
		}},
		{"a person writes code", func(w *world, c *changes.Change, n int) error {
			w.commits(c.ID.Branch(), person("src/by-hand.txt", fmt.Sprint(n)))
			return nil
		}},
	}
	for _, v := range []phases.Verdict{phases.Approved, phases.NeedsRevision, phases.VerdictRejected, phases.Unknown} {
		all = append(all, move{"challenge " + string(v), try(func(c *changes.Change) changes.Record { return challenged(c, v) })})
	}
	for _, v := range []phases.Verdict{phases.Approved, phases.NeedsChanges, phases.MajorIssues, phases.Unknown} {
		all = append(all, move{"review " + string(v), try(func(c *changes.Change) changes.Record { return reviewed(c, v) })})
	}
	for _, step := range []phases.Step{phases.StepReopen, phases.StepContinue, phases.StepAbandon} {
		all = append(all, move{string(step), try(func(*changes.Change) changes.Record { return decided(step) })})
	}
	return all
}

// Whatever is tried on a change, in whatever order: what is refused moves nothing,
// what is done is legal when it is replayed, and the quick list says what the proof says.
func TestStore_List_agreesWithOpenOnEveryHistory(t *testing.T) {
	t.Parallel()
	few(t, "8")
	w := newWorld(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		name := fmt.Sprintf("change-%d", n)
		store, unlock, err := w.store.Lock(t.Context(), id(t, name), "test")
		if err != nil {
			rt.Fatal(err)
		}
		defer unlock()
		phase := rapid.SampledFrom([]phases.Phase{phases.Proposed, phases.Rejected, phases.Challenged, phases.Implementing, phases.Complete}).Draw(rt, "phase")
		c := w.at(store, name, phase)
		for i := range rapid.IntRange(1, 6).Draw(rt, "steps") {
			step := rapid.SampledFrom(moves()).Draw(rt, "step")
			before := c.Tip
			err := step.do(w, c, i)
			if c, err = reopened(w, store, c, before, err); err != nil {
				rt.Fatalf("%s: %v", step.name, err)
			}
			sum := w.listed(name)
			got := []any{sum.Tip, sum.Last.Phase, sum.Last.Step, sum.Last.Verdict, sum.StalePlan, sum.StaleCode, sum.Err}
			last := c.State.Transitions[len(c.State.Transitions)-1]
			want := []any{c.Tip, c.State.Recorded, last.Step, last.Verdict, c.State.StalePlan, c.State.StaleCode, nil}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Errorf("after %s (-open +list):\n%s", step.name, diff)
			}
		}
	})
}

// reopened reads the change after a move, which was refused where refusal is an error.
func reopened(w *world, store *changes.Store, c *changes.Change, before gitops.ID, refusal error) (*changes.Change, error) {
	next, err := store.Open(w.t.Context(), c.ID)
	switch {
	case err != nil:
		return nil, err
	case refusal != nil && next.Tip != before:
		return nil, fmt.Errorf("it was refused (%w), and the branch moved", refusal)
	case refusal == nil && next.Tip == before:
		return nil, errors.New("nothing came of it")
	}
	return next, next.Forward()
}
