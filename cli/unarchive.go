package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newUnarchiveCommand(a *app) *cobra.Command {
	var (
		push, pull bool
		j          *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "unarchive <id>",
		Short: "Take an archived change off the base branch again",
		Long: a.text(`
Revert what archiving a change did to the base branch, its specs included, and take the change up again:
its branch goes on from the revert with the content that was approved, and the change is complete.

What came after it stays. Where that stands on the change, nothing is reverted.
With --push the remote's base branch moves first; where it refuses that, and with --pr, a pull request brings
the revert there. After somebody has merged that, or has reverted the archive by hand, the same command takes
the change up again.`),
		Example: a.text(`
$ gh agentd unarchive add-oauth
$ gh agentd unarchive add-oauth --pr`),
		Args: withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				unarchive := workflow.Unarchive{Bench: b}
				return unarchive.Run(ctx, workflow.UnarchiveRequest{Change: id, Route: routeOf(push, pull, workflow.RouteHere)})
			})
		},
	}
	cmd.Flags().BoolVar(&push, "push", false, "Push the base branch; by a pull request where the remote refuses that")
	cmd.Flags().BoolVar(&pull, "pr", false, "Have a pull request bring the revert to the base branch")
	exclusive(cmd, "push", "pr")
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitGate, ExitInterrupted)
	return cmd
}
