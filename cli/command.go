package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// The groups of the help page.
const (
	groupWork   = "work"
	groupLook   = "look"
	groupDecide = "decide"
	groupGitHub = "github"
	groupSteps  = "steps"
	groupSetup  = "setup"
)

// newRootCommand builds the whole command tree. It reads and starts nothing.
func newRootCommand(a *app) *cobra.Command {
	wantVersion := false
	cmd := &cobra.Command{
		Use:   a.name,
		Short: "Spec-driven changes, written by agents, recorded in git",
		Long: a.text(`
Keep spec-driven, agent-written changes in the history of a git repository.

A change goes through three commands: plan it, implement it, archive it.
Every step is one commit that says which phase the change is in and who said so.
Each command looks at that history, continues where the change stands, and can be interrupted at any time.`),
		Example: a.text(`
$ gh agentd demo
$ gh agentd plan add-oauth "Sign in with GitHub"
$ gh agentd impl add-oauth
$ gh agentd archive add-oauth`),
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: a.name},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wantVersion {
				_, err := fmt.Fprintln(a.streams.out, versionLine())
				return err
			}
			return a.dashboard(cmd)
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.Flags().BoolVar(&wantVersion, "version", false, "Show the version of this program")
	cmd.PersistentFlags().StringVarP(&a.dir, "dir", "C", "", "Run as if started in `directory`")
	cmd.PersistentFlags().BoolVar(&a.progress.verbose, "verbose", false, "Show what agents do and log to standard error")
	cmd.PersistentFlags().BoolP("help", "h", false, "Show help for the command")
	cmd.SetFlagErrorFunc(a.flagError)
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		helpPage(cmd.OutOrStdout(), cmd, paint(a.streams.color))
	})
	cmd.SetHelpCommand(newHelpCommand(a))
	exitCodes(cmd)

	for _, g := range []cobra.Group{
		{ID: groupWork, Title: "Work"},
		{ID: groupLook, Title: "Look"},
		{ID: groupDecide, Title: "Decide"},
		{ID: groupGitHub, Title: "GitHub"},
		{ID: groupSteps, Title: "Steps"},
		{ID: groupSetup, Title: "Set up"},
	} {
		cmd.AddGroup(&g)
	}
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			annotate(c, annotationOrder, fmt.Sprintf("%02d", len(cmd.Commands())))
			cmd.AddCommand(c)
		}
	}
	add(groupWork, newPlanCommand(a), newImplCommand(a), newArchiveCommand(a))
	add(groupLook, newListCommand(a), newStatusCommand(a), newShowCommand(a), newValidateCommand(a), newDiffCommand(a), newConflictsCommand(a), newWhyCommand(a), newUsageCommand(a))
	add(groupDecide, newApproveCommand(a), newReopenCommand(a), newAbandonCommand(a), newUnarchiveCommand(a), newClarifyCommand(a))
	add(groupGitHub, newPublishCommand(a), newSyncCommand(a), newCheckCommand(a))
	add(groupSteps, newStepCommand(a))
	add(groupSteps, stepCommands(a)...)
	add(groupSetup, newInitCommand(a), newHookCommand(a), newDoctorCommand(a), newImportCommand(a), newDemoCommand(a), newMCPCommand(a), newSubmitCommand(a), newJobCommand(a),
		newCompletionCommand(a), newVersionCommand(a))
	cmd.AddCommand(newReplayCommand(a))
	return cmd
}

// unknownCommand refuses a first word that is no command, with the ones that look like it.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w, did you mean %s?", err, strings.Join(near, " or "))
	}
	return usage(cmd, err)
}

// flagError marks the errors of pflag as errors of usage, and turns `--json` at the end into a question for its fields.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if fields := cmd.Annotations[annotationFields]; fields != "" && strings.HasSuffix(err.Error(), "flag needs an argument: --json") {
		return &fieldsError{cmd: cmd, known: strings.Split(fields, ",")}
	}
	return usage(cmd, err)
}

func newHelpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "help [command]",
		Short:  "Show help for a command",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args)
			}
			return found.Help()
		},
	}
}

// text is help text without its first line feed, in the words this person types.
func (a *app) text(s string) string { return a.named(strings.TrimLeft(s, "\n")) }

// withArgs wraps cobra's judgement of the number of arguments as a usage error that names what is missing.
func withArgs(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd, fmt.Errorf("%s is missing", names[len(args)]))
		case most >= 0 && len(args) > most:
			return usage(cmd, fmt.Errorf("unexpected argument %q", args[most]))
		}
		return nil
	}
}

// before adds a judgement of the flags, to be made before anything is read or spent.
func before(cmd *cobra.Command, check func(*cobra.Command) error) {
	earlier := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if earlier != nil {
			if err := earlier(cmd, args); err != nil {
				return err
			}
		}
		return check(cmd)
	}
}

// exclusive refuses two flags at once.
func exclusive(cmd *cobra.Command, one, other string) {
	before(cmd, func(cmd *cobra.Command) error {
		if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
			return usage(cmd, fmt.Errorf("--%s and --%s exclude each other", one, other))
		}
		return nil
	})
}

// changeID is the only way from an argument to an id.
func (a *app) changeID(cmd *cobra.Command, arg string) (phases.ChangeID, error) {
	id, err := phases.ParseChangeID(arg)
	if err != nil {
		return id, usage(cmd, err)
	}
	a.change = id.String()
	return id, nil
}

// namedOrCurrent is the change that the argument names; without one, the change whose branch is checked out.
func (a *app) namedOrCurrent(cmd *cobra.Command, b *workflow.Bench, args []string) (phases.ChangeID, error) {
	if len(args) > 0 {
		return a.changeID(cmd, args[0])
	}
	branch, _, err := b.Repo.Head(cmd.Context())
	if err != nil {
		return phases.ChangeID{}, err
	}
	id, ok := phases.ChangeIDFromBranch(branch)
	if !ok {
		return id, usage(cmd, errors.New("the change's id is missing, and no branch of a change is checked out"))
	}
	a.change = id.String()
	return id, nil
}

// readInput reads a file that a flag names; "-" is standard input. A flag that was not given reads nothing.
func (a *app) readInput(flag, path string) ([]byte, error) {
	const limit = 1 << 20
	if path == "" {
		return nil, nil
	}
	var in io.Reader = a.env.In
	if path != "-" {
		f, err := a.open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%s: more than %d KiB", flag, limit>>10)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil, fmt.Errorf("%s: %w", flag, errEmptyInput)
	}
	return data, nil
}

var errEmptyInput = errors.New("nothing in it")
