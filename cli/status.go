package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

func newStatusCommand(a *app) *cobra.Command {
	var j *jsonFlags
	cmd := &cobra.Command{
		Use:   "status [<id>]",
		Short: "Show where a change stands, proved from its history",
		Long: a.text(`
Show where a change stands: its phase, proved by replaying every transition in its history,
what makes an approval stale, which documents and tasks are there, what it cost, and what comes next.

Without an id, all open changes are shown, as ` + "`gh agentd list`" + ` does.`),
		Example: a.text(`
$ gh agentd status add-oauth
$ gh agentd status add-oauth --json phase,next`),
		Args: withArgs(0, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if j.wanted() {
					return usage(cmd, fmt.Errorf("--json needs a change's id; for all changes there is `%s list --json`", cmd.Root().Name()))
				}
				return a.dashboard(cmd)
			}
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			status := workflow.Status{Bench: bench}
			result, err := status.Run(cmd.Context(), workflow.StatusRequest{Change: id})
			if err != nil && result.Head == "" {
				return err // nothing of it could be read
			}
			result.Next = a.named(result.Next)
			if j.wanted() {
				if writeErr := j.write(a.streams, result); writeErr != nil {
					return writeErr
				}
				return err
			}
			a.statusPage(result)
			return err
		},
	}
	j = addJSON(cmd, workflow.StatusResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// statusPage prints what a person wants to know; elsewhere the same facts as "key:<tab>value" lines.
func (a *app) statusPage(r workflow.StatusResult) {
	w, p := a.streams.out, paint(a.streams.color)
	if a.streams.outTTY {
		fmt.Fprintf(w, "%s  %s\n\n", p.bold(r.Change), a.phaseColor(r.Phase)(r.Phase.String()))
	} else {
		a.fact(w, "change", r.Change)
		a.fact(w, "phase", r.Phase.String())
	}
	a.fact(w, "why", whyEffective(r))
	a.fact(w, "problem", oneLine(r.Mismatch))
	a.fact(w, "round", roundText(r))
	a.fact(w, "verdict", verdictText(r))
	if r.Approval != nil {
		a.fact(w, "approved", approvalText(*r.Approval))
	}
	a.fact(w, "branch", r.Branch+" at "+short(r.Head))
	a.fact(w, "base", r.Base)
	a.fact(w, "worktree", r.Worktree)
	a.fact(w, "plan tree", r.PlanTree)
	a.fact(w, "code tree", r.CodeTree)
	a.fact(w, "proved", plural(r.Proved, "transition")+" replayed")
	if r.Usage.Calls > 0 {
		a.fact(w, "used", strings.TrimPrefix(usageLine(r.Usage), "used so far: "))
	}
	a.statusLists(w, p, r)
	a.fact(w, "next", r.Next)
}

func (a *app) statusLists(w io.Writer, p paint, r workflow.StatusResult) {
	if !a.streams.outTTY {
		for _, artefact := range r.Artefacts {
			a.fact(w, "artefact", fmt.Sprintf("%s\t%t", artefact.Path, artefact.Present))
		}
		for _, task := range r.Tasks {
			a.fact(w, "task", fmt.Sprintf("%s\t%t\t%s", task.ID, task.Done, oneLine(task.Title)))
		}
		for _, t := range r.Transitions {
			a.fact(w, "transition", strings.Join([]string{t.Commit, string(t.Step), t.From.String(), t.Phase.String(),
				strconv.Itoa(t.Round), string(t.Verdict), doer(t), stamp(t.At)}, "\t"))
		}
		return
	}
	fmt.Fprintln(w)
	for _, artefact := range r.Artefacts {
		fmt.Fprintf(w, "%s %s\n", tick(p, artefact.Present), artefact.Path)
	}
	for _, task := range r.Tasks {
		fmt.Fprintf(w, "%s %s %s\n", tick(p, task.Done), task.ID, oneLine(task.Title))
	}
	fmt.Fprintln(w)
	for _, t := range r.Transitions {
		line := fmt.Sprintf("%s  %s", p.cyan(short(t.Commit)), t.Step)
		if t.Round > 0 {
			line += fmt.Sprintf(" (round %d)", t.Round)
		}
		if t.Verdict != "" {
			line += " " + string(t.Verdict)
		}
		if t.From != t.Phase {
			line += fmt.Sprintf(": %s → %s", t.From, t.Phase)
		}
		fmt.Fprintln(w, joinWords(line, p.muted(joinWords(doer(t), ago(a.env.Now(), t.At)))))
	}
	fmt.Fprintln(w)
}

// fact is one line of the page; an empty value leaves it out.
func (a *app) fact(w io.Writer, key, value string) {
	if value == "" {
		return
	}
	if a.streams.outTTY {
		fmt.Fprintf(w, "%-10s %s\n", key, value)
		return
	}
	fmt.Fprintf(w, "%s:\t%s\n", key, value)
}

func tick(p paint, done bool) string {
	if done {
		return p.green(markDone)
	}
	return p.muted(markGoing)
}

// whyEffective says why the phase is not the one that was recorded.
func whyEffective(r workflow.StatusResult) string {
	switch {
	case r.StalePlan:
		return fmt.Sprintf("it was %s, and the plan was edited since its approval", r.Recorded)
	case r.Reverify:
		return "it was complete; the base moved below it, and the same diff needs its evidence again"
	case r.TakenBack != nil:
		return fmt.Sprintf("%s had its archive, and took it back in %s", r.TakenBack.Where(), short(r.TakenBack.Commit))
	case r.ArchivePending:
		return "its archive is on its branch, and the base does not have it yet"
	case r.StaleCode:
		return fmt.Sprintf("it was %s, and the code was edited since its approval", r.Recorded)
	}
	return ""
}

func roundText(r workflow.StatusResult) string {
	text := strconv.Itoa(r.Round)
	if r.Phase == phases.Proposed || r.Phase == phases.Implementing {
		text += fmt.Sprintf(" (%d of %d repairs used)", r.Repairs, r.Limit)
	}
	return text
}

func approvalText(approval workflow.ApprovalInfo) string {
	text := joinWords(approval.Of, "by", approval.By, "in", short(approval.Commit))
	if !approval.Fresh {
		text += " (stale)"
	}
	return text
}

// verdictText is the newest verdict with the number of its findings.
func verdictText(r workflow.StatusResult) string {
	if r.Verdict == "" || r.Findings == nil {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s (%d high, %d medium, %d low)", r.Verdict, r.Findings.High, r.Findings.Medium, r.Findings.Low)
}

// doer is who did a transition: the program, or a person.
func doer(t workflow.TransitionInfo) string {
	if t.Agent != "" {
		return t.Agent
	}
	return string(t.By)
}

// short is an object id cut to the length that people read.
func short(id string) string { return id[:min(len(id), 10)] }
