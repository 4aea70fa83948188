package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newInitCommand(a *app) *cobra.Command {
	var (
		remove bool
		j      *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set this repository up",
		Long: a.text(`
Write agentd/config.toml, with every key and its default, and agentd/project.md into this repository.
A file of yours is never overwritten; nothing is committed. --remove takes away what init wrote and nobody changed.`),
		Example: a.text(`
$ gh agentd init
$ gh agentd init --remove`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			setup := workflow.Init{Bench: bench}
			result, err := setup.Run(cmd.Context(), workflow.InitRequest{Remove: remove})
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, result)
			}
			for _, path := range result.Written {
				fmt.Fprintln(a.streams.out, path)
			}
			for _, path := range result.Removed {
				fmt.Fprintln(a.streams.out, path)
			}
			for _, path := range result.Kept {
				a.progress.Note("kept as it is: " + path)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "Remove what init wrote, where nobody changed it")
	j = addJSON(cmd, workflow.InitResult{})
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}
