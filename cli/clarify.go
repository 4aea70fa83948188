package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newClarifyCommand(a *app) *cobra.Command {
	var (
		answers, file, base string
		j                   *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   `clarify <id> ["<description>"]`,
		Short: "Answer the questions that come before a plan",
		Long: a.text(`
Let the proposer ask what only a person can know, and record the answers.

On a terminal the questions are asked at once. With --json they are printed instead, for a skill or a form that
asks the person; --json-file then takes the answers: change_id and questions with topic, question, answer, rationale.`),
		Example: a.text(`
$ gh agentd clarify add-oauth "Sign in with GitHub"
$ gh agentd clarify add-oauth "Sign in with GitHub" --json questions
$ gh agentd clarify add-oauth "Sign in with GitHub" --json-file answers.json`),
		Args: withArgs(1, 2, "the change's id", "the description"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			if answers == "-" && file == "-" {
				return usage(cmd, errors.New("standard input cannot be both the description and the answers"))
			}
			description, err := a.description(cmd, args[1:], file)
			if err != nil {
				return err
			}
			given, err := a.readInput("--json-file", answers)
			if err != nil {
				return err
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			clarify := workflow.Clarify{Bench: bench}
			result, err := clarify.Run(cmd.Context(), workflow.ClarifyRequest{
				Change: id, Description: description, Answers: given, Print: j.wanted() && given == nil, Base: base,
			})
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, result)
			}
			_, err = fmt.Fprintln(a.streams.out, result.Path)
			return err
		},
	}
	cmd.Flags().StringVar(&answers, "json-file", "", "Read the answers from a JSON `file`, \"-\" for standard input")
	cmd.Flags().StringVarP(&file, "file", "F", "", "Read the description from a `file`, \"-\" for standard input")
	cmd.Flags().StringVarP(&base, "base", "B", "", "Begin a new change on this `branch` instead of the default one")
	j = addJSON(cmd, workflow.ClarifyResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitDecision, ExitGate, ExitInterrupted)
	return cmd
}
