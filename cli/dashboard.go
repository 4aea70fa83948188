package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// dashboard is what the program says when it is asked nothing:
// the open changes by phase and what each waits for; outside a repository, the help.
func (a *app) dashboard(cmd *cobra.Command) error {
	bench, err := a.bench(cmd.Context())
	if errors.Is(err, gitops.ErrNotRepository) && cmd.Parent() == nil {
		return cmd.Help()
	}
	if err != nil {
		return err
	}
	list := workflow.List{Bench: bench}
	items, err := list.Run(cmd.Context(), workflow.ListRequest{})
	if err != nil {
		return err
	}
	if !a.streams.outTTY {
		return a.listTable(items)
	}
	p := paint(a.streams.color)
	if len(items) == 0 {
		fmt.Fprintf(a.streams.out, "No open changes. Begin one with `%s plan <id> \"<description>\"`.\n", a.name)
		return nil
	}
	open := 0
	for phase := phases.Proposed; phase <= phases.Archived; phase++ {
		printed := false
		for _, item := range items {
			if item.Phase != phase || item.Problem != "" {
				continue
			}
			if !printed {
				fmt.Fprintf(a.streams.out, "%s\n", a.phaseColor(phase)(phase.String()))
				printed = true
			}
			open++
			a.dashboardLine(p, item)
		}
	}
	for _, item := range items {
		if item.Problem != "" {
			fmt.Fprintf(a.streams.out, "%s %s: %s\n", p.red(markStop), item.Change, oneLine(item.Problem))
		}
	}
	fmt.Fprintf(a.streams.out, "\n%s open. `%s status <id>` proves one and shows more.\n", plural(open, "change"), a.name)
	return nil
}

func (a *app) dashboardLine(p paint, item workflow.ListItem) {
	waits := a.waitsFor(item)
	stale := ""
	if item.Stale {
		stale = "(stale)"
	}
	fmt.Fprintf(a.streams.out, "  %s %s\n", p.bold(item.Change), joinWords(stale, waits, p.muted(ago(a.env.Now(), item.UpdatedAt))))
}

// waitsFor says what a change waits for, by its phase and last verdict.
func (a *app) waitsFor(item workflow.ListItem) string {
	command := func(verb string) string { return "`" + a.name + " " + verb + " " + item.Change + "`" }
	switch item.Phase {
	case phases.Proposed:
		if item.Verdict == phases.NeedsRevision {
			return "the challenge asks for revision: " + command("plan")
		}
		return "planning goes on with " + command("plan")
	case phases.Challenged:
		return "the plan is approved: " + command("impl")
	case phases.Rejected:
		return markWarn + " waits for a person: " + command("show") + " and " + command("reopen")
	case phases.Implementing:
		if item.Verdict == phases.MajorIssues {
			return markWarn + " waits for a person: major issues, " + command("status")
		}
		return "work goes on with " + command("impl")
	case phases.Complete:
		return "ready: " + command("archive")
	}
	return ""
}
