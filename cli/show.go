package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/workflow"
)

func newShowCommand(a *app) *cobra.Command {
	var (
		round int
		log   bool
		j     *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "show <id> [<document>]",
		Short: "Print a document of a change",
		Long: a.text(`
Print a document of a change as it stands in its history: proposal, specs, tasks, clarifications,
challenge, review, state, or the name of one spec. Without a name, the proposal.

With --round an older challenge or review is printed.

With --log you see what an agent printed during its newest call, or during the newest of a step such as
challenge or spec-gen-oauth. Logs hold no secrets, and stay for a month on the machine where the agent ran.`),
		Example: a.text(`
$ gh agentd show add-oauth
$ gh agentd show add-oauth tasks
$ gh agentd show add-oauth challenge --round 1
$ gh agentd show add-oauth challenge --log`),
		Args: withArgs(1, 2, "the change's id", "the document or step"),
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
			if log {
				return a.showLog(cmd, bench, workflow.LogRequest{Change: id, Step: what}, j)
			}
			show := workflow.Show{Bench: bench}
			document, err := show.Run(cmd.Context(), workflow.ShowRequest{Change: id, What: what, Round: round})
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, document)
			}
			return a.printText(document.Content)
		},
	}
	cmd.Flags().BoolVar(&log, "log", false, "Print what the agent printed instead")
	exclusive(cmd, "log", "round")
	cmd.Flags().IntVar(&round, "round", 0, "Print the challenge or review of this `round`")
	j = addJSON(cmd, workflow.ShowResult{})
	cmd.ValidArgsFunction = a.completeShow
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

func (a *app) showLog(cmd *cobra.Command, bench *workflow.Bench, req workflow.LogRequest, j *jsonFlags) error {
	if j.wanted() {
		return usage(cmd, errors.New("--log prints text; the fields of --json are those of a document"))
	}
	logs := workflow.Logs{Bench: bench}
	log, err := logs.Run(cmd.Context(), req)
	if err != nil {
		return err
	}
	a.progress.Note(fmt.Sprintf("%s at step %s, %s; its folder is %s", log.Agent, log.Step, log.At.Local().Format(time.DateTime), log.Folder))
	return a.printText(log.Log)
}

// printText prints somebody else's text, harmless where a terminal reads it.
func (a *app) printText(text string) error {
	if a.streams.outTTY {
		text = proc.Clean(text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := fmt.Fprint(a.streams.out, text)
	return err
}
