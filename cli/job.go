package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/workflow"
)

// failOn says which outcomes of a job end it with an error.
type failOn string

// The values of AGENTD_FAIL_ON.
const (
	failNever   failOn = "never"
	failChanges failOn = "changes"
	failError   failOn = "error"
)

// jobTexts are the modes as commands.
func jobTexts() map[workflow.JobMode]string {
	return map[workflow.JobMode]string{
		workflow.JobChallenge: "Have the plan of a pull request challenged",
		workflow.JobReview:    "Have judged what a pull request waits for, its plan or its code",
		workflow.JobPublish:   "Record the verdict of another job, and show it",
		workflow.JobSync:      "Record what people said in reviews of a pull request, and show it",
		workflow.JobList:      "List the pull requests that wait for a verdict",
	}
}

func newJobCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "job <command>",
		Short: "Do the work of a GitHub workflow's job",
		Long: a.text(`
Do what the GitHub Action does: judge the pull request of a change, or record and show what was judged or what people said.

Judging and publishing are two jobs. The one that judges has a model's key and may only read; its verdict goes to the other
in the output "result". The one that publishes may write, and asks no model: it checks everything again.
A job of its own takes people's reviews into the history as sync does, without running anything of the pull request.
Configuration, policy and what tells agents what to do are the base's. Agents see no token of GitHub.

What to do comes from the event and from the environment: AGENTD_PULL_REQUEST, AGENTD_HEAD_SHA, AGENTD_RESULT,
AGENTD_FAIL_ON (never, changes, error), AGENTD_PUBLISH_SIGNS (true), AGENTD_ALLOW_UNTRUSTED, AGENTD_BOTS, GITHUB_TOKEN,
and what the runner sets.
Outputs are phase, verdict, review-url, result, skipped, and of list: changes.`),
		Example: a.text(`
$ gh agentd job review`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, errors.New("the mode is missing"))
			}
			return unknownCommand(cmd, args)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	exitCodes(cmd)
	for i, mode := range workflow.JobModes() {
		sub := &cobra.Command{
			Use:     string(mode),
			Short:   jobTexts()[mode],
			Example: a.text("$ gh agentd job " + string(mode)),
			Args:    withArgs(0, 0),
			RunE:    func(cmd *cobra.Command, _ []string) error { return a.job(cmd.Context(), mode) },
		}
		annotate(sub, annotationOrder, fmt.Sprintf("%02d", i))
		exitCodes(sub, ExitSignIn, ExitGate, ExitLimit, ExitInterrupted)
		cmd.AddCommand(sub)
	}
	return cmd
}

// job does one job, and leaves its outputs, its summary and its annotations.
func (a *app) job(ctx context.Context, mode workflow.JobMode) error {
	page, err := a.newJobPage()
	if err != nil {
		return err
	}
	request, fail, err := a.jobRequest(mode)
	if err != nil {
		return page.finish(workflow.JobResult{}, err)
	}
	enable := a.disableCommands()
	result, err := a.runJob(ctx, request)
	a.progress.close(err)
	enable()
	if err := page.finish(result, err); err != nil {
		if fail == failNever && ctx.Err() == nil {
			a.progress.Warn(harmless(err.Error()))
			return nil
		}
		return err
	}
	if fail == failChanges && result.Blocks() {
		return &workflow.GateError{
			Gate: "verdict", Reason: fmt.Sprintf("the verdict on %s is %s", result.Change, result.Verdict),
			Next: "gh agentd show " + result.Change + " " + string(result.Step),
		}
	}
	return nil
}

func (a *app) runJob(ctx context.Context, request workflow.JobRequest) (workflow.JobResult, error) {
	bench, err := a.unconfigured(ctx)
	if err != nil {
		return workflow.JobResult{}, err
	}
	bench.Ask = nil
	job := workflow.Job{Bench: bench, Agents: func(cfg config.Config) func(string) (agents.Agent, error) {
		return remembering(func(name string) (agents.Agent, error) { return a.agent(bench.Repo, cfg, name) })
	}}
	return job.Run(ctx, request)
}

// jobRequest reads the environment and the event.
func (a *app) jobRequest(mode workflow.JobMode) (workflow.JobRequest, failOn, error) {
	get := a.env.getenv
	fail := failOn(cmp.Or(get("AGENTD_FAIL_ON"), string(failError)))
	request := workflow.JobRequest{
		Mode: mode, Result: strings.TrimSpace(get("AGENTD_RESULT")), AllowUntrusted: get("AGENTD_ALLOW_UNTRUSTED"),
		PublishSigns: get("AGENTD_PUBLISH_SIGNS") == "true",
		Bots:         strings.FieldsFunc(get("AGENTD_BOTS"), func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }),
	}
	if !slices.Contains([]failOn{failNever, failChanges, failError}, fail) {
		return request, failError, fmt.Errorf("AGENTD_FAIL_ON is %q, want never, changes or error", oneLine(string(fail)))
	}
	file, _, err := a.event()
	if err != nil {
		return request, fail, err
	}
	if request.Event, err = file.toJob(get("GITHUB_EVENT_NAME"), get("GITHUB_ACTOR")); err != nil {
		return request, fail, err
	}
	if text := get("AGENTD_PULL_REQUEST"); text != "" {
		if request.PullRequest, err = strconv.Atoi(text); err != nil || request.PullRequest < 1 {
			return request, fail, fmt.Errorf("AGENTD_PULL_REQUEST is %q, want a number", oneLine(text))
		}
	}
	if text := get("AGENTD_HEAD_SHA"); text != "" {
		if request.Head, err = gitops.ParseID(text); err != nil {
			return request, fail, fmt.Errorf("AGENTD_HEAD_SHA: %w", err)
		}
	}
	return request, fail, nil
}
