package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

func newListCommand(a *app) *cobra.Command {
	var (
		all   bool
		phase string
		j     *jsonFlags
	)
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the changes of this repository",
		Long: a.text(`
List the changes of this repository with phase, round and last verdict.

The list is one quick read and not proved: ` + "`gh agentd status <id>`" + ` replays the history of a change.`),
		Example: a.text(`
$ gh agentd list
$ gh agentd list --phase challenged
$ gh agentd list --all --json change,phase --jq '.[].change'`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request := workflow.ListRequest{All: all}
			if phase != "" {
				p, err := phases.ParsePhase(phase)
				if err != nil {
					return usage(cmd, err)
				}
				request.Phase = p
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			list := workflow.List{Bench: bench}
			items, err := list.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, items)
			}
			if len(items) == 0 {
				a.progress.Note(a.named("no changes here; begin one with `gh agentd plan <id> \"<description>\"`"))
				return nil
			}
			return a.listTable(items)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "Also list archived changes")
	cmd.Flags().StringVarP(&phase, "phase", "p", "", "List only changes in this `phase`")
	_ = cmd.RegisterFlagCompletionFunc("phase", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return phaseNames(), cobra.ShellCompDirectiveNoFileComp
	})
	j = addJSON(cmd, []workflow.ListItem{})
	exitCodes(cmd, ExitInterrupted)
	return cmd
}

func phaseNames() []string {
	var names []string
	for p := phases.Proposed; p <= phases.Archived; p++ {
		names = append(names, p.String())
	}
	return names
}

func (a *app) listTable(items []workflow.ListItem) error {
	s, p := a.streams, paint(a.streams.color)
	out := bufio.NewWriter(s.out) // the printer writes field by field
	table := tableprinter.New(out, s.outTTY, s.width())
	if s.outTTY {
		table.AddHeader([]string{"CHANGE", "PHASE", "ROUND", "VERDICT", "LAST STEP", "UPDATED"}, tableprinter.WithColor(p.muted))
	}
	for _, item := range items {
		table.AddField(item.Change, tableprinter.WithColor(p.bold))
		table.AddField(phaseText(item), tableprinter.WithColor(a.phaseColor(item.Phase)))
		table.AddField(number(item.Round))
		table.AddField(string(item.Verdict))
		table.AddField(string(item.Step))
		if s.outTTY {
			table.AddField(ago(a.env.Now(), item.UpdatedAt), tableprinter.WithColor(p.muted))
		} else {
			table.AddField(stamp(item.UpdatedAt))
		}
		table.EndRow()
	}
	return errors.Join(table.Render(), out.Flush())
}

// phaseText is the phase, with what makes it less than it was, or what keeps it from being known.
func phaseText(item workflow.ListItem) string {
	text := item.Phase.String()
	switch {
	case item.Problem != "":
		return "problem: " + oneLine(item.Problem)
	case item.Stale:
		text += " (stale)"
	case item.ArchivePending:
		text += " (archive pending)"
	}
	return text
}

func (a *app) phaseColor(phase phases.Phase) func(string) string {
	p := paint(a.streams.color)
	switch phase {
	case phases.Complete, phases.Challenged:
		return p.green
	case phases.Rejected:
		return p.red
	case phases.Archived:
		return p.muted
	}
	return p.yellow
}

// number leaves out what is not known.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// stamp is a time for programs, "" where it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// ago is how long something is past, as gh says it.
func ago(now, then time.Time) string {
	if then.IsZero() {
		return ""
	}
	switch d := max(now.Sub(then), 0); {
	case d < time.Minute:
		return "less than a minute ago"
	case d < time.Hour:
		return "about " + plural(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return "about " + plural(int(d.Hours()), "hour") + " ago"
	case d < 60*24*time.Hour:
		return "about " + plural(int(d.Hours()/24), "day") + " ago"
	}
	return then.Format("Jan _2, 2006")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
