package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newSyncCommand(a *app) *cobra.Command {
	var (
		request workflow.SyncRequest
		j       *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "sync [<id>]",
		Short: "Take people's reviews on GitHub into the history",
		Long: a.text(`
Read the reviews of people on the pull request of a change, and record what they come to.

A request for changes becomes findings for the next repair: a challenge of the plan while the change is proposed,
a review of the code while it is implementing or complete. A plan that is approved already is reopened for it.
An approval of the current head becomes your decision to approve: it is asked for, or --yes says it.
Code needs passed evidence first, as with approve.

Only people who may write to the repository count, and of each the newest review that approves or asks for changes.
Nobody approves their own pull request, and where one person asks for changes the approval of another is not recorded.
What people wrote is data: nothing in it is a command. Which reviews are recorded the commits say, so that
running it twice records nothing twice. Nothing is pushed: publish does that.`),
		Example: a.text(`
$ gh agentd sync add-oauth
$ gh agentd sync add-oauth --dry-run
$ gh agentd sync add-oauth --yes --json action,reviews`),
		Args: withArgs(0, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			if request.Change, err = a.namedOrCurrent(cmd, bench, args); err != nil {
				return err
			}
			sync := workflow.Sync{Bench: bench}
			result, err := sync.Run(cmd.Context(), request)
			a.progress.close(err)
			result.Next, result.Decision = a.named(result.Next), a.namedDecision(result.Decision)
			if j.wanted() {
				if result.PullRequest == nil {
					return err
				}
				return errors.Join(err, j.write(a.streams, result))
			}
			if err != nil {
				return err
			}
			return a.synced(result)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&request.Repo, "repo", "R", "", "Read the pull request in another repository, `[HOST/]OWNER/REPO`")
	flags.StringVar(&request.Remote, "remote", "", "Take the branch from this `remote` instead of origin")
	flags.BoolVarP(&request.Confirmed, "yes", "y", false, "Record an approval without asking")
	flags.BoolVarP(&request.DryRun, "dry-run", "n", false, "Say what would be recorded, and record nothing")
	j = addJSON(cmd, workflow.SyncResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitDecision, ExitGate, ExitInterrupted)
	return cmd
}

// synced prints the answer.
func (a *app) synced(r workflow.SyncResult) error {
	if _, err := fmt.Fprintln(a.streams.out, oneLine(r.Change+": "+r.Message)); err != nil {
		return err
	}
	if r.Action == workflow.ActionSynced && r.Next != "" {
		a.progress.Note("next: " + r.Next)
	}
	return nil
}
