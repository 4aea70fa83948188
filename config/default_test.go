package config

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultTOML_loadsToDefault(t *testing.T) {
	got, warnings, err := Load(FileName, []byte(DefaultTOML))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("default.toml differs from Default() (-default +file):\n%s", diff)
	}
}

func TestLoad_emptyFileIsTheDefault(t *testing.T) {
	got, warnings, err := Load(FileName, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Error(diff)
	}
}

// What is commented out in the file is an example, and an example must work.
func TestDefaultTOML_commentedExamplesLoad(t *testing.T) {
	example := regexp.MustCompile(`(?m)^# (\w[\w]* = |\[)`)
	src := example.ReplaceAllString(DefaultTOML, "$1")
	if n := len(example.FindAllString(DefaultTOML, -1)); n < 20 {
		t.Fatalf("only %d commented examples found", n)
	}
	got, warnings, err := Load(FileName, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	if got.Budget.PerRun != (Cap{USD: 2, Tokens: 3_000_000}) {
		t.Errorf("per_run = %+v", got.Budget.PerRun)
	}
	if got.Workflow.Worktree != WorkplaceWorktree || len(got.Review.Commands) != 2 {
		t.Errorf("workflow = %+v, review = %+v", got.Workflow, got.Review)
	}
	if copilot := got.Agents["copilot"]; len(copilot.Command) != 5 || copilot.Usage != UsageNone || copilot.Env["COPILOT_AUTO_UPDATE"] != "false" {
		t.Errorf("copilot = %+v", copilot)
	}
	if recorded := got.Agents["recorded"]; recorded.Output != OutputReplay || recorded.Usage != UsageOutput {
		t.Errorf("recorded = %+v", recorded)
	}
}

// A key that the reader knows and the file does not mention would never be found by anybody.
func TestDefaultTOML_isComplete(t *testing.T) {
	for _, key := range []string{
		"project_name", "planning_iterations", "implementation_iterations", "format_iterations",
		"self_review_iterations", "sequential_implementation", "human_in_loop", "script_retries",
		"retry_delay_secs", "session_reuse", "profile", "worktree", "worktree_dir",
		"command", "default", "id", "model", "complexity", "reasoning", "prompt", "output", "session", "env",
		"timeout", "usage", "cassette", "commands", "scan", "required_headings", "requirement_pattern",
		"scenario_pattern", "scenario_min_count", "require_when_then", "when_pattern", "then_pattern",
		"idle", "idle_tool", "per_change", "per_run", "per_day", "unknown", "usd_per_minute", "publish",
		"profiles", "require_distinct_reviewer", "verdict_signers", "decision_signers",
		"input", "cached", "cache_write",
	} {
		if !regexp.MustCompile(`(?m)^(# )?` + key + ` = `).MatchString(DefaultTOML) {
			t.Errorf("default.toml does not mention %q", key)
		}
	}
}

func TestStarter_survivesAnyName(t *testing.T) {
	for _, name := range []string{"shop", "", `a "quoted" \ name`, "new\nline\x00\x1b[2J\u202e", "ñandú 店", "a\xffb"} {
		got, warnings, err := Load(FileName, Starter(name))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%q: %v %v", name, err, warnings)
		}
		if want := strings.ToValidUTF8(name, "\uFFFD"); got.ProjectName != want {
			t.Errorf("project_name = %q, want %q", got.ProjectName, want)
		}
	}
}
