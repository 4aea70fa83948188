package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

func newConflictsCommand(a *app) *cobra.Command {
	var (
		exitCode bool
		j        *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "conflicts [<id>...]",
		Short: "Forecast which open changes collide",
		Long: a.text(`
Merge the specs of every open change, here and as fetched from remotes, with those of every other one, as archiving both
would, and say where a person would have to decide, whichever comes first. Tell also which changes touch the same
requirements or, by their tasks, the same files, and in which order they are best archived.

Nothing is fetched, proved or written: it is a forecast for what is known here now.`),
		Example: a.text(`
$ gh agentd conflicts
$ gh agentd conflicts add-oauth
$ gh agentd conflicts --exit-code --json pairs`),
		RunE: func(cmd *cobra.Command, args []string) error {
			var request workflow.ConflictsRequest
			for _, arg := range args {
				id, err := phases.ParseChangeID(arg)
				if err != nil {
					return usage(cmd, err)
				}
				request.Changes = append(request.Changes, id)
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			forecast := workflow.Conflicts{Bench: bench}
			result, err := forecast.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			if j.wanted() {
				err = j.write(a.streams, result)
			} else {
				a.collisions(result)
			}
			if err == nil && exitCode && result.Conflicting() {
				err = &workflow.GateError{Gate: "conflicts", Reason: "open changes collide", Next: "gh agentd conflicts"}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "Exit with 11 where a person would have to decide")
	j = addJSON(cmd, workflow.ConflictsResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// collisions prints a forecast: what needs a person first.
func (a *app) collisions(r workflow.ConflictsResult) {
	p, out := paint(a.streams.color), a.streams.out
	for _, c := range r.Changes {
		for _, conflict := range c.Conflicts {
			fmt.Fprintf(out, "%s %s\n  %s\n", p.red(markStop), oneLine(c.Change+" and the base branch: "+conflict.String()), oneLine(conflict.Hint))
		}
		if c.Problem != "" {
			fmt.Fprintf(out, "%s %s\n", p.yellow(markWarn), oneLine(c.Change+" cannot be forecast: "+c.Problem))
		}
	}
	for _, pair := range r.Pairs {
		mark := "-"
		if len(pair.Conflicts) > 0 {
			mark = p.red(markStop)
		}
		fmt.Fprintf(out, "%s %s\n", mark, oneLine(pair.Words()))
		if len(pair.Conflicts) > 0 {
			fmt.Fprintf(out, "  %s\n", oneLine(pair.Conflicts[0].Hint))
		}
	}
	var order []string
	for _, c := range r.Changes {
		order = append(order, c.Change)
	}
	switch {
	case len(order) == 0:
		fmt.Fprintln(out, "no open changes")
	case len(order) == 1 && !r.Conflicting():
		fmt.Fprintf(out, "%s is the only open change, and fits the base branch\n", order[0])
	case !r.Conflicting():
		fmt.Fprintf(out, "%s, none collides with another\n", plural(len(order), "open change"))
	}
	if len(r.Pairs) > 0 {
		fmt.Fprintf(out, "archive them in this order: %s\n", strings.Join(order, ", "))
	}
}
