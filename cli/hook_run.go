package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/hooks"
	"github.com/agentd/gh-agentd/workflow"
)

// allowVariable lets a push that drops approved commits pass, where it is "force".
const allowVariable = "AGENTD_ALLOW"

// newHookRunCommand is what the scripts call. It is hidden: git starts it.
func newHookRunCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Do what a hook does, for git",
		Hidden:  true,
		Example: a.text(`$ gh agentd hook run commit-msg .git/COMMIT_EDITMSG`),
		Args:    unknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	exitCodes(cmd)
	cmd.AddCommand(newHookPrePushCommand(a), newHookCommitMsgCommand(a))
	return cmd
}

func newHookPrePushCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pre-push [<remote> [<url>]]",
		Short: "Judge a push that is about to be made",
		Long: a.text(`
Judge a push that is about to be made, as git describes it on standard input: a line for each reference,
<local ref> <local id> <remote ref> <remote id>.

AGENTD_ALLOW=force lets a push pass that drops commits with an approval.`),
		Example: a.text(`
$ id=$(git rev-parse agentd/add-oauth)
$ echo "refs/heads/agentd/add-oauth $id refs/heads/agentd/add-oauth $id" | gh agentd hook run pre-push origin`),
		Args: withArgs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			updates, err := hooks.ParsePush(a.env.In)
			if err != nil {
				return err
			}
			push := workflow.Push{Remote: "origin", AllowLoss: a.env.getenv(allowVariable) == "force"}
			if len(args) > 0 {
				push.Remote = cmp.Or(args[0], push.Remote)
			}
			for _, u := range updates {
				push.Refs = append(push.Refs, pushedRef(u))
			}
			check, err := a.checker(cmd.Context())
			if err != nil {
				return err
			}
			result, err := check.Run(cmd.Context(), workflow.CheckRequest{Push: &push})
			if err != nil {
				return fmt.Errorf("the push cannot be judged: %w", err)
			}
			if refused := result.Err(); refused != nil {
				a.judgement(a.env.Err, result)
				return refused
			}
			for _, note := range result.Notes {
				a.progress.Warn(note)
			}
			return nil
		},
	}
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// pushedRef is the same in the words of the verifier, for whom nothing has no id.
func pushedRef(u hooks.Update) workflow.PushedRef {
	ref := workflow.PushedRef{Local: u.Local, Remote: u.Remote}
	if !u.Deletes() {
		ref.LocalID = gitops.ID(u.LocalID)
	}
	if !u.Creates() {
		ref.RemoteID = gitops.ID(u.RemoteID)
	}
	return ref
}

func newHookCommitMsgCommand(a *app) *cobra.Command {
	request := workflow.CommitMsgRequest{}
	cmd := &cobra.Command{
		Use:     "commit-msg <file>",
		Short:   "Judge the message of a commit that is about to be made",
		Example: a.text(`$ gh agentd hook run commit-msg .git/COMMIT_EDITMSG`),
		Args:    withArgs(1, 1, "the file with the message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			request.File = a.path(args[0])
			judge := workflow.CommitMsg{Bench: bench}
			return judge.Run(cmd.Context(), request)
		},
	}
	cmd.Flags().BoolVar(&request.AddChange, "add-change", false, "Add Agentd-Change on a change's branch")
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}
