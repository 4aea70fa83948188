package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestAction_judgesWhatTheEventBrings runs the action's own script: a legal history passes, an illegal one fails,
// a branch that is no change's passes, a shallow clone is deepened or refused, and a hostile branch or id does nothing.
func TestAction_judgesWhatTheEventBrings(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal("the action's script needs bash, as every runner has it")
	}
	build, check := actionStep(t, "Build"), actionStep(t, "Check")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	program, repo := filepath.Join(work, "gh-agentd"), filepath.Join(work, "demo")
	mustRun(t, here, "go", "build", "-buildvcs=false", "-o", program, ".")
	mustRun(t, work, program, "demo", "--dir", repo)
	mustRun(t, repo, "git", "reset", "--quiet", "--hard", "main~1") // as if it had not landed yet
	git := func(args ...string) string {
		return mustRun(t, repo, "git", append([]string{"-c", "user.name=Eve", "-c", "user.email=eve@example.com"}, args...)...)
	}
	base, legal := git("rev-parse", "main"), git("rev-parse", "agentd/add-rate-limit")
	git("switch", "--quiet", "--detach", legal)
	git("commit", "--quiet", "--allow-empty", "-m",
		"Forged\n\nAgentd-Change: add-rate-limit\nAgentd-Step: archive\nAgentd-From: proposed\nAgentd-Phase: archived")
	forged := git("rev-parse", "HEAD")
	git("branch", "forged", forged)
	clone := func(name string, args ...string) string {
		dir := filepath.Join(work, name)
		mustRun(t, work, "git", append(append([]string{"clone", "--quiet"}, args...), "file://"+repo, dir)...)
		return dir
	}
	whole := clone("whole", "--branch=main")
	shallow := clone("shallow", "--depth=1", "--no-single-branch")
	alone := clone("alone", "--depth=1", "--no-single-branch")
	mustRun(t, alone, "git", "remote", "remove", "origin")

	for i, row := range []struct {
		name, dir, event, ref, change, sha string
		ok                                 bool
		says                               string
	}{
		{"a legal history", whole, "pull_request", "agentd/add-rate-limit", "", legal, true, "24 transitions"},
		{"the change is named", whole, "merge_group", "", "add-rate-limit", legal, true, "24 transitions"},
		{"an illegal commit", whole, "pull_request", "agentd/add-rate-limit", "", forged, false, "says it comes from proposed"},
		{"the change under another name", whole, "pull_request", "feature", "", forged, false, "says it comes from proposed"},
		{"no branch of a change", whole, "pull_request", "feature", "", base, true, "nothing to check"},
		{"a merge queue with nothing of ours", whole, "merge_group", "", "", base, true, "nothing to check"},
		{"a push of a change", whole, "push", "agentd/add-rate-limit", "", forged, false, "says it comes from proposed"},
		{"a shallow clone is deepened", shallow, "pull_request", "agentd/add-rate-limit", "", legal, true, "24 transitions"},
		{"a shallow clone without a remote", alone, "pull_request", "agentd/add-rate-limit", "", legal, false, "fetch-depth: 0"},
		{"AC-02 a hostile branch name", whole, "pull_request", "agentd/$(touch pwned);x", "", legal, false, "cannot be the branch of a change"},
		{"AC-02 an id that is an option", whole, "pull_request", "agentd/--help", "", legal, false, "cannot be the branch of a change"},
		{"AC-02 a hostile id", whole, "schedule", "", "$(touch pwned)", legal, false, "is no change"},
	} {
		t.Run(row.name, func(t *testing.T) {
			event := filepath.Join(work, fmt.Sprintf("event-%d.json", i))
			payload, err := json.Marshal(map[string]any{
				"repository":   map[string]any{"default_branch": "main"},
				"pull_request": map[string]any{"base": map[string]any{"ref": "main", "sha": base}, "head": map[string]any{"ref": row.ref, "sha": row.sha}},
				"merge_group":  map[string]any{"base_ref": "refs/heads/main", "base_sha": base, "head_sha": row.sha},
				"ref":          "refs/heads/" + row.ref, "before": base, "after": row.sha,
			})
			if err == nil {
				err = os.WriteFile(event, payload, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			binary := program
			if i == 0 {
				binary = "" // builds one
			}
			run := func(script string) ([]byte, error) {
				cmd := exec.Command("bash", "-c", script)
				cmd.Dir = row.dir
				cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+here, "RUNNER_TEMP="+t.TempDir(), "GITHUB_ACTIONS=true",
					"GITHUB_EVENT_NAME="+row.event, "GITHUB_EVENT_PATH="+event, "MODE=check", "BINARY="+binary, "CHANGE="+row.change, "SARIF=")
				return cmd.CombinedOutput()
			}
			out, err := run(build + "\n" + check)
			if (err == nil) != row.ok || !strings.Contains(string(out), row.says) {
				t.Errorf("ended with %v, want ok = %v and %q:\n%s", err, row.ok, row.says, out)
			}
			if _, err := os.Stat(filepath.Join(row.dir, "pwned")); err == nil {
				t.Error("a name from outside was run as a command")
			}
		})
	}
}

// TestAction_putsNothingFromOutsideIntoItsScript_AC01: expressions belong into env, where no shell reads them,
// and whatever the action used of others would be trusted by everybody who pins it.
func TestAction_putsNothingFromOutsideIntoItsScript_AC01(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	if a.Runs.Using != "composite" {
		t.Errorf("the action is %s", a.Runs.Using)
	}
	used := ""
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") || s.Shell != "bash" || s.Uses != "" {
			t.Errorf("no plain bash step: %+v", s)
		}
		for _, value := range s.Env {
			used += value
		}
	}
	for name := range a.Inputs {
		if !strings.Contains(used, "${{ inputs."+name+" }}") {
			t.Errorf("nothing reads the input %s", name)
		}
	}
	for name, out := range a.Outputs {
		if out.Value != "${{ steps.job.outputs."+name+" }}" {
			t.Errorf("the output %s is %s", name, out.Value)
		}
	}
}

// TestAction_givesTheTokenToWhoNeedsIt: the check works with nobody's token.
func TestAction_givesTheTokenToWhoNeedsIt(t *testing.T) {
	t.Parallel()
	for _, s := range readAction(t).Runs.Steps {
		if _, has := s.Env["GITHUB_TOKEN"]; has != (s.ID == "job") {
			t.Errorf("step %q has the token: %v", s.Name, has)
		}
	}
}

func TestAction_refusesUnknownModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "approve", "check\nlist", "$(touch pwned)"} {
		cmd := exec.Command("bash", "-c", actionStep(t, "Build"))
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "MODE="+mode, "BINARY=true")
		out, err := cmd.CombinedOutput()
		const want = "::error title=gh-agentd::mode is none of check, challenge, review, publish, sync, list\n"
		if err == nil || string(out) != want {
			t.Errorf("mode %q ended with %v:\n%s", mode, err, out)
		}
		if _, err := os.Stat(filepath.Join(cmd.Dir, "pwned")); err == nil {
			t.Error("a mode was run as a command")
		}
	}
}

// action is action.yml.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	src, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// actionStep is what the step of that name runs.
func actionStep(t *testing.T, name string) string {
	t.Helper()
	for _, s := range readAction(t).Runs.Steps {
		if s.Name == name {
			return s.Run
		}
	}
	t.Fatalf("action.yml has no step %q", name)
	return ""
}

func mustRun(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return strings.TrimSpace(string(out))
}
