package changes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
)

func TestChange_Append_goesOnTopOfAPersonsUnrelatedCommit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		phase  phases.Phase
		path   string // that a person commits in between
		record func(*changes.Change) changes.Record
	}{
		{"a plan and code", phases.Proposed, "src/other.txt", func(*changes.Change) changes.Record { return tasksWritten() }},
		{"a challenge and code", phases.Proposed, "src/other.txt", func(c *changes.Change) changes.Record { return challenged(c, phases.Approved) }},
		{"code and other code", phases.Challenged, "src/other.txt", func(*changes.Change) changes.Record { return implemented() }},
		{"a review and a note in the folder", phases.Implementing, "agentd/changes/add-oauth/notes.md", func(c *changes.Change) changes.Record { return reviewed(c, phases.Approved) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var theirs gitops.ID
			c := w.arm(tt.phase, func() { theirs = w.commits("agentd/add-oauth", person(tt.path, "theirs")) })
			next := w.append(c, tt.record(c))
			if parent := w.Rev("agentd/add-oauth^"); theirs == "" || parent != theirs || w.Rev("agentd/add-oauth") != next.Tip {
				t.Errorf("it stands on %q, want the person's %q", parent, theirs)
			}
			if got := w.Git("show", string(next.Tip)+":"+tt.path); got != "theirs" {
				t.Errorf("the person's file holds %q", got)
			}
			if slices.Contains(w.touched(next.Tip), tt.path) {
				t.Error("our commit touches the person's file")
			}
			w.agrees(next.Tip, "add-oauth")
		})
	}
}

// A verdict is about what was read. When a person changes exactly that meanwhile, it is worth nothing.
func TestChange_Append_refusesAVerdictOnWhatMovedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		phase  phases.Phase
		path   string
		record func(*changes.Change) changes.Record
	}{
		{"the plan under a challenge", phases.Proposed, "agentd/changes/add-oauth/proposal.md", func(c *changes.Change) changes.Record { return challenged(c, phases.Approved) }},
		{"the plan under a person's approval", phases.Proposed, "agentd/changes/add-oauth/specs/late.md", func(c *changes.Change) changes.Record {
			rec := decided(phases.StepApprove)
			rec.JudgedPlan = c.State.PlanTree
			return rec
		}},
		{"the code under a review", phases.Implementing, "src/greeting.txt", func(c *changes.Change) changes.Record { return reviewed(c, phases.Approved) }},
		{"the code under a review that asks for changes", phases.Implementing, "src/late.txt", func(c *changes.Change) changes.Record { return reviewed(c, phases.NeedsChanges) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var theirs gitops.ID
			c := w.arm(tt.phase, func() { theirs = w.commits("agentd/add-oauth", person(tt.path, "theirs\n")) })
			watch := gitopstest.Watch(t, w.Repo)
			_, _, err := c.Append(t.Context(), tt.record(c))
			wantError[*changes.SubjectMovedError](t, err, "no longer what stands on its branch", "gh agentd status add-oauth")
			watch.Check(gitopstest.Moved(oauthRef))
			if tip := w.Rev("agentd/add-oauth"); tip != theirs {
				t.Errorf("the branch is at %s, the person left it at %s", tip, theirs)
			}
		})
	}
}

// The same without a race: the branch moved long before the verdict arrived.
func TestChange_Append_refusesAVerdictOnAnOlderTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	read := w.at(store, "add-oauth", phases.Proposed)
	theirs := w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/proposal.md", "# Other\n"))
	now := w.open(store, "add-oauth")
	_, _, err := now.Append(t.Context(), challenged(read, phases.Approved))
	wantError[*changes.SubjectMovedError](t, err, read.State.PlanTree[:12], "gh agentd status add-oauth")
	if tip := w.Rev("agentd/add-oauth"); tip != theirs {
		t.Errorf("the branch is at %s", tip)
	}
}

// A person's commit that changes where the change stands ends the step: it was meant for another phase.
func TestChange_Append_stopsWherePhaseMovedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var theirs gitops.ID
	c := w.arm(phases.Challenged, func() {
		theirs = w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/tasks.md", "# Other tasks\n"))
	})
	_, _, err := c.Append(t.Context(), implemented())
	wantError[*gitops.MovedError](t, err, "record step \"implement\"", "run the same command again")
	if tip := w.Rev("agentd/add-oauth"); tip != theirs {
		t.Errorf("the branch is at %s, the person left it at %s", tip, theirs)
	}
}

func TestChange_Append_givesUpOnABranchThatKeepsMoving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.begin(store, "add-oauth")
	n := 0
	store.AtCommit = func(point string) {
		if point == "before-ref" {
			n++
			w.commits("agentd/add-oauth", person("src/other.txt", fmt.Sprint(n)))
		}
	}
	_, _, err := c.Append(t.Context(), tasksWritten())
	if err == nil || !strings.Contains(err.Error(), "branch agentd/add-oauth keeps moving") {
		t.Fatalf("%v", err)
	}
	if got := w.Git("show", "agentd/add-oauth:src/other.txt"); n < 2 || got != fmt.Sprint(n) {
		t.Errorf("after %d attempts the person's file holds %q", n, got)
	}
}

func TestChange_Append_unlockedStoreRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.begin(w.lock("add-oauth"), "add-oauth")
	c := w.open(w.store, "add-oauth")
	watch := gitopstest.Watch(t, w.Repo)
	if _, _, err := c.Append(t.Context(), tasksWritten()); err == nil || !strings.Contains(err.Error(), "not locked") {
		t.Errorf("%v", err)
	}
	if _, err := w.store.Move(t.Context(), c.ID, c.Tip, w.Rev("main"), "test"); err == nil || !strings.Contains(err.Error(), "not locked") {
		t.Errorf("%v", err)
	}
	if _, err := w.store.Land(t.Context(), c, "main", w.Rev("main"), c.Tip); err == nil || !strings.Contains(err.Error(), "not locked") {
		t.Errorf("%v", err)
	}
	watch.Check()
}

func TestStore_Lock_isHeldByOneWriter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lock("add-oauth")
	_, _, err := w.store.Lock(t.Context(), id(t, "add-oauth"), "second")
	wantError[*gitops.LockedError](t, err, `"add-oauth" is locked by test`, "wait for the other run")
	w.lock("add-search") // another change is another lock
}
