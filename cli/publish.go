package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/workflow"
)

func newPublishCommand(a *app) *cobra.Command {
	var (
		request workflow.PublishRequest
		j       *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "publish [<id>]",
		Short: "Show a change and its verdicts in a pull request",
		Long: a.text(`
Push the branch of a change, open or update its pull request, and post each verdict that is not posted yet
as a review: findings on the lines of the diff where they have a place there, the others in its text.
The pull request is a draft until the change is complete.

What the check refuses is not pushed, and nothing is forced. What is there already is found and not repeated:
after any failure, run it again. Nothing on GitHub is read back into the change: that is what sync is for.

Without an id it is the change whose branch is checked out. The repository is found as gh does: --repo, GH_REPO,
then the remotes; the sign-in is gh's. [github] publish in agentd/config.toml lets plan and impl publish at their end.`),
		Example: a.text(`
$ gh agentd publish add-oauth
$ gh agentd publish add-oauth --dry-run
$ gh agentd publish add-oauth --json pull_request,reviews`),
		Args: withArgs(0, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			if request.Change, err = a.namedOrCurrent(cmd, bench, args); err != nil {
				return err
			}
			publish := workflow.Publish{Bench: bench}
			result, err := publish.Run(cmd.Context(), request)
			a.progress.close(err)
			result.Next = a.named(result.Next)
			if j.wanted() {
				if result.Repository == "" {
					return err
				}
				return errors.Join(err, j.write(a.streams, result))
			}
			if err != nil {
				return err
			}
			return a.published(result)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&request.Repo, "repo", "R", "", "Open the pull request in another repository, `[HOST/]OWNER/REPO`")
	flags.StringVar(&request.Remote, "remote", "", "Push to this `remote` instead of origin")
	flags.BoolVar(&request.Again, "again", false, "Open a new pull request where the last one was closed or merged")
	flags.BoolVarP(&request.DryRun, "dry-run", "n", false, "Print what would be sent, and send nothing")
	j = addJSON(cmd, workflow.PublishResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitSignIn, ExitGate, ExitInterrupted)
	return cmd
}

// published prints the answer; of a dry run, also each request.
func (a *app) published(r workflow.PublishResult) error {
	if _, err := fmt.Fprintln(a.streams.out, oneLine(r.Change+": "+r.Message)); err != nil {
		return err
	}
	for _, request := range r.Requests {
		if err := printRequest(a.streams.out, request); err != nil {
			return err
		}
	}
	if r.Action == workflow.ActionPublished && r.Next != "" {
		a.progress.Note("next: " + r.Next)
	}
	return nil
}

func printRequest(w io.Writer, r github.Request) error {
	body, err := json.MarshalIndent(r.Body, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s %s\n%s\n", r.Method, r.Path, body)
	return err
}
