package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
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
			a.demoEpilogue(result)
			_, err = fmt.Fprintln(a.streams.out, result.Dir)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "Play in this `folder`, which must be empty or not exist")
	exitCodes(cmd, ExitInterrupted)
	return cmd
}

// demoEpilogue shows the history that the story left, and how to look further.
func (a *app) demoEpilogue(r workflow.DemoResult) {
	a.progress.Note("the history, each line a commit:")
	for _, t := range r.Status.Transitions {
		cost := ""
		if t.USD != nil && t.Step != phases.StepArchive {
			cost = fmt.Sprintf("$%.4f", *t.USD)
		}
		fmt.Fprintf(a.env.Err, "  %s  %-12s  %-14s  %-8s %s\n",
			short(t.Commit), t.Phase, cmp.Or(string(t.Verdict), "-"), cost, oneLine(strings.TrimPrefix(t.Subject, "agentd("+r.Change+"): ")))
	}
	a.progress.Note(fmt.Sprintf("%s, %d transitions replayed and proved", usageLine(r.Status.Usage), r.Status.Proved))
	a.progress.Note("look further:")
	if _, err := proc.Look(a.name, a.env.getenv("PATH")); err != nil && !strings.Contains(a.name, " ") {
		a.progress.detailLine("go install .    # here, so that your shell finds " + a.name)
	}
	a.progress.detailLine("cd " + proc.Quote(r.Dir))
	a.progress.detailLine("git log --graph --oneline")
	a.progress.detailLine("git log -1 agentd/" + r.Change)
	a.progress.detailLine("gh agentd status " + r.Change)
	a.progress.detailLine("gh agentd show " + r.Change + " review")
}
