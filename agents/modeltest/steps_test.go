package modeltest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/templates"
)

// Every prompt of ours is recognised by its first sentence.
// This fails when a prompt is reworded: then its row in openings has to be, too.
func TestParseStep_recognisesEveryPrompt(t *testing.T) {
	tools := templates.Tools{Server: "agentd", Names: []string{"read_file"}}
	const id = "add-greeting"
	for _, row := range []struct {
		prompt interface{ Render() string }
		want   modeltest.Step
	}{
		{templates.ClarifyPrompt{Change: id, Description: "Greet", Max: 5, Tools: tools}, modeltest.Step{Name: "clarify"}},
		{templates.ProposalPrompt{Change: id, Description: "Greet", Tools: tools}, modeltest.Step{Name: "proposal-gen"}},
		{templates.SpecPrompt{Change: id, Spec: "greeting", Tools: tools}, modeltest.Step{Name: "spec-gen-greeting"}},
		{templates.TasksPrompt{Change: id, Specs: []string{"greeting"}, Tools: tools}, modeltest.Step{Name: "tasks-gen"}},
		{templates.SelfReviewPrompt{Change: id, Path: "proposal.md", Round: 1, Max: 3, Tools: tools}, modeltest.Step{Name: "proposal-review", Round: 1}},
		{templates.SelfReviewPrompt{Change: id, Path: "specs/greeting.md", Round: 2, Max: 3, Tools: tools}, modeltest.Step{Name: "spec-review-greeting", Round: 2}},
		{templates.SelfReviewPrompt{Change: id, Path: "tasks.md", Round: 3, Max: 3, Tools: tools}, modeltest.Step{Name: "tasks-review", Round: 3}},
		{templates.RepairPrompt{Change: id, Problems: []string{"tasks.md: no tasks"}, Tools: tools}, modeltest.Step{Name: "validate"}},
		{templates.ChallengePrompt{Change: id, Round: 2, Tools: tools}, modeltest.Step{Name: "challenge", Round: 2}},
		{templates.ReproposalPrompt{Change: id, Round: 2, Tools: tools}, modeltest.Step{Name: "reproposal", Round: 2}},
		{templates.ImplementPrompt{Change: id, Tasks: []templates.TaskBrief{{ID: "2.1", Title: "Greet"}, {ID: "2.2", Title: "Test"}}, Tools: tools}, modeltest.Step{Name: "implement", Task: "2.1"}},
		{templates.ReviewPrompt{Change: id, Round: 1, Base: "a", Head: "b", Tools: tools}, modeltest.Step{Name: "review", Round: 1}},
		{templates.ResolvePrompt{Change: id, Round: 2, Tools: tools}, modeltest.Step{Name: "resolve", Round: 2}},
	} {
		row.want.Change = id
		t.Run(row.want.Name, func(t *testing.T) {
			got, ok := modeltest.ParseStep(row.prompt.Render())
			if diff := cmp.Diff(row.want, got); !ok || diff != "" {
				t.Errorf("recognised: %v (-want +got):\n%s", ok, diff)
			}
		})
	}
	if step, ok := modeltest.ParseStep("Please continue."); ok {
		t.Errorf("a CLI's own words are taken for step %q", step.Name)
	}
}
