package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

func newImportCommand(a *app) *cobra.Command {
	var (
		request workflow.ImportRequest
		renames []string
		j       *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "import [<folder>]",
		Short: "Take over changes of agentd, OpenSpec or spec-kit",
		Long: a.text(`
Take over the changes that other tools keep as files: agentd/changes of agentd, openspec/ of OpenSpec,
and specs/001-<feature> of spec-kit, in this repository or in any folder.

Each change becomes a branch whose first commit says where it comes from. It is proposed, whatever its files claim:
no verdict of elsewhere says of which text it was given. Only a rejection stays one. What the files claim and
do not bear out is reported. Main specs become a change of their own, which keeps archived changes as files.

The source is read and never written. The same import again changes nothing; where the source has changed since,
--update takes it over, unless somebody has worked on the change. What cannot be imported does not stop the rest.`),
		Example: a.text(`
$ gh agentd import --dry-run
$ gh agentd import
$ gh agentd import ../old-project --change add-oauth --rename add-oauth=sign-in`),
		Args: withArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if request.Rename, err = renamed(cmd, renames); err != nil {
				return err
			}
			if len(args) == 1 {
				request.Folder = a.path(args[0])
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			run := workflow.Import{Bench: bench}
			result, err := run.Run(cmd.Context(), request)
			for i := range result.Changes {
				result.Changes[i].Next = a.named(result.Changes[i].Next)
			}
			if j.wanted() {
				if len(result.Changes) == 0 {
					return err
				}
				return errors.Join(err, j.write(a.streams, result))
			}
			return errors.Join(err, a.tellImport(result))
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&request.Only, "change", nil, "Import only these `names`, as their folders are called")
	flags.StringSliceVar(&renames, "rename", nil, "Give a change another id: `name=id`")
	flags.BoolVar(&request.Update, "update", false, "Take over what has changed at the source since an import")
	flags.BoolVarP(&request.DryRun, "dry-run", "n", false, "Say what would be imported, and do nothing")
	j = addJSON(cmd, workflow.ImportResult{})
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

// renamed reads what --rename says.
func renamed(cmd *cobra.Command, pairs []string) (map[string]phases.ChangeID, error) {
	ids := map[string]phases.ChangeID{}
	for _, pair := range pairs {
		name, to, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage(cmd, fmt.Errorf("--rename is %q, want name=id", pair))
		}
		id, err := phases.ParseChangeID(to)
		if err != nil {
			return nil, usage(cmd, err)
		}
		ids[name] = id
	}
	return ids, nil
}

// tellImport prints one line per change, and what is to be known of it beside that.
func (a *app) tellImport(r workflow.ImportResult) error {
	s, p := a.streams, paint(a.streams.color)
	for _, c := range r.Changes {
		for _, note := range c.Notes {
			if note.Contradiction {
				a.progress.Warn(c.Change + ": " + note.Text)
			} else {
				a.progress.Note(c.Change + ": " + note.Text)
			}
		}
		if c.Reason != "" {
			a.progress.Warn(fmt.Sprintf("%s is not imported: %s; %s", c.Source, c.Reason, c.Next))
		}
	}
	for _, note := range r.Notes {
		a.progress.Note(note)
	}
	out := bufio.NewWriter(s.out) // the printer writes field by field
	table := tableprinter.New(out, s.outTTY, s.width())
	if s.outTTY && len(r.Changes) > 0 {
		table.AddHeader([]string{"CHANGE", "FORMAT", "CLAIMED", "PHASE", "RESULT", "NOTES", "SOURCE"}, tableprinter.WithColor(p.muted))
	}
	made := 0
	for _, c := range r.Changes {
		table.AddField(oneLine(c.Change), tableprinter.WithColor(p.bold))
		table.AddField(string(c.Format))
		table.AddField(oneLine(c.Claimed))
		table.AddField(c.Phase)
		table.AddField(resultText(r, c))
		table.AddField(notesText(c))
		table.AddField(oneLine(c.Source))
		table.EndRow()
		if c.Result == workflow.ImportNew || c.Result == workflow.ImportUpdated {
			made++
		}
	}
	err := errors.Join(table.Render(), out.Flush())
	switch {
	case made > 0 && r.DryRun:
		a.progress.Note(fmt.Sprintf("nothing was written; without --dry-run %s would be", plural(made, "change")))
	case made > 0:
		a.progress.Note("next: " + firstNext(r))
	case len(r.Changes) > 0:
		a.progress.Note("nothing new: no branch was made or moved")
	}
	return err
}

// resultText is what became of a change, or would.
func resultText(r workflow.ImportResult, c workflow.ImportedChange) string {
	switch {
	case c.Result == workflow.ImportKept:
		return "kept by " + c.Into
	case r.DryRun && (c.Result == workflow.ImportNew || c.Result == workflow.ImportUpdated):
		return "would be " + c.Result
	}
	return c.Result
}

// notesText counts what there is to know, contradictions by that name.
func notesText(c workflow.ImportedChange) string {
	wrong := 0
	for _, note := range c.Notes {
		if note.Contradiction {
			wrong++
		}
	}
	var parts []string
	if wrong > 0 {
		parts = append(parts, plural(wrong, "contradiction"))
	}
	if rest := len(c.Notes) - wrong; rest > 0 {
		parts = append(parts, plural(rest, "note"))
	}
	return strings.Join(parts, ", ")
}

// firstNext is the command that goes on with the first change.
func firstNext(r workflow.ImportResult) string {
	for _, c := range r.Changes {
		if c.Result != workflow.ImportRefused && c.Next != "" {
			return c.Next
		}
	}
	return ""
}
