package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

// runVariable tells programs that an agent starts which run they are part of.
const runVariable = "AGENTD_RUN"

func newSubmitCommand(a *app) *cobra.Command {
	var file, tool, run string
	cmd := &cobra.Command{
		Use:   "submit [<step>] --json-file <file>",
		Short: "Hand over an artefact or a verdict, for agents without MCP",
		Long: a.text(`
Hand over what a step produces, as JSON with the fields of the MCP tools.
It goes to the run that started the agent, which validates and commits it; nothing is committed here.

Without --tool it goes to the one tool of the step that takes its answer.`),
		Example: a.text(`
$ gh agentd submit challenge --json-file verdict.json
$ gh agentd submit --tool self_review --json-file -`),
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
			submit := workflow.Submit{}
			answer, err := submit.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.env.Out, answer)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "json-file", "", "Read the JSON from a `file`, \"-\" for standard input")
	cmd.Flags().StringVar(&tool, "tool", "", "Hand over to this `tool` instead of the step's own")
	cmd.Flags().StringVar(&run, "run", "", "Hand over to the run with this `folder` (default $AGENTD_RUN)")
	exitCodes(cmd, ExitInterrupted)
	return cmd
}
