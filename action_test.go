package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestAction_replaysThePushedHistory runs the action's own script: a legal history passes, an illegal one fails,
// a branch that is no change's passes, a shallow clone and a hostile id are refused.
func TestAction_replaysThePushedHistory(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal("the action's script needs bash, as every runner has it")
	}
	script := actionScript(t)
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
	legal := git("rev-parse", "agentd/add-rate-limit")
	git("switch", "--quiet", "--detach", legal)
	git("commit", "--quiet", "--allow-empty", "-m",
		"Forged\n\nAgentd-Change: add-rate-limit\nAgentd-Step: archive\nAgentd-From: proposed\nAgentd-Phase: archived")
	forged := git("rev-parse", "HEAD")
	shallow := filepath.Join(work, "shallow")
	mustRun(t, work, "git", "clone", "--quiet", "--depth=1", "file://"+repo, shallow)

	for _, row := range []struct {
		name, dir, ref, change, sha string
		ok                          bool
		says                        string
	}{
		{"a legal history", repo, "agentd/add-rate-limit", "", legal, true, "24 transitions replayed"},
		{"the change is named", repo, "merge-queue/x", "add-rate-limit", legal, true, "24 transitions replayed"},
		{"an illegal commit", repo, "agentd/add-rate-limit", "", forged, false, "says it comes from proposed"},
		{"no branch of a change", repo, "feature", "", legal, true, "nothing to replay"},
		{"a shallow clone", shallow, "agentd/add-rate-limit", "", legal, false, "fetch-depth: 0"},
		{"AC-02 a hostile branch name", repo, "agentd/$(touch pwned);x", "", legal, false, ""},
		{"AC-02 an id that is an option", repo, "agentd/--help", "", legal, false, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd := exec.Command("bash", "-c", script)
			cmd.Dir = row.dir
			cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+here, "RUNNER_TEMP="+work,
				"CHANGE="+row.change, "HEAD_REF="+row.ref, "HEAD_SHA="+row.sha)
			out, err := cmd.CombinedOutput()
			if (err == nil) != row.ok || !strings.Contains(string(out), row.says) {
				t.Errorf("ended with %v, want ok = %v and %q:\n%s", err, row.ok, row.says, out)
			}
			if _, err := os.Stat(filepath.Join(row.dir, "pwned")); err == nil {
				t.Error("a branch name was run as a command")
			}
		})
	}
}

// TestAction_putsNothingFromOutsideIntoItsScript_AC01: expressions belong into env, where no shell reads them.
func TestAction_putsNothingFromOutsideIntoItsScript_AC01(t *testing.T) {
	if script := actionScript(t); strings.Contains(script, "${{") {
		t.Errorf("the script holds an expression:\n%s", script)
	}
}

// actionScript is what the one step of action.yml runs.
func actionScript(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct {
			Using string `yaml:"using"`
			Steps []struct {
				Shell string `yaml:"shell"`
				Run   string `yaml:"run"`
				Uses  string `yaml:"uses"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	if err := yaml.Unmarshal(src, &action); err != nil {
		t.Fatal(err)
	}
	steps := action.Runs.Steps
	if action.Runs.Using != "composite" || len(steps) != 1 || steps[0].Shell != "bash" || steps[0].Uses != "" {
		t.Fatalf("action.yml is not one bash step of a composite action: %+v", action.Runs)
	}
	return steps[0].Run
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
