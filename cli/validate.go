package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/workflow"
)

func newValidateCommand(a *app) *cobra.Command {
	var (
		all, strict bool
		j           *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "validate [<id>...]",
		Short: "Check the documents of changes",
		Long: a.text(`
Check the documents of changes as a challenge does before it begins: headings, requirements, scenarios,
references, tasks, and a dry run of the spec merge. HIGH problems block; with --strict all of them do.`),
		Example: a.text(`
$ gh agentd validate add-oauth
$ gh agentd validate --all --strict`),
		Args: withArgs(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !all {
				return usage(cmd, fmt.Errorf("name a change, or say --all"))
			}
			if len(args) > 0 && all {
				return usage(cmd, fmt.Errorf("name changes or say --all, not both"))
			}
			requests := []workflow.ValidateRequest{{All: true, Strict: strict}}
			if !all {
				requests = nil
			}
			for _, arg := range args {
				id, err := a.changeID(cmd, arg)
				if err != nil {
					return err
				}
				requests = append(requests, workflow.ValidateRequest{Change: id, Strict: strict})
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			validate := workflow.Validate{Bench: bench}
			checked := []workflow.ChangeProblems{}
			for _, request := range requests {
				result, err := validate.Run(cmd.Context(), request)
				if err != nil {
					return err
				}
				checked = append(checked, result.Changes...)
			}
			if j.wanted() {
				if err := j.write(a.streams, checked); err != nil {
					return err
				}
			} else {
				a.printProblems(checked)
			}
			return invalid(checked)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "Check every open change")
	cmd.Flags().BoolVar(&strict, "strict", false, "Let every problem block, whatever its severity")
	j = addJSON(cmd, []workflow.ChangeProblems{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// printProblems prints one line per problem, as compilers do, and one per valid change.
func (a *app) printProblems(checked []workflow.ChangeProblems) {
	p := paint(a.streams.color)
	for _, change := range checked {
		for _, problem := range change.Problems {
			if !a.streams.outTTY {
				fmt.Fprintf(a.streams.out, "%s\t%s\t%d\t%s\t%s\t%s\n", change.Change, problem.File, problem.Line, problem.Severity, problem.Rule, oneLine(problem.Message))
				continue
			}
			mark := p.yellow(markWarn)
			if problem.Severity == specs.High {
				mark = p.red(markStop)
			}
			fmt.Fprintf(a.streams.out, "%s %s\n", mark, oneLine(problem.String()))
		}
		if a.streams.outTTY && change.Valid {
			fmt.Fprintf(a.streams.out, "%s %s is valid\n", p.green(markDone), change.Change)
		}
	}
}

// invalid refuses when a change does not hold; what is wrong with it has been said.
func invalid(checked []workflow.ChangeProblems) error {
	var names []string
	for _, change := range checked {
		if !change.Valid {
			names = append(names, change.Change)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &workflow.GateError{
		Gate:   "validate",
		Reason: fmt.Sprintf("%d of %s not valid: %s", len(names), plural(len(checked), "change"), strings.Join(names, ", ")),
		Next:   "edit the documents, then `gh agentd validate " + names[0] + "`",
	}
}
