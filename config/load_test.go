package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

func load(t *testing.T, src string) Config {
	t.Helper()
	c, warnings, err := Load(FileName, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return c
}

func TestLoad_everyTable(t *testing.T) {
	got := load(t, "\ufeffproject_name = \"shop\"\r\n"+`
[workflow]
planning_iterations = 0
implementation_iterations = 5
format_iterations = 1
self_review_iterations = 0
sequential_implementation = false
human_in_loop = false
script_retries = 0
retry_delay_secs = 30
session_reuse = true
profile = "crew"
worktree = "branch"
worktree_dir = "/srv/{project}"

[roles]
proposer = "claude"
worker = "own"
super-reviewer = "replay"

[agents.own]
command = ["own", "{prompt}"]
prompt = "arg"
output = "jsonl-last"
model = "--model={model}"
session = "--resume={session}"
env = { A = "1" }
timeout = "20m"
usage = "output"
default = "big"
[[agents.own.models]]
id = "big"
model = "own-1"

[review]
commands = []
scan = "off"
timeout = "90s"

[validation]
required_headings = []
requirement_pattern = '^### REQ-\d+'
scenario_pattern = "^### Example:"
scenario_min_count = 2
require_when_then = false
when_pattern = "Wenn"
then_pattern = "Dann"
[validation.severity_map]
missing_heading = "Low"
own_rule = "MEDIUM"

[limits]
idle = "1m"
idle_tool = "2m"
[limits.wall]
reviewer = "1h30m"
coder = "2h"

[budget]
per_change = 5
per_run = { usd = 2.5, tokens = 1_000 }
per_day = { tokens = 7 }
unknown = "estimate"
usd_per_minute = 0.0

[github]
publish = "never"

[policy]
verdict_signers = ["SHA256:a"]
decision_signers = ["SHA256:b"]
profiles = ["spec", "pair"]
require_distinct_reviewer = true

[prices."gpt-7"]
input = 1
output = 2.5
`)
	want := Default()
	want.ProjectName = "shop"
	want.Workflow = Workflow{
		ImplementationIterations: 5, FormatIterations: 1, RetryDelay: 30 * time.Second, SessionReuse: true,
		Profile: phases.ProfileCrew, Worktree: WorkplaceBranch, WorktreeDir: "/srv/{project}",
	}
	want.Roles[Proposer], want.Roles[Worker], want.Roles[SuperReviewer] = "claude", "own", "replay"
	want.Agents["own"] = Agent{
		Command: []string{"own", "{prompt}"}, Prompt: PromptArg, Output: OutputJSONLLast, Model: "--model={model}",
		Session: "--resume={session}", Env: map[string]string{"A": "1"}, Timeout: 20 * time.Minute, Usage: UsageOutput,
		Default: "big", Models: []Model{{ID: "big", Name: "own-1"}},
	}
	want.Review = Review{Commands: []string{}, Scan: ScanOff, Timeout: 90 * time.Second}
	want.Validation = Validation{
		RequiredHeadings: []string{}, RequirementPattern: `^### REQ-\d+`, ScenarioPattern: "^### Example:", ScenarioMinCount: 2,
		WhenPattern: "Wenn", ThenPattern: "Dann", SeverityMap: want.Validation.SeverityMap,
	}
	want.Validation.SeverityMap["missing_heading"] = specs.Low
	want.Validation.SeverityMap["own_rule"] = specs.Medium
	want.Limits.Idle, want.Limits.IdleTool = time.Minute, 2*time.Minute
	want.Limits.Wall[Reviewer], want.Limits.Wall[Coder] = 90*time.Minute, 2*time.Hour
	want.Budget = Budget{PerChange: Cap{USD: 5}, PerRun: Cap{USD: 2.5, Tokens: 1000}, PerDay: Cap{Tokens: 7}, Unknown: UnknownEstimate}
	want.GitHub.Publish = PublishNever
	want.Policy = Policy{VerdictSigners: []string{"SHA256:a"}, DecisionSigners: []string{"SHA256:b"},
		Profiles: []phases.Profile{phases.ProfileSpec, phases.ProfilePair}, RequireDistinctReviewer: true}
	want.Prices["gpt-7"] = Price{Input: 1, Cached: 1, CacheWrite: 1, Output: 2.5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// No list and an empty list are two things: find the checks, and there are none.
func TestLoad_reviewCommands(t *testing.T) {
	for src, want := range map[string][]string{
		"":                                   nil,
		"[review]\nscan = \"auto\"":          nil,
		"[review]\ncommands = []":            {},
		"[review]\ncommands = [\"go test\"]": {"go test"},
	} {
		got := load(t, src).Review.Commands
		if (got == nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%q: got %#v, want %#v", src, got, want)
		}
	}
}

func TestLoad_warnings(t *testing.T) {
	src := `gemini_command = "gemini"
scripts_dir = "x"
branch_prefix = "spec/"
colour = "blue"

[workflow]
speed = 3

[[gemini.models]]
id = "flash"
model = "gemini-3-flash-preview"
cost_per_1m_input = 0.10
cost_per_1m_output = 0.40
vendor = "g"
[[gemini.models]]
id = "pro"
model = "gemini-3-pro-preview"
vendor = "g"

[telemetry]
on = true
where = "x"

[roles]
cook = "claude"
`
	c, warnings, err := Load("c", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.String())
	}
	want := []string{
		"c:1: gemini_command: old key without effect; use gemini.command",
		"c:2: scripts_dir: old key without effect; there are no scripts any more",
		`c:3: branch_prefix: key without effect; branches always begin with "agentd/"`,
		"c:4: colour: unknown key, ignored",
		"c:7: workflow.speed: unknown key, ignored",
		"c:12: gemini.models.cost_per_1m_input: gemini-3-flash-preview costs 0.1 in and 0.4 out here, the list price of " + PricesAsOf + ` is 0.5 and 3; [prices."gemini-3-flash-preview"] says it on purpose`,
		"c:14: gemini.models.vendor: unknown key, ignored",
		"c:20: telemetry: unknown key, ignored",
		"c:25: roles.cook: unknown key, ignored",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantExtra := []string{"colour", "gemini.models[0].vendor", "gemini.models[1].vendor", "roles.cook", "telemetry", "workflow.speed"}
	if diff := cmp.Diff(wantExtra, slices.Sorted(maps.Keys(c.Extra))); diff != "" {
		t.Error(diff)
	}
}

// A file as the older tool wrote it: every key is understood, none is refused.
func TestLoad_olderFile(t *testing.T) {
	c, warnings, err := Load("c", []byte(`project_name = "agentd"
gemini_command = "gemini"
claude_command = "claude"
codex_command = "codex"
scripts_dir = "agentd/scripts"

[workflow]
planning_iterations = 1
script_retries = 2
retry_delay_secs = 5

[codex]
command = "codex"
default = "balanced"

[[codex.models]]
id = "balanced"
model = "gpt-5.2-codex"
complexity = "medium"
reasoning = "Extra High"
cost_per_1m_input = 1.75
cost_per_1m_output = 14.0

[validation]
required_headings = ["Overview", "Acceptance Criteria"]
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 4 {
		t.Errorf("warnings: %v", warnings)
	}
	if model, effort := c.ModelFor("codex", "critical"); model != "gpt-5.2-codex" || effort != "xhigh" {
		t.Errorf("model %s, effort %s", model, effort)
	}
	if c.Workflow.PlanningIterations != 1 || c.Workflow.ImplementationIterations != 2 || c.Workflow.ScriptRetries != 2 {
		t.Errorf("workflow: %+v", c.Workflow)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(DefaultTOML))
	f.Add([]byte("[[a]]\n[[a.b]]\nc = [1, [2]]\n[a.b.d]\n\"e.f\" = '''x\n'''\n"))
	f.Add([]byte("agents.x.models = [{id = 1}, 2]\nprices = {m = 3}\nbudget = {per_run = {usd = {}}}"))
	f.Add([]byte("[roles]\nproposer = \"\"\"a\"\"\"\n[agents]\n1 = 2"))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, warnings, err := Load("c", src)
		if err != nil {
			return
		}
		for _, w := range warnings {
			if w.Line <= 0 || w.Line > strings.Count(string(src), "\n")+1 {
				t.Errorf("no line in %v", w)
			}
		}
		for _, role := range Roles() {
			agent := c.RoleAgent(role)
			if agent == "" {
				t.Errorf("nobody plays %s", role)
			}
			c.ModelFor(agent, "high")
			if c.Limits.WallOf(role) <= 0 {
				t.Errorf("%s has no limit", role)
			}
		}
	})
}
