package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript_act plays the workflows that init writes, and action.yml, with a real runner program.
func TestScript_act(t *testing.T) {
	t.Parallel()
	need(t, "act", "bash")
	runScripts(t, filepath.Join("testdata", "script", "act"))
}

// checkoutStandIn is what a runner without a network has for actions/checkout.
// It refuses to keep the token, as our workflows must ask for.
const checkoutStandIn = `
name: checkout
description: Stands in for actions/checkout.
inputs:
  ref: {default: "", description: what is checked out}
  fetch-depth: {default: "1", description: how much of it}
  persist-credentials: {default: "true", description: whether the token stays}
runs:
  using: composite
  steps:
    - shell: bash
      env: {REF: "${{ inputs.ref }}", KEEP: "${{ inputs.persist-credentials }}", DEPTH: "${{ inputs.fetch-depth }}"}
      run: |
        set -euo pipefail
        [ "$KEEP" = false ] && [ "$DEPTH" = 0 ]
        git init --quiet .
        git remote add origin "$ORIGIN"
        git fetch --quiet "$ORIGIN_FOLDER" '+refs/heads/*:refs/remotes/origin/*' '+refs/pull/*:refs/remotes/pull/*'
        git checkout --quiet --detach "$(git rev-parse --quiet --verify "refs/remotes/origin/${REF:-main}" || echo "$REF")"
`

// programStandIn runs the program with a token that has the rights of its job, which act does not know,
// and keeps the environment that the action gave it.
const programStandIn = `#!/usr/bin/env bash
set -euo pipefail
env >"SEEN/$GITHUB_JOB.env"
if [ -n "${GITHUB_TOKEN-}" ]; then
	case $GITHUB_JOB in
	publish | sync) export GITHUB_TOKEN=WRITES ;;
	*) export GITHUB_TOKEN=READS ;;
	esac
fi
exec gh-agentd "$@"
`

// act runs the workflow .github/workflows/FLOW.yml of the script's folder with a runner on this machine: act [-build] FLOW EVENT FILE [FLAGS...].
// In FILE, the event, HEAD, BASE and BRANCH stand for those of the newest pull request, and MARK for a file that nobody may make.
// The jobs run the program under test, or with -build the one that the action builds. Their environments are in $WORK/seen.
func (h *hub) act(ts *testscript.TestScript, neg bool, args []string) {
	build := len(args) > 0 && args[0] == "-build"
	if build {
		args = args[1:]
	}
	if len(args) < 3 {
		ts.Fatalf("usage: act [-build] flow event file [flags...]")
	}
	here, err := os.Getwd()
	ts.Check(err)
	work := ts.Getenv("WORK")
	path := func(name string) string { return filepath.Join(work, ".act", name) }
	write := func(path, text string, mode os.FileMode) {
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o777))
		ts.Check(os.WriteFile(path, []byte(text), mode))
	}

	mark, seen := filepath.Join(work, "pwned"), filepath.Join(work, "seen")
	ts.Check(os.RemoveAll(seen))
	ts.Check(os.MkdirAll(seen, 0o777))
	fill := []string{"MARK", mark}
	if pulls := h.repo.Pulls(); len(pulls) > 0 {
		pull := pulls[len(pulls)-1]
		fill = append(fill, "HEAD", pull.Head, "BASE", h.repo.Head("main"), "BRANCH", pull.Branch)
	}
	write(path("event.json"), strings.NewReplacer(fill...).Replace(ts.ReadFile(args[2])), 0o666)
	write(path("checkout/action.yml"), checkoutStandIn, 0o666)
	writes := h.ActionsToken(map[string]string{"contents": "write", "pull_requests": "write", "statuses": "write"})
	write(path("program"), strings.NewReplacer("SEEN", seen, "WRITES", writes, "READS", h.ActionsToken(nil)).Replace(programStandIn), 0o777)

	// The runner works in a repository of its own: what is in the change's is somebody else's.
	flows, err := filepath.Glob(ts.MkAbs(".github/workflows/*.yml"))
	ts.Check(err)
	for _, flow := range flows {
		text := ts.ReadFile(flow)
		if !build {
			text = strings.ReplaceAll(text, "        with:\n          mode: ", "        with:\n          binary: "+path("program")+"\n          mode: ")
		}
		write(path("repo/.github/workflows/"+filepath.Base(flow)), text, 0o666)
	}
	action := path("action")
	if build {
		action = path("source")
		ts.Check(copySources(action, here))
	}
	source, err := os.ReadFile(filepath.Join(here, "action.yml"))
	ts.Check(err)
	write(filepath.Join(action, "action.yml"), string(source), 0o666)
	if _, err := os.Stat(path("repo/.git")); err != nil {
		ts.Check(ts.Exec("git", "init", "--quiet", path("repo")))
		ts.Check(ts.Exec("git", "-C", path("repo"), "commit", "--quiet", "--allow-empty", "-m", "The runner's"))
	}

	// Nothing of the script's environment reaches the jobs but what is named.
	run := []string{
		"-i", "PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "act",
		args[1], "--directory", path("repo"), "--workflows", path("repo/.github/workflows/" + args[0] + ".yml"), "--eventpath", path("event.json"),
		"--platform", "ubuntu-latest=-self-hosted", "--no-cache-server", "--no-skip-checkout", "--defaultbranch", "main", "--secret", "GITHUB_TOKEN=of-nobody",
		"--local-repository", actionPin + "=" + action,
		"--local-repository", "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd=" + path("checkout"),
		"--env", "ORIGIN=" + h.repo.GitURL(), "--env", "ORIGIN_FOLDER=" + h.repo.Dir, "--env", "GITHUB_REPOSITORY=octo/hello", "--env", "GITHUB_ACTOR=ada", "--env", "NO_COLOR=1",
		"--env", "GITHUB_API_URL=" + h.APIURL(), "--env", "GITHUB_SERVER_URL=" + h.URL(), "--env", "GITHUB_GRAPHQL_URL=" + h.URL() + "/api/graphql",
	}
	for _, name := range []string{"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GORACE"} {
		run = append(run, "--env", name+"="+ts.Getenv(name))
	}
	if build {
		for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
			value, err := exec.Command("go", "env", name).Output()
			ts.Check(err)
			run = append(run, "--env", name+"="+strings.TrimSpace(string(value)))
		}
	}
	err = ts.Exec("env", append(run, args[3:]...)...)
	if _, made := os.Stat(mark); made == nil {
		ts.Fatalf("something from outside was run as a command")
	}
	switch {
	case neg && err == nil:
		ts.Fatalf("the run passed")
	case !neg && err != nil:
		ts.Fatalf("act: %v", err)
	}
}

// copySources copies what a build takes: no tests, nothing that only they read, and no history.
func copySources(to, from string) error {
	return fs.WalkDir(os.DirFS(from), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.IsDir() || !entry.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		return errors.Join(os.MkdirAll(filepath.Dir(target), 0o777), os.WriteFile(target, data, 0o666))
	})
}

// cmdAct is act, once there is a GitHub.
func cmdAct(ts *testscript.TestScript, neg bool, args []string) {
	h, ok := ts.Value(theHub{}).(*hub)
	if !ok || h.Server == nil {
		ts.Fatalf("github new comes first")
	}
	h.act(ts, neg, args)
}
