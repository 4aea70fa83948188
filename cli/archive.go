package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newArchiveCommand(a *app) *cobra.Command {
	var (
		deleteBranch bool
		j            *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     "archive <id>",
		Aliases: []string{"merge-change"},
		Short:   "Merge a complete change and its specs into the base branch",
		Long: a.text(`
Archive a complete change: merge its code and its specs into the base branch in one commit,
and file its documents under agentd/archive. No model is asked; where specs collide, nothing is merged.

Archiving twice is one archive. The branch is kept, unless --delete-branch takes it away.`),
		Example: a.text(`
$ gh agentd archive add-oauth
$ gh agentd archive add-oauth --delete-branch`),
		Args: withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				archive := workflow.Archive{Bench: b}
				return archive.Run(ctx, workflow.ArchiveRequest{Change: id, DeleteBranch: deleteBranch})
			})
		},
	}
	cmd.Flags().BoolVarP(&deleteBranch, "delete-branch", "d", false, "Remove the branch and its worktree afterwards, where nothing is lost")
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitGate, ExitInterrupted)
	return cmd
}
