package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newCompletionCommand(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Long: `Print a script that makes a shell complete the commands, flags and change ids of gh-agentd.

The script completes the program called by its own name; gh does not ask its extensions for completions.`,
		Example: `# bash, for this session
$ source <(gh-agentd completion bash)

# fish, for good
$ gh-agentd completion fish > ~/.config/fish/completions/gh-agentd.fish`,
		ValidArgs: shells,
		Args:      withArgs(1, 1, "the shell (bash, zsh, fish or powershell)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The script names the program that a shell can start, whatever way this run was started.
			root := *cmd.Root()
			root.Use = "gh-agentd"
			root.Annotations = nil
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.streams.out, true)
			case "zsh":
				return root.GenZshCompletion(a.streams.out)
			case "fish":
				return root.GenFishCompletion(a.streams.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.streams.out)
			}
			return usage(cmd, fmt.Errorf("unknown shell %q", args[0]))
		},
	}
	exitCodes(cmd)
	return cmd
}
