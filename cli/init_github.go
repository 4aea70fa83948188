package cli

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

// actionRepo is where the action of a program that does not say otherwise comes from.
const actionRepo = "agentd/gh-agentd"

// workflowFlags are those that write workflows for GitHub Actions.
type workflowFlags struct {
	wanted bool
	action string
}

func (f *workflowFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.wanted, "github", false, "Write workflows for GitHub Actions, too")
	cmd.Flags().StringVar(&f.action, "action", "", "Let them run the action at this commit, `OWNER/REPO@COMMIT`")
	_ = cmd.RegisterFlagCompletionFunc("action", cobra.NoFileCompletions)
}

// pin is the action that the workflows run: the one that is named, or the one that this program is.
func (f *workflowFlags) pin(cmd *cobra.Command, remove bool) (workflow.ActionPin, error) {
	switch {
	case f.action != "" && (!f.wanted || remove):
		return workflow.ActionPin{}, usage(cmd, errors.New("--action says what --github writes, and goes with nothing else"))
	case f.action != "":
		pin, err := workflow.ParseActionPin(f.action)
		if err != nil {
			return pin, usage(cmd, fmt.Errorf("--action: %w", err))
		}
		return pin, nil
	case !f.wanted || remove:
		return workflow.ActionPin{}, nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return ownPin(info)
}

// release is how Go names a version that somebody tagged; a commit's own name for itself ends in its digits.
var release = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// ownPin is the action as of the commit that the program was built from.
// A build that does not know it, or that holds more than the commit, cannot be named.
func ownPin(info *debug.BuildInfo) (workflow.ActionPin, error) {
	const next = "gh agentd init --github --action " + actionRepo + "@<commit, 40 hexadecimal digits>"
	commit, changed := builtFrom(info)
	pin, err := workflow.ParseActionPin(actionRepo + "@" + commit)
	switch {
	case err != nil:
		return pin, &workflow.GateError{
			Gate: "init", Next: next,
			Reason: "this program does not know the commit it was built from, and the workflows have to name it",
		}
	case changed:
		return pin, &workflow.GateError{
			Gate: "init", Next: next,
			Reason: "this program was built from " + commit[:12] + " and changes that are in no commit, so the workflows cannot name it",
		}
	}
	if release.MatchString(info.Main.Version) {
		pin.Version = info.Main.Version
	}
	return pin, nil
}
