package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newPlanCommand(a *app) *cobra.Command {
	var (
		flags       workFlags
		file, base  string
		skipClarify bool
		j           *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     `plan <id> ["<description>"]`,
		Aliases: []string{"plan-change"},
		Short:   "Plan a change until a second agent approves the plan",
		Long: a.text(`
Plan a change: questions first, then proposal, specs and tasks, then a challenge by a second agent,
and revision until the plan is approved, rejected, or out of rounds.

For a new change a description is needed: as an argument, from a file, or from standard input ("-").
For a change that exists the command goes on where its history stands; a description is then kept as a note.

On a terminal you are asked at each decision. Elsewhere, or with --auto, the loop runs up to the limits in
agentd/config.toml; with --no-auto it stops after the first verdict and leaves the decision to you.`),
		Example: a.text(`
$ gh agentd plan add-oauth "Sign in with GitHub"
$ gh agentd plan add-oauth --file idea.md --skip-clarify
$ gh agentd plan add-oauth --no-auto --json action,phase,decision
$ gh agentd plan add-oauth --continue`),
		Args: withArgs(1, 2, "the change's id", "the description"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			description, err := a.description(cmd, args[1:], file)
			if err != nil {
				return err
			}
			return a.actAndPublish(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				if err := a.settle(b, &flags); err != nil {
					return workflow.ActionResult{}, err
				}
				plan := workflow.Plan{Bench: b}
				result, err := plan.Run(ctx, workflow.PlanRequest{
					Change:      id,
					Description: description,
					Mode:        flags.mode(b),
					SkipClarify: skipClarify,
					Continue:    flags.goOn,
					CommitEdits: flags.commit,
					Base:        base,
					Where:       flags.where(),
					Carry:       flags.carry,
				})
				return a.chosen(ctx, b, id, &flags, result, err)
			}, &flags)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "F", "", "Read the description from a `file`, \"-\" for standard input")
	cmd.Flags().StringVarP(&base, "base", "B", "", "Begin a new change on this `branch` instead of the default one")
	cmd.Flags().BoolVar(&skipClarify, "skip-clarify", false, "Leave out the questions of a new change")
	addWorkFlags(cmd, &flags)
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitDecision, ExitGate, ExitLimit, ExitInterrupted)
	return cmd
}
