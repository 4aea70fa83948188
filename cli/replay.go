package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/agents"
)

// newReplayCommand is the agent that plays a recorded run. The program starts it itself, as any other agent.
func newReplayCommand(a *app) *cobra.Command {
	var (
		opts     agents.PlayOptions
		cassette string
	)
	cmd := &cobra.Command{
		Use:     "replay --cassette <file> --step <step>",
		Short:   "Play one recorded agent call",
		Hidden:  true,
		Example: a.text(`$ gh agentd replay --cassette demo.yaml --step challenge --round 1 --change add-oauth --dir .`),
		Args:    withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opts.Cassette, err = agents.ReadCassette(cassette); err != nil {
				return fmt.Errorf("read the cassette: %w", err)
			}
			opts.CassetteName = cassette
			opts.Out = a.env.Out
			opts.Environ = a.env.Environ
			return agents.Play(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&cassette, "cassette", "", "Play from this `file`")
	flags.StringVar(&opts.Step, "step", "", "Play the call of this `step`")
	flags.IntVar(&opts.Round, "round", 0, "Play the call of this `round`")
	flags.StringVar(&opts.Task, "task", "", "Play the call of this `task`")
	flags.StringVar(&opts.Change, "change", "", "Say this change `id` to the tools")
	flags.StringVar(&opts.Dir, "dir", "", "Write files in this `folder`")
	flags.StringVar(&opts.Tools.Command, "tool-command", "", "Call the tools of this MCP `server`")
	flags.StringArrayVar(&opts.Tools.Args, "tool-arg", nil, "Start the server with this `word` as argument; repeatable")
	exitCodes(cmd, ExitInterrupted)
	return cmd
}
