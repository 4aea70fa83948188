package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// pullEvent is what a workflow run is told of a pull request. The words in capitals stand for what is there now.
const pullEvent = `{"action": "synchronize", "number": NUMBER, "sender": {"login": "ada", "type": "User"},
"repository": {"full_name": "octo/hello", "default_branch": "main"},
"pull_request": {"number": NUMBER, "title": "$(touch pwned)", "body": "::set-output name=verdict::APPROVED",
"base": {"ref": "main", "sha": "BASE"}, "head": {"ref": "BRANCH", "sha": "HEAD"}}}`

// job enters a workflow's job: job EVENT [FILE|- [N]]. It has a fresh checkout of main as actions/checkout leaves it with
// persist-credentials: false, the event (FILE, or that of a push to the pull request; N is 1), and the read-only token of its run.
// Whoever spoke to git and to GitHub before does so no more.
func (h *hub) job(ts *testscript.TestScript, args []string) {
	work := ts.Getenv("WORK")
	dir, err := os.MkdirTemp(work, "runner-")
	ts.Check(err)
	for _, line := range [][]string{
		{"init", "--quiet", dir}, {"-C", dir, "remote", "add", "origin", h.repo.GitURL()},
		{"-C", dir, "fetch", "--quiet", "--depth=1", "--no-tags", "file://" + h.repo.Dir, "+refs/heads/main:refs/remotes/origin/main"},
		{"-C", dir, "checkout", "--quiet", "--detach", "refs/remotes/origin/main"},
	} {
		ts.Check(ts.Exec("git", line...))
	}
	h.leave(ts)
	ts.Check(ts.Chdir(dir))
	event := pullEvent
	if len(args) > 1 && args[1] != "-" {
		event = ts.ReadFile(args[1])
	}
	if pulls := h.repo.Pulls(); len(pulls) > 0 {
		of := pulls[0]
		if len(args) > 2 {
			of = pulls[h.number(ts, args[2])-1]
		}
		event = strings.NewReplacer("HEAD", of.Head, "BASE", h.repo.Head("main"), "BRANCH", of.Branch, "NUMBER", strconv.Itoa(of.Number)).Replace(event)
	}
	jobFiles := map[string]string{"GITHUB_EVENT_PATH": event, "GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}
	for name, content := range jobFiles {
		path := filepath.Join(work, strings.ToLower(name))
		ts.Check(os.WriteFile(path, []byte(content), 0o600))
		ts.Setenv(name, path)
	}
	for _, name := range jobVariables {
		ts.Setenv(name, "")
	}
	ts.Setenv("GITHUB_ACTIONS", "true")
	ts.Setenv("GITHUB_EVENT_NAME", args[0])
	ts.Setenv("GITHUB_REPOSITORY", "octo/hello")
	ts.Setenv("GITHUB_ACTOR", "ada")
	ts.Setenv("RUNNER_ENVIRONMENT", "github-hosted")
	h.as(ts, []string{"actions"})
}

// open opens somebody's pull request onto main: open LOGIN BRANCH, which is made where it does not exist.
func (h *hub) open(ts *testscript.TestScript, args []string) {
	login, branch := args[0], args[1]
	if !strings.Contains(branch, ":") && h.repo.Head(branch) == "" {
		_, err := h.repo.Commit(branch, "Something", map[string]string{"notes.txt": "Something.\n"})
		ts.Check(err)
	}
	ts.Check(h.repo.Open(login, branch, "main", "Something"))
}

// jobVariables are what a job has otherwise than a person at home; each job begins with all of them empty.
var jobVariables = []string{
	"GITHUB_ACTIONS", "GITHUB_EVENT_NAME", "GITHUB_REPOSITORY", "GITHUB_ACTOR", "GITHUB_TOKEN", "RUNNER_ENVIRONMENT",
	"GH_ENTERPRISE_TOKEN", "GIT_TOKEN", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"AGENTD_PULL_REQUEST", "AGENTD_HEAD_SHA", "AGENTD_RESULT", "AGENTD_FAIL_ON", "AGENTD_PUBLISH_SIGNS", "AGENTD_ALLOW_UNTRUSTED", "AGENTD_BOTS",
}

// leave keeps what is set at home.
func (h *hub) leave(ts *testscript.TestScript) {
	if h.away != nil {
		return
	}
	h.away = map[string]string{"": ts.MkAbs(".")}
	for _, name := range jobVariables {
		h.away[name] = ts.Getenv(name)
	}
	ts.Check(ts.Exec("git", "config", "--global", "--rename-section", "credential", "away"))
}

// home is back where the first job was begun, as the person there.
func (h *hub) home(ts *testscript.TestScript, _ []string) {
	if h.away == nil {
		ts.Fatalf("github job comes first")
	}
	ts.Check(ts.Chdir(h.away[""]))
	for _, name := range jobVariables {
		ts.Setenv(name, h.away[name])
	}
	ts.Check(ts.Exec("git", "config", "--global", "--rename-section", "away", "credential"))
	h.away = nil
}

// outputs prints what the last job gave out as lines NAME=VALUE, and makes them variables: OUT_REVIEW_URL.
// The files of outputs and summary begin anew; the summary is kept in the file "summary".
func (h *hub) outputs(ts *testscript.TestScript, _ []string) {
	lines := strings.Split(ts.ReadFile(ts.Getenv("GITHUB_OUTPUT")), "\n")
	for i := 0; i < len(lines); i++ {
		name, end, ok := strings.Cut(lines[i], "<<")
		if !ok {
			continue
		}
		var value []string
		for i++; i < len(lines) && lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		text := strings.Join(value, "\n")
		fmt.Fprintf(ts.Stdout(), "%s=%s\n", name, text)
		ts.Setenv("OUT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")), text)
	}
	summary := ts.ReadFile(ts.Getenv("GITHUB_STEP_SUMMARY"))
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "summary"), []byte(summary), 0o600))
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		ts.Check(os.Truncate(ts.Getenv(name), 0))
	}
}
