package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

func newImplCommand(a *app) *cobra.Command {
	var (
		flags workFlags
		again bool
		j     *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     "impl <id>",
		Aliases: []string{"impl-change"},
		Short:   "Implement a planned change until a second agent approves the code",
		Long: a.text(`
Implement a change whose plan is approved: task by task, then the project's own checks,
then a review by a second agent, and repair until the code is approved or out of rounds.

The command goes on where the change's history stands.`),
		Example: a.text(`
$ gh agentd impl add-oauth
$ gh agentd impl add-oauth --branch --auto
$ gh agentd impl add-oauth --again`),
		Args: withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			return a.actAndPublish(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				if err := a.settle(b, &flags); err != nil {
					return workflow.ActionResult{}, err
				}
				result, err := a.implement(ctx, b, id, &flags, again)
				return a.chosen(ctx, b, id, &flags, result, err)
			}, &flags)
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "Review a complete change once more")
	addWorkFlags(cmd, &flags)
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitDecision, ExitGate, ExitLimit, ExitInterrupted)
	return cmd
}

func (a *app) implement(ctx context.Context, b *workflow.Bench, id phases.ChangeID, f *workFlags, again bool) (workflow.ActionResult, error) {
	implement := workflow.Implement{Bench: b}
	return implement.Run(ctx, workflow.ImplementRequest{
		Change:      id,
		Mode:        f.mode(b),
		Continue:    f.goOn,
		Again:       again,
		CommitEdits: f.commit,
		Where:       f.where(),
		Carry:       f.carry,
	})
}

// chosen follows what the person picked at the last decision: implement at once, or read first.
func (a *app) chosen(ctx context.Context, b *workflow.Bench, id phases.ChangeID, f *workFlags, r workflow.ActionResult, err error) (workflow.ActionResult, error) {
	if err != nil {
		return r, err
	}
	switch r.Chosen {
	case "implement":
		a.tell(r, nil)
		next := *f
		next.goOn = false
		r, err = a.implement(ctx, b, id, &next, false)
		return a.chosen(ctx, b, id, &next, r, err)
	case "view":
		what := "challenge"
		if r.Phase == phases.Implementing || r.Phase == phases.Complete {
			what = "review"
		}
		show := workflow.Show{Bench: b}
		document, err := show.Run(ctx, workflow.ShowRequest{Change: id, What: what})
		if err != nil {
			return r, err
		}
		fmt.Fprint(a.streams.out, proc.Clean(document.Content))
	}
	return r, nil
}
