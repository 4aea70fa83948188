package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
	"github.com/agentd/gh-agentd/phases"
)

func newMCPCommand(a *app) *cobra.Command {
	var change, step, run string
	cmd := &cobra.Command{
		Use:   "mcp --change <id>",
		Short: "Serve a change's tools to an agent over MCP",
		Long: a.text(`
Serve the tools of one change over the Model Context Protocol, on standard input and output.

The agents that a command starts get this server by themselves, bound to one run and one step.
Without --run it offers tools that only read, for an agent session of your own.
It never commits: what tools write is handed to the run that started the agent.`),
		Example: a.text(`
# in an agent's list of MCP servers
$ gh agentd mcp --change add-oauth`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := mcp.Options{Version: version(), In: a.env.In, Out: a.env.Out, Log: a.log()}
			if run == "" && step != "" {
				return usage(cmd, errors.New("--step needs --run: only a run can take what tools write"))
			}
			if change == "" {
				return usage(cmd, errors.New("--change is missing"))
			}
			if run != "" {
				box, err := a.runBox(run, change, step)
				if err != nil {
					return err
				}
				opts.Box = box
				return mcp.Serve(cmd.Context(), opts)
			}
			id, err := a.changeID(cmd, change)
			if err != nil {
				return err
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			c, err := bench.Store.Open(cmd.Context(), id)
			if err != nil {
				return err // a client would only see every tool fail
			}
			opts.Change = id.String()
			opts.Reader = changeReader{store: bench.Store, id: id}
			opts.Validation = bench.RulesFor(c)
			return mcp.Serve(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&change, "change", "", "Serve the change with this `id`")
	flags.StringVar(&step, "step", "", "Offer the tools of this `step` of a run")
	flags.StringVar(&run, "run", "", "Hand over to the run with this `folder`")
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// runBox opens the run folder and refuses one that is for something else:
// an agent's identity is how its server was started.
func (a *app) runBox(run, change, step string) (*inbox.Box, error) {
	box, err := inbox.Open(run)
	if err != nil {
		return nil, err
	}
	switch r := box.Run(); {
	case r.Change != change:
		return nil, &boundError{what: "change", have: r.Change, want: change}
	case step != "" && r.Step != step:
		return nil, &boundError{what: "step", have: r.Step, want: step}
	}
	return box, nil
}

// changeReader lets the read-only tools see a change as it stands in its history when they are called.
type changeReader struct {
	store *changes.Store
	id    phases.ChangeID
}

var _ mcp.Reader = changeReader{}

func (r changeReader) Files(ctx context.Context) (map[string][]byte, error) {
	change, err := r.store.Open(ctx, r.id)
	if err != nil {
		return nil, err
	}
	return change.Files(ctx)
}

func (r changeReader) ChangedFiles(ctx context.Context) ([]string, error) {
	change, err := r.store.Open(ctx, r.id)
	if err != nil {
		return nil, err
	}
	files, err := change.CodeChanges(ctx)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths, nil
}

// boundError says that a run folder is for something else.
type boundError struct{ what, have, want string }

func (e *boundError) Error() string {
	return fmt.Sprintf("the run is bound to %s %q, not to %q", e.what, e.have, e.want)
}
