//go:build linux

package clis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/templates"
)

// The steps of the demo's story, as its commits tell it.
var (
	planned = []string{
		"clarify", "proposal-gen", "proposal-review",
		"spec-gen-token-bucket", "spec-review-token-bucket",
		"spec-gen-owner-limiter", "spec-review-owner-limiter", "spec-review-owner-limiter",
		"spec-gen-limited-shortening", "spec-review-limited-shortening",
		"tasks-gen", "tasks-review",
		"challenge NEEDS_REVISION", "reproposal", "challenge APPROVED",
	}
	implemented = []string{
		"implement", "implement", "implement", "implement", "implement", "implement",
		"review NEEDS_CHANGES", "resolve", "review APPROVED",
	}
)

// A whole change: gemini proposes and codex challenges, with a round of revision;
// then claude implements and codex reviews, with a round of repair.
func TestStory_eachInItsRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Play(demo(t)), roles{})
	w.agentd(0, "clarify", change, templates.DemoDescription, "--json-file", w.answers())

	w.agentd(0, "plan", change, templates.DemoDescription)
	if diff := cmp.Diff(planned, w.steps()); diff != "" {
		t.Errorf("steps of the plan (-want +got):\n%s", diff)
	}
	if got := w.phase(); got != "challenged" {
		t.Errorf("phase after plan: %s", got)
	}
	w.accounts()
	w.report()
	w.staysInBudget()

	w.agentd(0, "impl", change)
	if diff := cmp.Diff(slices.Concat(planned, implemented), w.steps()); diff != "" {
		t.Errorf("steps of all (-want +got):\n%s", diff)
	}
	if got := w.phase(); got != "complete" {
		t.Errorf("phase after impl: %s", got)
	}
	w.accounts()
	w.agentd(0, "doctor", change)
	w.secretsStaySecret()
}

// A small change in which one CLI plays all four roles, in the home and the project of a person who has files of their own there.
func TestStory_oneCLIAlone(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, modeltest.Play(greeting(t, "plan", "challenge-approves", "implement", "review-approves")), everyone(vendor))
			before := w.personal()
			w.agentd(0, "plan", change, "Greet", "--skip-clarify")
			w.agentd(0, "impl", change)
			want := []string{
				"proposal-gen", "proposal-review", "spec-gen-greeting", "spec-review-greeting", "tasks-gen", "tasks-review",
				"challenge APPROVED", "implement", "review APPROVED",
			}
			if diff := cmp.Diff(want, w.steps()); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if got := w.git("show", "agentd/"+change+":greeting.txt"); got != "hello" {
				t.Errorf("the code is %q", got)
			}
			w.accounts()
			w.secretsStaySecret()
			w.leftAlone(before)
		})
	}
}
