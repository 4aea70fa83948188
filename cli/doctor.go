package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newDoctorCommand(a *app) *cobra.Command {
	var (
		fix  bool
		take string
		j    *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "doctor [<id>]",
		Short: "Prove every change and name what contradicts",
		Long: a.text(`
Replay the history of one change, or of all, and name the first illegal commit, a STATE.yaml that contradicts
the history, specs and archives that do not belong together, and settings of git and GitHub that stand in the way
or would lose records.

With --fix, STATE.yaml is rewritten from the history. With --take, one of two diverged histories is chosen;
the other is kept under refs/agentd/saved.`),
		Example: a.text(`
$ gh agentd doctor
$ gh agentd doctor add-oauth --fix
$ gh agentd doctor add-oauth --take remote`),
		Args: withArgs(0, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := workflow.DoctorRequest{Fix: fix, Take: take}
			if len(args) == 1 {
				id, err := a.changeID(cmd, args[0])
				if err != nil {
					return err
				}
				request.Change = id
			}
			switch {
			case take != "" && take != "remote" && take != "local":
				return usage(cmd, fmt.Errorf("--take knows remote and local, not %q", take))
			case take != "" && len(args) == 0:
				return usage(cmd, fmt.Errorf("--take needs a change's id"))
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			doctor := workflow.Doctor{Bench: bench}
			result, err := doctor.Run(cmd.Context(), request)
			if j.wanted() {
				if err != nil {
					return err
				}
				return errors.Join(unhealthy(result), j.write(a.streams, result))
			}
			if err != nil {
				return err
			}
			if take == "" {
				a.diagnosis(result)
			}
			return unhealthy(result)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "Rewrite STATE.yaml where it contradicts the history")
	cmd.Flags().StringVar(&take, "take", "", "Settle a diverged change: take the `side` remote or local")
	j = addJSON(cmd, workflow.DoctorResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

func (a *app) diagnosis(r workflow.DoctorResult) {
	p := paint(a.streams.color)
	for _, f := range r.Findings {
		mark := p.yellow(markWarn)
		switch {
		case f.Fixed:
			mark = p.green(markDone)
		case f.Severity == "error":
			mark = p.red(markStop)
		case f.Severity == "note":
			mark = "-"
		}
		text := joinWords(f.Change+":", oneLine(f.Message))
		if f.Change == "" {
			text = oneLine(f.Message)
		}
		if f.Fixed {
			text += " (repaired)"
		}
		fmt.Fprintf(a.streams.out, "%s %s\n", mark, text)
		if f.Hint != "" && !f.Fixed {
			fmt.Fprintf(a.streams.out, "  %s\n", a.named(oneLine(f.Hint)))
		}
	}
	fmt.Fprintf(a.streams.out, "checked %s, %s replayed\n", plural(r.Checked, "change"), plural(r.Transitions, "transition"))
}

// unhealthy refuses when something is wrong that was not mended; what it is has been said.
func unhealthy(r workflow.DoctorResult) error {
	if r.Healthy() {
		return nil
	}
	wrong, next := 0, ""
	for _, f := range r.Findings {
		if f.Severity == "error" && !f.Fixed {
			wrong++
			if next == "" {
				next = f.Hint
			}
		}
	}
	return &workflow.GateError{Gate: "doctor", Reason: plural(wrong, "fault") + " found", Next: next}
}
