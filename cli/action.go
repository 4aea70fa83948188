package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/workflow"
)

// workFlags are those of plan and impl: who decides between rounds, and where the work is done.
type workFlags struct {
	auto, once                          bool
	inWorktree, inBranch, carry, commit bool
	goOn                                bool
	budget                              budgetFlag
	record                              fileFlag
}

func addWorkFlags(cmd *cobra.Command, f *workFlags) {
	flags := cmd.Flags()
	flags.BoolVar(&f.auto, "auto", false, "Loop up to the limits without asking")
	flags.BoolVar(&f.once, "no-auto", false, "Stop after the first verdict and leave the decision open")
	flags.BoolVar(&f.goOn, "continue", false, "Go on after a limit or major issues: your decision, recorded as such")
	flags.BoolVar(&f.carry, "carry", false, "With --branch: take uncommitted files along")
	exclusive(cmd, "auto", "no-auto")
	addPlaceFlags(cmd, f)
}

// addPlaceFlags are also those of the single steps.
func addPlaceFlags(cmd *cobra.Command, f *workFlags) {
	flags := cmd.Flags()
	flags.BoolVar(&f.inWorktree, "worktree", false, "Work in a linked worktree of the change's own")
	flags.BoolVar(&f.inBranch, "branch", false, "Switch this checkout to the change's branch and work there")
	flags.BoolVar(&f.commit, "commit-edits", false, "Take your uncommitted edits of the plan into the history without asking")
	exclusive(cmd, "worktree", "branch")
	flags.Var(&f.record, "record", "Record what the agents do into a cassette, `FILE`, that the agent replay can play")
	addBudgetFlag(cmd, &f.budget)
}

// settle tells the bench what the flags say of the whole run.
func (a *app) settle(b *workflow.Bench, f *workFlags) error {
	if f.budget.with != nil {
		b.Config.Budget = f.budget.with(b.Config.Budget)
	}
	if f.record == "" {
		return nil
	}
	return b.Record(a.path(string(f.record)))
}

// fileFlag is the name of a file. An empty one is a variable that was not set, and no wish to do without.
type fileFlag string

func (f *fileFlag) String() string { return string(*f) }
func (f *fileFlag) Type() string   { return "file" }

// Set takes any name but the empty one.
func (f *fileFlag) Set(name string) error {
	if name == "" {
		return errors.New("want the name of a file")
	}
	*f = fileFlag(name)
	return nil
}

// mode says who decides: flags first, then whether anybody is there, then the configuration.
func (f *workFlags) mode(b *workflow.Bench) workflow.Mode {
	switch {
	case f.once:
		return workflow.ModeOnce
	case f.auto, b.Ask == nil, !b.Config.Workflow.HumanInLoop:
		return workflow.ModeAuto
	}
	return workflow.ModeInteractive
}

func (f *workFlags) where() workflow.Where {
	switch {
	case f.inWorktree:
		return workflow.InWorktree
	case f.inBranch:
		return workflow.InBranch
	}
	return workflow.WhereConfigured
}

// action is what changes a change.
type action func(context.Context, *workflow.Bench) (workflow.ActionResult, error)

// act runs what changes a change, and answers. The result counts also where an error comes with it.
func (a *app) act(cmd *cobra.Command, j *jsonFlags, run action) error {
	return a.actAndPublish(cmd, j, run, nil)
}

// actAndPublish is act for commands whose work is published at their end, where flags are given.
func (a *app) actAndPublish(cmd *cobra.Command, j *jsonFlags, run action, flags *workFlags) error {
	bench, err := a.bench(cmd.Context())
	if err != nil {
		return err
	}
	if j.wanted() {
		bench.Ask = nil
	}
	result, err := run(cmd.Context(), bench)
	a.progress.close(err)
	var unpublished error
	if flags != nil {
		publish := workflow.Publish{Bench: bench}
		unpublished = publish.After(cmd.Context(), &result, err, flags.mode(bench))
		a.progress.close(unpublished)
	}
	a.nameCommands(&result)
	if j.wanted() {
		if result.Action == "" {
			return err
		}
		return errors.Join(cmp.Or(err, unpublished), j.write(a.streams, result))
	}
	a.tell(result, err)
	if err == nil && result.Decision != nil && result.Action == workflow.ActionDecisionPending {
		id, _ := phases.ParseChangeID(result.Change)
		err = &workflow.DecisionError{ID: id, Decision: *result.Decision}
	}
	return cmp.Or(err, unpublished)
}

// tell prints the answer on standard output and what belongs around it on standard error.
func (a *app) tell(r workflow.ActionResult, err error) {
	if err != nil || r.Action == workflow.ActionDecisionPending {
		for _, f := range r.Findings {
			a.progress.detailLine(findingLine(f))
		}
	}
	for _, path := range r.Left {
		a.progress.Warn("left alone: " + path)
	}
	if used := usageLine(r.Usage); used != "" && len(r.Commits) > 0 {
		a.progress.Note(used)
	}
	if err != nil {
		return
	}
	if r.Message != "" {
		fmt.Fprintln(a.streams.out, oneLine(r.Change+": "+r.Message))
	}
	if r.Worktree != "" && len(r.Commits) > 0 {
		a.progress.Note("worktree: " + r.Worktree)
	}
	if r.PullRequest != "" {
		a.progress.Note("pull request: " + r.PullRequest)
	}
	if r.Next != "" && r.Action != workflow.ActionDecisionPending {
		a.progress.Note("next: " + r.Next)
	}
}

// nameCommands writes the commands of a result the way this person types them.
func (a *app) nameCommands(r *workflow.ActionResult) {
	r.Next, r.Decision = a.named(r.Next), a.namedDecision(r.Decision)
}

// namedDecision is a decision, or nil, with the commands as this person types them.
func (a *app) namedDecision(d *workflow.Decision) *workflow.Decision {
	if d == nil {
		return nil
	}
	decision := *d
	decision.Options = append([]workflow.DecisionOption(nil), decision.Options...)
	for i := range decision.Options {
		decision.Options[i].Command = a.named(decision.Options[i].Command)
	}
	return &decision
}

// findingLine is "HIGH F-3f2a9c what is wrong (auth#R2)".
func findingLine(f specs.Finding) string {
	text := f.Title
	if text == "" {
		text = f.Description
	}
	place := f.SpecRef
	if f.File != "" {
		place = f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
	line := joinWords(f.Severity.String(), f.ID, oneLine(text))
	if place != "" {
		line += " (" + oneLine(place) + ")"
	}
	return line
}

// description is what a person wants: an argument, a file, or standard input.
func (a *app) description(cmd *cobra.Command, args []string, file string) (string, error) {
	text := strings.Join(args, " ")
	if text != "" && file != "" {
		return "", usage(cmd, errors.New("give the description as an argument or with --file, not both"))
	}
	if text == "-" {
		file = "-"
	}
	if file == "" {
		return strings.TrimSpace(text), nil
	}
	data, err := a.readInput("--file", file)
	return strings.TrimSpace(proc.Clean(string(data))), err
}
