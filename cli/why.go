package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/workflow"
)

func newWhyCommand(a *app) *cobra.Command {
	var j *jsonFlags
	cmd := &cobra.Command{
		Use:   "why <spec>[#<requirement>]",
		Short: "Show which changes brought a requirement to its present text",
		Long: a.text(`
Show which change, commit, round and approval brought a requirement of a spec on the base branch to its present text,
and what that change cost, back to where the requirement was added, under whatever id it had then.
Of a whole spec, show for each requirement what changed it last.

It reads the base branch and the archive records that came with its commits, which are there also after a squash merge.
What no record explains is shown as somebody's own edit.`),
		Example: a.text(`
$ gh agentd why auth#R3
$ gh agentd why auth
$ gh agentd why auth#R3 --json requirements`),
		Args: withArgs(1, 1, "spec#requirement, or a spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := specs.ParseSpecRef(args[0])
			if err != nil {
				return usage(cmd, err)
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			why := workflow.Why{Bench: bench}
			result, err := why.Run(cmd.Context(), workflow.WhyRequest{Ref: ref})
			if err != nil {
				return err
			}
			switch {
			case j.wanted():
				return j.write(a.streams, result)
			case ref.Requirement == "":
				return a.whyTable(result)
			}
			out := bufio.NewWriter(a.streams.out)
			for _, r := range result.Requirements {
				a.whyStory(out, result.Spec, r)
			}
			return out.Flush()
		},
	}
	j = addJSON(cmd, workflow.WhyResult{})
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	exitCodes(cmd, ExitInterrupted)
	return cmd
}

// whyStory prints the steps of one requirement, the newest first.
func (a *app) whyStory(out io.Writer, spec string, r workflow.WhyRequirement) {
	p := paint(a.streams.color)
	title := joinWords(p.bold(spec+"#"+r.Requirement), oneLine(r.Title))
	if r.Line == 0 {
		title += " (not there any more)"
	}
	fmt.Fprintln(out, title)
	for _, s := range r.Steps {
		who := "by hand, " + s.By + ": no archive explains it"
		switch {
		case s.TakenBack:
			who = "by taking change " + s.Change + " back"
		case s.Change != "":
			who = "by change " + s.Change
		}
		fmt.Fprintf(out, "\n%s  %.10s  %s\n", s.At.Format("2006-01-02"), s.Commit, oneLine(who))
		for _, did := range s.Did {
			fmt.Fprintf(out, "  %s\n", oneLine(did))
		}
		if s.Resolved {
			fmt.Fprintf(out, "  the base had it edited too: a person decided\n")
		}
		if s.Change == "" || s.TakenBack {
			continue
		}
		if w := s.Written; w != nil {
			step := string(w.Step)
			if step == "" {
				step = "own commit"
			}
			fmt.Fprintf(out, "  written:  %.10s  %s, round %d, %s\n", w.Commit, step, w.Round, oneLine(w.By))
		}
		fmt.Fprintf(out, "  approved: plan %s; code %s\n", approvalWords(s.Plan), approvalWords(s.Code))
		fmt.Fprintf(out, "  cost:     %s\n", usedText(s.Usage))
	}
}

func approvalWords(a *workflow.WhyApproval) string {
	switch {
	case a == nil:
		return "by nobody that the record names"
	case a.Round == 0:
		return "by " + oneLine(a.By)
	}
	return fmt.Sprintf("in round %d by %s", a.Round, oneLine(a.By))
}

// whyTable prints what changed each requirement last.
func (a *app) whyTable(r workflow.WhyResult) error {
	s, p := a.streams, paint(a.streams.color)
	out := bufio.NewWriter(s.out) // the printer writes field by field
	table := tableprinter.New(out, s.outTTY, s.width())
	if s.outTTY {
		table.AddHeader([]string{"REQUIREMENT", "TITLE", "LAST CHANGE", "COMMIT", "DATE", "APPROVED BY"}, tableprinter.WithColor(p.muted))
	}
	for _, one := range r.Requirements {
		table.AddField(one.Requirement, tableprinter.WithColor(p.bold))
		table.AddField(oneLine(one.Title))
		var step workflow.WhyStep
		if len(one.Steps) > 0 {
			step = one.Steps[0]
		}
		change := step.Change
		if change == "" {
			change = strings.TrimSpace(oneLine("(by hand) " + step.By))
		}
		table.AddField(change)
		table.AddField(step.Commit[:min(len(step.Commit), 10)])
		table.AddField(step.At.Format("2006-01-02"))
		by := ""
		if step.Plan != nil {
			by = oneLine(step.Plan.By)
		}
		table.AddField(by)
		table.EndRow()
	}
	if err := table.Render(); err != nil {
		return err
	}
	return out.Flush()
}
