package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

// stepTexts are the single steps, in the order of a change's life.
func stepTexts() []stepText {
	return []stepText{
		{name: "proposal", short: "Write the proposal of a new change", argument: true,
			long: `Let the proposer write the proposal of a new change, and nothing further.`},
		{name: "challenge", short: "Have the plan challenged once",
			long: `Validate the plan and let the challenger judge it, once. The verdict is bound to exactly this plan.`},
		{name: "reproposal", short: "Revise the plan by the challenge's findings",
			long: `Let the proposer revise the plan by the findings of the last challenge, once.`},
		{name: "implement", short: "Implement the tasks that are open",
			long: `Let the implementer do the tasks that are not done yet, without a review.`},
		{name: "review", short: "Have the code reviewed once",
			long: `Run the project's own checks on exactly this code and let the reviewer judge it, once.
On a complete change it reviews again.`},
		{name: "resolve", aliases: []string{"resolve-reviews"}, short: "Repair the code by the review's findings",
			long: `Let the implementer repair the code by the findings of the last review, once.`},
	}
}

type stepText struct {
	name, short, long string
	aliases           []string
	argument          bool // takes a description
}

func newStepCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "step <command> <id>",
		Short: "Do exactly one step of a change",
		Long: `Do exactly one step of a change and record it: for pipelines, and for people who drive by hand.
Each step is also a command of its own.`,
		Example: a.text(`
$ gh agentd step challenge add-oauth
$ gh agentd challenge add-oauth`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, fmt.Errorf("the step is missing"))
			}
			return unknownCommand(cmd, args)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	exitCodes(cmd)
	cmd.AddCommand(stepCommands(a)...)
	return cmd
}

// stepCommands are the steps as commands; the root has them as well as `step`.
func stepCommands(a *app) []*cobra.Command {
	var cmds []*cobra.Command
	for _, text := range stepTexts() {
		cmd := a.stepCommand(text)
		annotate(cmd, annotationOrder, fmt.Sprintf("%02d", len(cmds)))
		cmds = append(cmds, cmd)
	}
	return cmds
}

func (a *app) stepCommand(text stepText) *cobra.Command {
	var (
		flags workFlags
		file  string
		j     *jsonFlags
	)
	use, most := text.name+" <id>", 1
	example := fmt.Sprintf("$ gh agentd %s add-oauth", text.name)
	if text.argument {
		use, most = use+` ["<description>"]`, 2
		example += ` "Sign in with GitHub"`
	}
	cmd := &cobra.Command{
		Use:     use,
		Aliases: text.aliases,
		Short:   text.short,
		Long:    text.long,
		Example: a.text(example),
		Args:    withArgs(1, most, "the change's id", "the description"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			description, err := a.description(cmd, args[1:], file)
			if err != nil {
				return err
			}
			return a.act(cmd, j, func(ctx context.Context, b *workflow.Bench) (workflow.ActionResult, error) {
				if err := a.settle(b, &flags); err != nil {
					return workflow.ActionResult{}, err
				}
				steps := workflow.Steps{Bench: b}
				return steps.Run(ctx, workflow.StepRequest{
					Change:      id,
					Step:        text.name,
					Description: description,
					CommitEdits: flags.commit,
					Where:       flags.where(),
				})
			})
		},
	}
	if text.argument {
		cmd.Flags().StringVarP(&file, "file", "F", "", "Read the description from a `file`, \"-\" for standard input")
	}
	addPlaceFlags(cmd, &flags)
	j = addJSON(cmd, workflow.ActionResult{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitCancelled, ExitSignIn, ExitDecision, ExitGate, ExitLimit, ExitInterrupted)
	return cmd
}
