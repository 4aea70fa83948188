package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

// runVariable tells programs that an agent starts which run they are part of.
const runVariable = "AGENTD_RUN"

func newSubmitCommand(a *app) *cobra.Command {
	var file, tool, run, change string
	var j *jsonFlags
	cmd := &cobra.Command{
		Use:   "submit [<step>] --json-file <file>",
		Short: "Hand over an artefact or a verdict, for agents without MCP",
		Long: a.text(`
Hand over what a step produces, as JSON with the fields of the MCP tools.
Inside a run it goes to that run, which validates and commits it; nothing is committed here.
Without --tool it goes to the one tool of the step that takes its answer.

With --change and outside a run it takes the whole step by itself, as if an agent had given this answer:
proposal-gen, spec-gen-<spec>, tasks-gen, challenge or review.`),
		Example: a.text(`
$ gh agentd submit challenge --json-file verdict.json
$ gh agentd submit --tool self_review --json-file -
$ gh agentd submit challenge --change add-oauth --json-file verdict.json`),
		Args: withArgs(0, 1, "the step"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return usage(cmd, errors.New("--json-file is missing"))
			}
			data, err := a.readInput("--json-file", file)
			if err != nil {
				return err
			}
			request := workflow.SubmitRequest{RunDir: cmp.Or(run, a.env.getenv(runVariable)), Tool: tool, JSON: data}
			if len(args) == 1 {
				request.Step = args[0]
			}
			if request.RunDir == "" {
				return a.submitAlone(cmd, j, request, change)
			}
			submit := workflow.Submit{}
			answer, err := submit.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.streams.out, answer)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "json-file", "", "Read the JSON from a `file`, \"-\" for standard input")
	cmd.Flags().StringVar(&tool, "tool", "", "Hand over to this `tool` instead of the step's own")
	cmd.Flags().StringVar(&run, "run", "", "Hand over to the run with this `folder` (default $AGENTD_RUN)")
	cmd.Flags().StringVar(&change, "change", "", "Outside a run: the `id` of the change whose step it is")
	j = addJSON(cmd, workflow.ActionResult{})
	exitCodes(cmd, ExitCancelled, ExitDecision, ExitGate, ExitLimit, ExitInterrupted)
	return cmd
}

func (a *app) submitAlone(cmd *cobra.Command, j *jsonFlags, request workflow.SubmitRequest, change string) error {
	if change == "" || request.Step == "" {
		return &workflow.OutsideRunError{}
	}
	if request.Tool != "" {
		return usage(cmd, errors.New("--tool is for the run of an agent, and none is under way here"))
	}
	var err error
	if request.Change, err = a.changeID(cmd, change); err != nil {
		return err
	}
	return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
		submit := workflow.Submit{Bench: b}
		return submit.Alone(ctx, request)
	})
}
