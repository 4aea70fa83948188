package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newArchiveCommand(a *app) *cobra.Command {
	var (
		deleteBranch, push, pull, resolved, abort bool
		j                                         *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     "archive <id>",
		Aliases: []string{"merge-change"},
		Short:   "Merge a complete change and its specs into the base branch",
		Long: a.text(`
Archive a complete change: merge its code and its specs into the base branch in one commit,
and file its documents under agentd/archive. No model is asked. Specs are merged requirement by requirement.

Where the base branch and the change edited the same place of a spec, nothing is archived: both sides are marked
in a worktree made for it. Decide there what the spec shall say, then --continue; --abort gives that up.

With --push the remote's base branch moves first, and then the one here. Where the remote refuses that, as for a protected
branch, and with --pr, the archive goes onto the change's branch instead, and its pull request brings it to the base.
Until somebody has merged that the change is complete, archive pending; run again, it follows a base that moved on.
--abort then takes it back, so that the change can be worked on. Nothing is ever forced.

Without these flags [github] publish in agentd/config.toml decides: "always" pushes, "ask" asks on a terminal,
and otherwise the base branch moves here alone.

Archiving twice is one archive. The branch is kept, unless --delete-branch takes it away.`),
		Example: a.text(`
$ gh agentd archive add-oauth
$ gh agentd archive add-oauth --pr
$ gh agentd archive add-oauth --delete-branch`),
		Args: withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				archive := workflow.Archive{Bench: b}
				request := workflow.ArchiveRequest{Change: id, Route: routeOf(push, pull, workflow.RouteConfigured), DeleteBranch: deleteBranch, Continue: resolved, Abort: abort}
				return archive.Run(ctx, request)
			})
		},
	}
	cmd.Flags().BoolVarP(&deleteBranch, "delete-branch", "d", false, "Remove the branch and its worktree afterwards, where nothing is lost")
	cmd.Flags().BoolVar(&push, "push", false, "Push the base branch; by a pull request where the remote refuses that")
	cmd.Flags().BoolVar(&pull, "pr", false, "Have a pull request bring the archive to the base branch")
	cmd.Flags().BoolVar(&resolved, "continue", false, "Archive with the specs as you resolved them")
	cmd.Flags().BoolVar(&abort, "abort", false, "Give up resolving, or take back an archive that waits for its pull request")
	exclusive(cmd, "push", "pr")
	exclusive(cmd, "continue", "abort")
	exclusive(cmd, "push", "abort")
	exclusive(cmd, "pr", "abort")
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitGate, ExitInterrupted)
	return cmd
}

// routeOf is the way onto the base branch that --push and --pr name, or else another one.
func routeOf(push, pull bool, otherwise workflow.Route) workflow.Route {
	switch {
	case push:
		return workflow.RoutePush
	case pull:
		return workflow.RoutePull
	}
	return otherwise
}
