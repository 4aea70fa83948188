package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newHookCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Let git check what is pushed and what commits say",
		Long: a.text(`
Install git hooks that judge before anybody else sees it, what the required check judges later.

pre-push refuses a push of a change whose history breaks a rule, and of specs on the base branch that no archive explains.
commit-msg refuses trailers in a person's commit that only this program writes.
Pushes of other branches and other messages pass without this program being started.`),
		Example: a.text(`
$ gh agentd hook install
$ gh agentd hook status`),
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	exitCodes(cmd)
	for i, sub := range []*cobra.Command{newHookInstallCommand(a), newHookUninstallCommand(a), newHookStatusCommand(a), newHookRunCommand(a)} {
		annotate(sub, annotationOrder, fmt.Sprintf("%02d", i))
		cmd.AddCommand(sub)
	}
	return cmd
}

func newHookInstallCommand(a *app) *cobra.Command {
	var (
		request workflow.HooksRequest
		j       *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put the hooks where git runs them",
		Long: a.text(`
Put pre-push and commit-msg where git runs hooks in this repository, for all its worktrees.

A hook that is there already is kept under another name and called by ours,
with the same arguments and standard input; its exit code counts.
pre-push runs ours first, for it is quick; commit-msg runs ours last, for the other may rewrite the message.

Where husky, lefthook or a folder of the worktree owns the hooks, ours stand inside .git,
and the lines that call them are printed; --write adds them to the files that your team shares.
A folder of hooks that all your repositories share is never written to.`),
		Example: a.text(`
$ gh agentd hook install
$ gh agentd hook install --write
$ gh agentd hook install --add-change`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.hooks(cmd, j, func(ctx context.Context, h *workflow.Hooks) (workflow.HooksResult, error) {
				return h.Install(ctx, request)
			})
		},
	}
	cmd.Flags().BoolVar(&request.Write, "write", false, "Add the lines that call the hooks to a hook manager's files")
	cmd.Flags().BoolVar(&request.Config, "config", false, "Let git run the hooks from its configuration (git 2.54 or newer)")
	cmd.Flags().BoolVar(&request.AddChange, "add-change", false, "Add Agentd-Change to your commits on a change's branch")
	exclusive(cmd, "write", "config")
	j = addJSON(cmd, workflow.HooksResult{})
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

func newHookUninstallCommand(a *app) *cobra.Command {
	var (
		request workflow.HooksRequest
		j       *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hooks away, and leave what was there before",
		Long: a.text(`
Take our hooks away. A hook that was there before gets its name back, byte for byte.
Lines in files that your team shares stay, and do nothing any more; --write takes them out as well.
A hook of ours that somebody edited is left.`),
		Example: a.text(`
$ gh agentd hook uninstall
$ gh agentd hook uninstall --write`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.hooks(cmd, j, func(ctx context.Context, h *workflow.Hooks) (workflow.HooksResult, error) {
				return h.Uninstall(ctx, request)
			})
		},
	}
	cmd.Flags().BoolVar(&request.Write, "write", false, "Take the lines out of a hook manager's files")
	j = addJSON(cmd, workflow.HooksResult{})
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

func newHookStatusCommand(a *app) *cobra.Command {
	var j *jsonFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say for each hook whose it is",
		Long: a.text(`
Say for each hook whose it is:

  ours      it is installed
  chained   it is installed, together with another one
  foreign   another one is there, and ours is not called
  missing   none is there, or nothing calls ours
  stale     what ours was told at its installation holds no more
  changed   somebody edited ours

Lines that must be added somewhere for ours to be called are printed below.`),
		Example: a.text(`
$ gh agentd hook status
$ gh agentd hook status --json hooks --jq '.hooks[].state'`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.hooks(cmd, j, func(ctx context.Context, h *workflow.Hooks) (workflow.HooksResult, error) {
				return h.Status(ctx)
			})
		},
	}
	j = addJSON(cmd, workflow.HooksResult{})
	exitCodes(cmd, ExitInterrupted)
	return cmd
}

// hooks carries one of the three commands out and shows what is there afterwards.
func (a *app) hooks(cmd *cobra.Command, j *jsonFlags, do func(context.Context, *workflow.Hooks) (workflow.HooksResult, error)) error {
	bench, err := a.bench(cmd.Context())
	if err != nil {
		return err
	}
	result, err := do(cmd.Context(), &workflow.Hooks{Bench: bench})
	for i := range result.Hooks {
		result.Hooks[i].Next = a.named(result.Hooks[i].Next)
	}
	for i := range result.Kept {
		result.Kept[i].Next = a.named(result.Kept[i].Next)
	}
	if j.wanted() {
		if err != nil {
			return err
		}
		return j.write(a.streams, result)
	}
	a.tellHooks(result)
	return err
}

// tellHooks prints a line for each hook, and the lines that are to be added.
func (a *app) tellHooks(r workflow.HooksResult) {
	for _, h := range r.Hooks {
		line := fmt.Sprintf("%s\t%s\t%s", h.Hook, h.State, h.Path)
		if h.Other != "" {
			line += "\twith " + h.Other
		}
		fmt.Fprintln(a.streams.out, strings.TrimRight(line, "\t"))
		if h.Reason != "" {
			a.progress.Warn(joinWords(h.Hook+":", h.Reason+";", h.Next))
		}
	}
	for _, call := range r.Calls {
		a.progress.Note("to be called, ours need these lines in " + call.File)
		fmt.Fprintf(a.streams.out, "\n%s", call.Text)
	}
	for i, kept := range r.Kept {
		if i > 0 { // the first is the error
			a.progress.Warn(fmt.Sprintf("left alone: %s %s; %s", kept.Path, kept.Reason, kept.Next))
		}
	}
}
