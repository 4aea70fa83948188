package changes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
)

const subjectsRef = "refs/agentd/subjects/add-oauth"

// subjects are the trees that git lists for the change, by name.
func (w *world) subjects() []string {
	w.t.Helper()
	return strings.Fields(w.Git("ls-tree", "--name-only", subjectsRef))
}

func TestChange_Append_keepsEveryTreeThatWasJudged(t *testing.T) {
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.begin(store, "add-oauth")
	c = w.append(c, tasksWritten())
	first := c.State.PlanTree
	c = w.append(c, challenged(c, phases.NeedsRevision))
	if got := w.subjects(); !slices.Equal(got, []string{first}) {
		t.Errorf("%s holds %q, want %q", subjectsRef, got, first)
	}
	held := w.Rev(subjectsRef)
	c = w.append(c, challenged(c, phases.NeedsRevision))
	if w.Rev(subjectsRef) != held {
		t.Error("judging the same tree again moved the reference")
	}
	c = w.append(c, changes.Record{
		Subject: "reproposal", Transition: phases.Transition{Step: phases.StepReproposal},
		Files: map[string][]byte{"proposal.md": []byte("# Better\n")},
	})
	second := c.State.PlanTree
	c = w.append(c, challenged(c, phases.Approved))
	c = w.append(c, implemented())
	code := c.State.CodeTree
	w.append(c, reviewed(c, phases.Approved))

	want := []string{first, second, code}
	slices.Sort(want)
	if got := w.subjects(); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", subjectsRef, got, want)
	}
	for _, subject := range want {
		if got := w.Git("rev-parse", subjectsRef+":"+subject); got != subject {
			t.Errorf("what is held as %s is %s", subject, got)
		}
	}
	if out := w.Git("fsck", "--full", "--strict"); out != "" {
		t.Errorf("git fsck says %q", out)
	}
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "--quiet", "--prune=now")
	for _, subject := range want {
		if w.Git("ls-tree", "-r", subject) == "" {
			t.Errorf("git collected %s", subject)
		}
	}
}

func TestChange_Append_holdsItsSubjectWhateverTheReferenceNamed(t *testing.T) {
	for _, tc := range []struct{ named, by string }{
		{"a commit", "main"},
		{"a tree of somebody's own", "main^{tree}"},
		{"a file", "main:README.md"},
	} {
		t.Run(tc.named, func(t *testing.T) {
			w := newWorld(t)
			store := w.lock("add-oauth")
			c := w.append(w.begin(store, "add-oauth"), tasksWritten())
			w.Git("update-ref", subjectsRef, w.Git("rev-parse", tc.by))
			c = w.append(c, challenged(c, phases.Approved))
			if got := w.subjects(); !slices.Contains(got, c.State.PlanTree) {
				t.Errorf("%s holds %q, want %s in it", subjectsRef, got, c.State.PlanTree)
			}
		})
	}
}

func TestChange_Append_refusedVerdictLeavesNoSubject(t *testing.T) {
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.append(w.begin(store, "add-oauth"), tasksWritten())
	verdict := challenged(c, phases.Approved)
	verdict.Files["proposal.md"] = []byte("# Another plan\n")
	if _, _, err := c.Append(t.Context(), verdict); err == nil {
		t.Fatal("a verdict was accepted that changes what it is about")
	}
	if got := w.Git("for-each-ref", subjectsRef); got != "" {
		t.Errorf("there is %s", got)
	}
}
