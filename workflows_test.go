package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/templates"
)

// flow is a workflow, as far as its laws go.
type flow struct {
	On          yaml.Node
	Permissions *map[string]string
	Jobs        map[string]job
}

type job struct {
	Name        string
	Uses        string
	If          string
	RunsOn      string             `yaml:"runs-on"`
	Timeout     int                `yaml:"timeout-minutes"`
	Permissions *map[string]string // nil where the job does not say
	Concurrency struct {
		Group  string
		Cancel string `yaml:"cancel-in-progress"`
	}
	Steps []step
}

type step struct {
	ID, Name, If, Run, Uses, Shell string
	With                           map[string]string
	Env                            map[string]string
}

// The action and its commit, as the tests render the workflows that init writes.
const actionPin = "agentd/gh-agentd@0123456789abcdef0123456789abcdef01234567"

// rendered are the workflows that init writes, where one agent challenges and another reviews.
func rendered() map[string]string {
	flow := templates.Workflow{
		Pin:        actionPin,
		Challenger: templates.Judge{Name: "codex", Package: "@openai/codex@0.169.0", Secret: "CODEX_API_KEY"},
		Reviewer:   templates.Judge{Name: "claude", Package: "@anthropic-ai/claude-code@2.1.329", Secret: "ANTHROPIC_API_KEY"},
	}
	return map[string]string{
		"agentd.yml":              flow.Render(),
		"agentd-reviews.yml":      templates.ReviewsWorkflow{Pin: flow.Pin}.Render(),
		"agentd-open-changes.yml": templates.OpenChangesWorkflow{Pin: flow.Pin, Secrets: flow.Secrets()}.Render(),
	}
}

