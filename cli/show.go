package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/workflow"
)

func newShowCommand(a *app) *cobra.Command {
	var (
		round int
		j     *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "show <id> [<document>]",
		Short: "Print a document of a change",
		Long: a.text(`
Print a document of a change as it stands in its history: proposal, specs, tasks, clarifications,
challenge, review, state, or the name of one spec. Without a name, the proposal.

With --round an older challenge or review is printed.`),
		Example: a.text(`
$ gh agentd show add-oauth
$ gh agentd show add-oauth tasks
$ gh agentd show add-oauth challenge --round 1`),
		Args: withArgs(1, 2, "the change's id", "the document"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			what := ""
			if len(args) == 2 {
				what = args[1]
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			show := workflow.Show{Bench: bench}
			document, err := show.Run(cmd.Context(), workflow.ShowRequest{Change: id, What: what, Round: round})
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, document)
			}
			text := document.Content
			if a.streams.outTTY {
				text = proc.Clean(text)
			}
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			_, err = fmt.Fprint(a.streams.out, text)
			return err
		},
	}
	cmd.Flags().IntVar(&round, "round", 0, "Print the challenge or review of this `round`")
	j = addJSON(cmd, workflow.ShowResult{})
	cmd.ValidArgsFunction = a.completeShow
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}
