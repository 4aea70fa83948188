package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
)

func newDiffCommand(a *app) *cobra.Command {
	var plan, code bool
	var j *jsonFlags
	cmd := &cobra.Command{
		Use:   "diff <id>",
		Short: "List what a change changes",
		Long: a.text(`
List the files that a change adds (A), modifies (M) or deletes (D) since it left its base:
the documents of its plan and its code. --plan or --code lists only one of them.`),
		Example: a.text(`
$ gh agentd diff add-oauth
$ gh agentd diff add-oauth --code --json path,status`),
		Args: withArgs(1, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := a.changeID(cmd, args[0])
			if err != nil {
				return err
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			change, err := bench.Store.Open(cmd.Context(), id)
			if err != nil {
				return err
			}
			fork, err := forkOf(cmd.Context(), change)
			if err != nil {
				return err
			}
			files, err := bench.Repo.DiffTrees(cmd.Context(), fork, change.Tip)
			if err != nil {
				return err
			}
			rows := []fileRow{}
			for _, f := range files {
				if inRecord := changes.InRecord(f.Path); inRecord && code || !inRecord && plan {
					continue
				}
				rows = append(rows, fileRow{Status: statusLetter(f), Path: f.Path, From: string(fork), To: string(change.Tip)})
			}
			if j.wanted() {
				return j.write(a.streams, rows)
			}
			for _, row := range rows {
				fmt.Fprintf(a.streams.out, "%s\t%s\n", row.Status, row.Path)
			}
			a.progress.Note(fmt.Sprintf("line by line: `git diff %s %s`", fork.Short(), id.Branch()))
			return nil
		},
	}
	cmd.Flags().BoolVar(&plan, "plan", false, "List only what is under agentd/")
	cmd.Flags().BoolVar(&code, "code", false, "List only what is outside agentd/")
	exclusive(cmd, "plan", "code")
	j = addJSON(cmd, []fileRow{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// forkOf is where the change left its base. Once it is archived the base contains it, and only its first commit knows.
func forkOf(ctx context.Context, c *changes.Change) (gitops.ID, error) {
	if c.Where == changes.InArchive {
		return gitops.ID(c.State.Base.Commit), nil
	}
	return c.Fork(ctx)
}

// fileRow is one file of a change.
type fileRow struct {
	Status string `json:"status"`
	Path   string `json:"path"`
	From   string `json:"from"` // the commit on the base that the change left
	To     string `json:"to"`   // the tip of the change
}

// statusLetter is git's own letter.
func statusLetter(f gitops.FileChange) string {
	switch {
	case f.OldID.IsZero():
		return "A"
	case f.NewID.IsZero():
		return "D"
	}
	return "M"
}