// flows are our own workflows and those that init writes.
func flows(t *testing.T) map[string]flow {
	t.Helper()
	texts := rendered()
	files, err := filepath.Glob(filepath.Join(".github", "workflows", "*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(data)
	}
	parsed := map[string]flow{}
	for name, text := range texts {
		var f flow
		if err := yaml.Unmarshal([]byte(text), &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		parsed[name] = f
	}
	return parsed
}

// TestWorkflows_trustNothingThatMoves: whoever can move a tag of another repository must not be able to change what runs here,
// no job has more rights than it says, none runs for hours, no step finds the token in a checkout,
// no privileged checkout is of somebody's head, and nothing from outside becomes part of a script.
func TestWorkflows_trustNothingThatMoves_AC01_AC12(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^(\./|[\w.-]+/[\w./-]+@[0-9a-f]{40}$)`)
	for file, flow := range flows(t) {
		if flow.Permissions == nil || len(*flow.Permissions) > 0 {
			t.Errorf("%s gives rights to all of its jobs, or does not say that it gives none", file)
		}
		for name, job := range flow.Jobs {
			if job.Permissions == nil {
				t.Errorf("%s: job %s does not say what rights it has", file, name)
			}
			if job.Uses != "" && !pinned.MatchString(job.Uses) {
				t.Errorf("%s: job %s uses %s, which can move", file, name, job.Uses)
			}
			if job.Uses == "" && job.Timeout == 0 {
				t.Errorf("%s: job %s may run for six hours", file, name)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: job %s uses %s, which can move", file, name, step.Uses)
				}
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: job %s has an expression in its script:\n%s", file, name, step.Run)
				}
				if !strings.HasPrefix(step.Uses, "actions/checkout@") {
					continue
				}
				if step.With["persist-credentials"] != "false" {
					t.Errorf("%s: job %s leaves its token in the checkout", file, name)
				}
				if strings.Contains(step.With["ref"], "head") || step.With["repository"] != "" {
					t.Errorf("%s: job %s checks out what somebody proposes: %v", file, name, step.With)
				}
			}
		}
	}
}

// TestWorkflows_threeJobsHaveThreeSetsOfRights: what init writes separates who reads with a key from who writes without one.
func TestWorkflows_threeJobsHaveThreeSetsOfRights_AC12(t *testing.T) {
	t.Parallel()
	all := flows(t)
	reads := map[string]string{"contents": "read", "pull-requests": "read"}
	writes := map[string]string{"contents": "write", "pull-requests": "write", "statuses": "write"}
	got := map[string]map[string]string{}
	for _, file := range []string{"agentd.yml", "agentd-reviews.yml", "agentd-open-changes.yml"} {
		for name, job := range all[file].Jobs {
			got[name] = *job.Permissions
		}
	}
	want := map[string]map[string]string{"phase": reads, "analyse": reads, "publish": writes, "sync": writes, "list": reads, "change": writes}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
	jobs := maps.Clone(all["agentd.yml"].Jobs)
	maps.Copy(jobs, all["agentd-reviews.yml"].Jobs)
	for name, job := range jobs {
		for _, step := range job.Steps {
			keys := map[string]string{}
			if step.ID == "agent" {
				keys = map[string]string{"ANTHROPIC_API_KEY": "${{ secrets.ANTHROPIC_API_KEY }}", "CODEX_API_KEY": "${{ secrets.CODEX_API_KEY }}"}
			}
			if !maps.Equal(keys, step.Env) {
				t.Errorf("job %s, step %q: gets the keys %v, want %v", name, step.ID, step.Env, keys)
			}
			for input, value := range step.With {
				if strings.Contains(value, "secrets.") {
					t.Errorf("job %s gives a secret as %s", name, input)
				}
			}
		}
	}
}

// TestWorkflows_nothingPassesBetweenJobsButOneOutput: no cache and no artifact, which another run could have filled.
func TestWorkflows_nothingPassesBetweenJobsButOneOutput_AC09(t *testing.T) {
	t.Parallel()
	all := flows(t)
	for _, file := range []string{"agentd.yml", "agentd-reviews.yml", "agentd-open-changes.yml"} {
		for name, job := range all[file].Jobs {
			for _, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				if action != "" && action != "actions/checkout" && step.Uses != actionPin {
					t.Errorf("%s: job %s uses %s", file, name, step.Uses)
				}
			}
		}
	}
}

// TestWorkflows_aNewerPushEndsTheOlderAnalysisOnly: money is saved, and what was begun to be written is finished.
func TestWorkflows_aNewerPushEndsTheOlderAnalysisOnly_AC15(t *testing.T) {
	t.Parallel()
	const number = "${{ github.event.pull_request.number || github.event.issue.number || inputs.pull-request }}"
	want := map[string][2]string{
		"phase":   {"agentd-phase-${{ github.event.pull_request.number || github.ref }}", "false"},
		"analyse": {"agentd-analyse-" + number, "${{ github.event_name == 'pull_request' }}"},
		"publish": {"agentd-publish-" + number, "false"},
	}
	got := map[string][2]string{}
	for name, job := range flows(t)["agentd.yml"].Jobs {
		got[name] = [2]string{job.Concurrency.Group, job.Concurrency.Cancel}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("concurrency (-want +got):\n%s", diff)
	}
}

// TestWorkflows_theRequiredCheckIsSkippedByNobodysReview: a skipped job counts as passed, and who may read a public
// repository may review a pull request in it. So no workflow that a review starts has a job of the check's name, and what
// waits there never takes the place of a verdict that waits to be published. By hand a workflow is run on any branch,
// so the check has its name only where it runs.
func TestWorkflows_theRequiredCheckIsSkippedByNobodysReview_AC08(t *testing.T) {
	t.Parallel()
	texts, all := rendered(), flows(t)
	const asked = "github.event_name == 'pull_request' || github.event_name == 'merge_group'"
	phase := all["agentd.yml"].Jobs["phase"]
	if want := "${{ (" + asked + ") && 'agentd / phase' || 'phase (not asked for)' }}"; phase.If != asked || phase.Name != want {
		t.Errorf("the check runs if %s, and is called %s, want %s", phase.If, phase.Name, want)
	}
	reviewed := 0
	for file, text := range texts {
		if !strings.Contains(text, "\n  pull_request_review:\n") {
			continue
		}
		reviewed++
		for name, job := range all[file].Jobs {
			if strings.Contains(job.Name, "agentd / phase") || strings.HasPrefix(job.Concurrency.Group, "agentd-publish-") {
				t.Errorf("%s: job %s is called %q, in the group %s", file, name, job.Name, job.Concurrency.Group)
			}
		}
	}
	if reviewed != 1 {
		t.Errorf("%d workflows are started by reviews, want 1", reviewed)
	}
}

// TestWorkflows_runOnHostedRunners: a self-hosted runner remembers what a stranger's pull request did to it.
func TestWorkflows_runOnHostedRunners_AC17(t *testing.T) {
	t.Parallel()
	for file, flow := range flows(t) {
		for name, job := range flow.Jobs {
			if job.Uses == "" && job.RunsOn != "ubuntu-latest" {
				t.Errorf("%s: job %s runs on %q", file, name, job.RunsOn)
			}
		}
	}
}

// TestWorkflows_docsSayWhatToRelyOn: the page that people set their repository up by says which check to require,
// that a verdict is advice, and where the workflows must not run.
func TestWorkflows_docsSayWhatToRelyOn_AC17_AC19(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("docs", "actions.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(data)), " ")
	for _, sentence := range []string{
		"Require the check `agentd / phase`, and no other of these.",
		"A verdict is advice.",
		"Do not merge by it",
		"Self-hosted runners are not supported for public repositories.",
	} {
		if !strings.Contains(page, sentence) {
			t.Errorf("docs/actions.md does not say: %s", sentence)
		}
	}
}
