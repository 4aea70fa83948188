package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/workflow"
)

func newCheckCommand(a *app) *cobra.Command {
	var (
		deepen bool
		sarif  string
		j      *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "check [<id> | <branch> | <range>]...",
		Short: "Judge histories as the pre-push hook and the required check do",
		Long: a.text(`
Judge changes by their commits: every transition is replayed, and every rule that is broken is named
with the commit and the next command. docs/checks.md lists the rules.

Without a name, all open changes are judged. In GitHub Actions it is what the event brings: the branch of a
pull request, a merge queue, a push; violations are then annotations too, and a shallow checkout is deepened.
A range A..B is judged as if it landed on A. No model is asked, and nothing is written.`),
		Example: a.text(`
$ gh agentd check
$ gh agentd check add-oauth
$ gh agentd check origin/main..main
$ gh agentd check --sarif check.sarif`),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := workflow.CheckRequest{Names: args, Deepen: deepen}
			if a.inActions() {
				request.Deepen, request.Fetched = true, true
				if err := a.fromEvent(&request); err != nil {
					return err
				}
			}
			check, err := a.checker(cmd.Context())
			if err != nil {
				return err
			}
			result, err := check.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			if a.inActions() {
				a.annotate(result)
			}
			if sarif != "" {
				if err := a.writeSARIF(sarif, result); err != nil {
					return err
				}
			}
			if j.wanted() {
				return errors.Join(result.Err(), j.write(a.streams, result))
			}
			a.judgement(a.streams.out, result)
			return result.Err()
		},
	}
	cmd.Flags().BoolVar(&deepen, "deepen", false, "Fetch the history that a shallow clone lacks")
	cmd.Flags().StringVar(&sarif, "sarif", "", "Write the violations to a `file` as SARIF 2.1.0, for code scanning")
	j = addJSON(cmd, workflow.CheckResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// checker builds the verifier. It needs the repository and nothing else: the policy is the base branch's.
func (a *app) checker(ctx context.Context) (*workflow.Check, error) {
	repo, err := gitops.Open(ctx, gitops.Env{Dir: a.workDir(), Environ: a.gitEnviron(), Notice: a.progress.Note})
	if err != nil {
		return nil, err
	}
	return &workflow.Check{Store: &changes.Store{Repo: repo, Now: a.env.Now}}, nil
}

// judgement says what was violated, each with its way out, and what was looked at.
func (a *app) judgement(w io.Writer, r workflow.CheckResult) {
	p := paint(a.streams.color)
	for _, v := range r.Violations {
		text := oneLine(v.Message)
		if v.Change != "" {
			text = joinWords(v.Change+":", text)
		}
		fmt.Fprintf(w, "%s %s (%s)\n  %s\n", p.red(markStop), harmless(text), v.Rule, harmless(a.named(oneLine(v.Hint))))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "%s %s\n", p.yellow(markWarn), harmless(oneLine(note)))
	}
	if r.Nothing() {
		fmt.Fprintln(w, "nothing to check: no change is touched")
		return
	}
	fmt.Fprintf(w, "checked %s, %s, %s", plural(r.Changes, "change"), plural(r.Transitions, "transition"), plural(r.Verdicts, "verdict"))
	if r.Archives > 0 {
		fmt.Fprintf(w, ", %s", plural(r.Archives, "archive record"))
	}
	fmt.Fprintln(w)
}
