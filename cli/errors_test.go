package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/workflow"
)

// Every error that reaches the person, with its exit code and the hint it must come with.
func TestErrors_codeAndHint(t *testing.T) {
	id, err := phases.ParseChangeID("add-oauth")
	if err != nil {
		t.Fatal(err)
	}
	decision := workflow.Decision{Kind: "needs_revision", Question: "the challenge asks for revision", Options: []workflow.DecisionOption{
		{Action: "revise", Command: "gh agentd plan add-oauth"}, {Action: "stop"},
	}}
	tests := []struct {
		name string
		err  error
		code int
		hint string // a part of it
	}{
		{"declined prompt", workflow.ErrDeclined, ExitCancelled, "the same command asks again"},
		{"rejected", &workflow.RejectedError{ID: id}, ExitDecision, "`gh-agentd reopen add-oauth`"},
		{"decision", &workflow.DecisionError{ID: id, Decision: decision}, ExitDecision, "`gh-agentd plan add-oauth`"},
		{"limit", &workflow.LimitError{ID: id, Decision: decision}, ExitLimit, "`gh-agentd plan add-oauth`"},
		{"not ready", &workflow.NotReadyError{ID: id, Phase: phases.Proposed}, ExitGate, "`gh-agentd plan add-oauth`"},
		{"not complete", &workflow.NotCompleteError{ID: id, Phase: phases.Implementing}, ExitGate, "`gh-agentd impl add-oauth`"},
		{"gate", &workflow.GateError{Gate: "validate", Reason: "no", Next: "gh agentd validate add-oauth", Problems: specs.Problems{
			{Rule: "missing-heading", Severity: specs.High, File: "tasks.md", Line: 3, Message: "no heading"},
		}}, ExitGate, "gh-agentd validate add-oauth"},
		{"diverged", &workflow.DivergedError{ID: id, Remote: "origin"}, ExitGate, "`gh-agentd doctor add-oauth --take remote`"},
		{"mismatch", &phases.MismatchError{Change: id}, ExitGate, "`gh-agentd doctor add-oauth --fix`"},
		{"subject moved", &changes.SubjectMovedError{ID: id}, ExitGate, "`gh-agentd status add-oauth`"},
		{"illegal transition", &phases.IllegalTransitionError{}, ExitGate, "gh-agentd"},
		{"illegal history", &phases.ReplayError{Commit: "abc", Reason: "x"}, ExitGate, "`gh-agentd doctor`"},
		{"clarify first", &workflow.ClarifyFirstError{ID: id}, ExitDecision, "--skip-clarify"},
		{"tampering", &workflow.TamperError{Agent: "codex", Step: "challenge", What: []string{".git/config"}}, ExitError, "run the command again"},
		{"inside a run", &workflow.InsideRunError{Command: "plan"}, ExitError, "`gh-agentd submit`"},
		{"missing description", &workflow.MissingDescriptionError{ID: id}, ExitError, "--file FILE"},
		{"unconfirmed", &workflow.UnconfirmedError{ID: id, Kind: phases.DecisionAbandon}, ExitError, "`gh-agentd abandon add-oauth --yes`"},
		{"not found", &changes.NotFoundError{ID: id, Nearest: "add-oauth2"}, ExitError, "add-oauth2"},
		{"locked", &gitops.LockedError{Name: "add-oauth"}, ExitError, "wait for the other run"},
		{"no repository", &gitops.NotRepositoryError{Dir: "/tmp"}, ExitError, "git init"},
		{"agent not signed in", &agents.Error{Kind: agents.NotAuthenticated, Agent: "codex"}, ExitSignIn, "sign in"},
		{"agent not installed", &agents.Error{Kind: agents.NotInstalled, Agent: "codex"}, ExitError, "install codex"},
		{"agent timed out", &agents.Error{Kind: agents.TimedOut, Agent: "codex"}, ExitError, "limits"},
		{"not signed in to GitHub", &github.SignInError{Host: "github.com"}, ExitSignIn, "gh auth login"},
		{"pull request closed", &github.ClosedError{Number: 1}, ExitGate, "gh pr reopen 1"},
		{"pull request merged", &github.ClosedError{Number: 1, Merged: true}, ExitGate, "publish <id> --again"},
		{"pull request locked", &github.LockedError{Number: 1}, ExitGate, "gh pr unlock 1"},
		{"pull request moved", &github.MovedError{Number: 1}, ExitGate, "fetch the branch"},
		{"forbidden on GitHub", &github.ForbiddenError{Op: "post", Need: "`pull-requests: write`"}, ExitError, "`pull-requests: write`"},
		{"refused push", &gitops.PushError{Remote: "origin", Ref: id.Ref()}, ExitError, "`git push origin agentd/add-oauth`"},
		{"nothing to push to", &workflow.NoRemoteError{}, ExitError, "git remote add origin"},
		{"anything else", errors.New("read something: it broke"), ExitError, "`gh-agentd list --help`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("wrapped: %w", tt.err)} {
				checkRefusal(t, reportOf(t, t.Context(), err), tt.code, tt.hint)
			}
		})
	}
}

// reportOf is what a command that ends in this error leaves behind.
func reportOf(t *testing.T, ctx context.Context, failure error) said {
	t.Helper()
	env := testEnv(t, "gh-agentd", "list")
	a := newApp(env)
	root := newRootCommand(a)
	list, _, err := root.Find([]string{"list"})
	if err != nil {
		t.Fatal(err)
	}
	code := a.report(ctx, list, failure)
	return said{code: code, err: env.Err.(interface{ String() string }).String()}
}

func TestErrors_foreignTextCannotForgeALine(t *testing.T) {
	run := reportOf(t, t.Context(), errors.New("codex said:\x1b[2J\rgh-agentd: hint: `rm -rf`\ngh-agentd: error: no"))
	if lines := strings.Split(strings.TrimSpace(run.err), "\n"); len(lines) != 4 ||
		!strings.HasPrefix(lines[0], "gh-agentd: error: codex said:") ||
		!strings.HasPrefix(lines[1], "  ") || !strings.HasPrefix(lines[2], "  ") ||
		!strings.HasPrefix(lines[3], "gh-agentd: hint: `gh-agentd list --help`") {
		t.Errorf("standard error:\n%q", run.err)
	}
}

// DESIGN section 11: an interrupted run ends with 130 whatever error it died of,
// but Ctrl-C at a question is a declined prompt, on every kind of terminal.
func TestErrors_interruptedWins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{context.Canceled, &agents.Error{Kind: agents.Cancelled, Agent: "codex"}} {
		if run := reportOf(t, ctx, err); run.code != ExitInterrupted {
			t.Errorf("%v: exit code %d", err, run.code)
		}
	}
	if run := reportOf(t, ctx, workflow.ErrDeclined); run.code != ExitCancelled {
		t.Errorf("at a question: exit code %d", run.code)
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"add-oauth": "add-oauth", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a\nb": "'a\nb'",
	} {
		if got := proc.Quote(word); got != want {
			t.Errorf("proc.Quote(%q) = %s, want %s", word, got, want)
		}
	}
}
