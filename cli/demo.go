package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newDemoCommand(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play a whole change in a new repository, without agents or network",
		Long: a.text(`
Play a recorded change from plan to archive in a new repository: real git, real commits, recorded agents.
No network, no keys, nothing outside the folder is touched.`),
		Example: a.text(`
$ gh agentd demo
$ gh agentd demo --dir /tmp/demo`),
		Args: withArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			demo := workflow.Demo{
				Executable: a.env.Executable,
				Environ:    a.env.Environ,
				Now:        a.env.Now,
				Say:        a.progress,
				Version:    version(),
			}
			if dir != "" && !filepath.IsAbs(dir) {
				dir = filepath.Join(a.env.Dir, dir)
			}
			result, err := demo.Run(cmd.Context(), workflow.DemoRequest{Dir: dir})
			if err != nil {
				return err
			}
			at := quoted(result.Dir)
			a.progress.Note("the whole story is in its history:")
			a.progress.detailLine("cd " + at)
			a.progress.detailLine("git log --graph --oneline")
			a.progress.detailLine("gh agentd status " + result.Change)
			_, err = fmt.Fprintln(a.env.Out, result.Dir)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "Play in this `folder`, which must be empty or not exist")
	exitCodes(cmd, ExitInterrupted)
	return cmd
}
