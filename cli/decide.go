package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// decisionText is how one of the three decisions presents itself.
type decisionText struct {
	kind                      phases.Decision
	use, short, long, example string
}

func newApproveCommand(a *app) *cobra.Command {
	return a.decisionCommand(decisionText{
		kind:  phases.DecisionApprove,
		use:   "approve <id>",
		short: "Approve a plan or its code yourself",
		long: `
Approve what stands on the change's branch: the plan while it is proposed, the code while it is implementing.

The approval is bound to the tree that you are shown and goes stale when it changes.
With --tree it is refused unless that is still the tree. Code needs passed evidence first.`,
		example: `
$ gh agentd approve add-oauth
$ gh agentd approve add-oauth --tree 5e1c309d --reason "read it with Kim" --yes`,
	})
}

func newReopenCommand(a *app) *cobra.Command {
	return a.decisionCommand(decisionText{
		kind:  phases.DecisionReopen,
		use:   "reopen <id>",
		short: "Take a change back to planning",
		long: `
Take a rejected, challenged, implementing or complete change back to proposed, so that it is planned again.
Nothing is undone: what was written stays in the history and on the branch.`,
		example: `
$ gh agentd reopen add-oauth
$ gh agentd reopen add-oauth --reason "the session part is new" --yes`,
	})
}

func newAbandonCommand(a *app) *cobra.Command {
	return a.decisionCommand(decisionText{
		kind:  phases.DecisionAbandon,
		use:   "abandon <id>",
		short: "Give a change up",
		long: `
Give a change up: it becomes rejected, with your reason in the history. The branch stays,
and the change can be reopened.`,
		example: `
$ gh agentd abandon add-oauth --reason "the provider shuts down" --yes`,
	})
}

func (a *app) decisionCommand(text decisionText) *cobra.Command {
	var (
		place        workFlags
		reason, tree string
		yes          bool
		j            *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     text.use,
		Short:   text.short,
		Long:    a.text(text.long),
		Example: a.text(text.example),
		Args:    withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				decide := workflow.Decide{Bench: b}
				return decide.Run(ctx, workflow.DecideRequest{
					Change: id, Kind: text.kind, Reason: reason, Tree: tree, Confirmed: yes,
					CommitEdits: place.commit, Where: place.where(),
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&reason, "reason", "r", "", "Record why, in your `words`")
	flags.BoolVarP(&yes, "yes", "y", false, "Do not ask for confirmation")
	flags.BoolVar(&place.commit, "commit-edits", false, "Take your uncommitted edits of the plan into the history without asking")
	if text.kind == phases.DecisionApprove {
		flags.StringVar(&tree, "tree", "", "Refuse unless this is the `tree` that stands there; says yes at the same time")
		flags.BoolVar(&place.inWorktree, "worktree", false, "Run the checks in a linked worktree of the change's own")
		flags.BoolVar(&place.inBranch, "branch", false, "Run the checks in this checkout, switched to the change's branch")
		exclusive(cmd, "worktree", "branch")
	}
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitGate, ExitInterrupted)
	return cmd
}
