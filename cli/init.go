package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newInitCommand(a *app) *cobra.Command {
	var (
		remove bool
		agents []string
		flows  workflowFlags
		j      *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set this repository up",
		Long: a.text(`
Write agentd/config.toml, with every key and its default, and agentd/project.md into this repository,
and skills for the agents that people use here: /agentd:plan, /agentd:impl and /agentd:archive, as each agent names them.

Agents are found by their folders and by their programs. --agents names them instead:
` + strings.Join(workflow.InitAgents(), ", ") + `; agents is the common folder .agents/skills, and none leaves skills out.

--github also writes three workflows for GitHub Actions: one checks the change of a pull request, lets agents judge it,
and publishes what they say; one takes people's reviews into its history; one has every open change judged.
They name the commit that this program was built from, or the one that --action names, and install the agents
that challenge and review here. docs/actions.md says what each job may do.

A file of yours is never overwritten, and nothing is committed. agentd/.installed.json says what was written:
init again brings what nobody changed up to date, and --remove takes it away, with --agents or --github only theirs.`),
		Example: a.text(`
$ gh agentd init
$ gh agentd init --agents claude,gemini
$ gh agentd init --github
$ gh agentd init --remove`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			named, err := agentNames(cmd, agents, remove)
			if err != nil {
				return err
			}
			request := workflow.InitRequest{Remove: remove, Agents: named, Workflows: flows.wanted}
			if request.Action, err = flows.pin(cmd, remove); err != nil {
				return err
			}
			bench, err := a.unconfigured(cmd.Context())
			if err != nil {
				return err
			}
			setup := workflow.Init{Bench: bench}
			result, err := setup.Run(cmd.Context(), request)
			result.Next = a.named(result.Next)
			for i := range result.Kept {
				result.Kept[i].Next = a.named(result.Kept[i].Next)
			}
			if j.wanted() {
				if err != nil {
					return err
				}
				return j.write(a.streams, result)
			}
			a.tellInit(result)
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "Remove what init wrote, where nobody changed it")
	cmd.Flags().StringSliceVar(&agents, "agents", nil, "Write the skills of these `agents`, separated by commas, or of none")
	_ = cmd.RegisterFlagCompletionFunc("agents", cobra.FixedCompletions(append(workflow.InitAgents(), "none"), cobra.ShellCompDirectiveNoFileComp))
	flows.add(cmd)
	j = addJSON(cmd, workflow.InitResult{})
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// agentNames is what --agents says: nil where it was not given.
func agentNames(cmd *cobra.Command, names []string, remove bool) ([]string, error) {
	if !cmd.Flags().Changed("agents") {
		return nil, nil
	}
	if len(names) == 1 && names[0] == "none" {
		if remove {
			return nil, usage(cmd, errors.New("--remove with --agents none would remove nothing"))
		}
		return []string{}, nil
	}
	for _, name := range names {
		if !slices.Contains(workflow.InitAgents(), name) {
			return nil, usage(cmd, fmt.Errorf("--agents is %q, want some of %s, or none", name, strings.Join(workflow.InitAgents(), ", ")))
		}
	}
	if len(names) == 0 {
		return nil, usage(cmd, errors.New("--agents names nobody; none leaves skills out"))
	}
	return names, nil
}

// tellInit prints the paths that were touched on standard output, and what is to be known about them beside it.
func (a *app) tellInit(r workflow.InitResult) {
	for _, path := range slices.Concat(r.Written, r.Updated, r.Removed) {
		fmt.Fprintln(a.streams.out, path)
	}
	for _, kept := range r.Kept {
		a.progress.Warn(fmt.Sprintf("left alone: %s %s; %s", kept.Path, kept.Reason, kept.Next))
	}
	if len(r.Present) > 0 && len(r.Written)+len(r.Updated) == 0 {
		a.progress.Note(fmt.Sprintf("nothing to write: %d files are there already", len(r.Present)))
	}
	for _, agent := range r.Agents {
		a.progress.Note(fmt.Sprintf("in %s: %s", agent.Name, agent.Call))
	}
	touched := len(r.Written)+len(r.Updated) > 0
	for _, secret := range r.Secrets {
		if touched {
			a.progress.Note("the workflows need a key: `gh secret set " + secret + "`")
		}
	}
	switch {
	case r.Next == "":
	case touched:
		a.progress.Note("next: commit these files, then " + r.Next)
	default:
		a.progress.Note("next: " + r.Next)
	}
}
