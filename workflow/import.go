package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/foreign"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Import takes changes over that other tools keep as files: each becomes a branch whose first commit says where it is from.
// The source is read and never written. What was imported before is known again, so the same import twice changes nothing.
type Import struct{ Bench *Bench }

// ImportRequest names the source.
type ImportRequest struct {
	Folder string                     // "" for the repository's own folders
	Only   []string                   // names of changes as their folders are called; nil for all
	Rename map[string]phases.ChangeID // ids for changes, by their names or by the ids that they would get
	Update bool                       // take over what has changed at the source since an import
	DryRun bool                       // say what would be done, and do nothing
}

// ImportResult lists what was found, what others rest on first and history last.
type ImportResult struct {
	Source  string           `json:"source"` // relative to the top of the repository, or the name of a folder elsewhere
	DryRun  bool             `json:"dry_run"`
	Changes []ImportedChange `json:"changes"`
	Notes   []string         `json:"notes"` // what concerns no single change
}

// ImportedChange is what became of one change.
type ImportedChange struct {
	Change  string         `json:"change"`
	Source  string         `json:"source"`
	Format  foreign.Format `json:"format"`
	Claimed string         `json:"claimed"`        // where its files say that it stands
	Phase   string         `json:"phase"`          // as which it is imported; "history" where it is no open change
	Result  string         `json:"result"`         // one of the Import constants
	Into    string         `json:"into,omitempty"` // the change that keeps a piece of history
	Branch  string         `json:"branch,omitempty"`
	Commit  string         `json:"commit,omitempty"`
	Notes   []foreign.Note `json:"notes"`
	Reason  string         `json:"reason,omitempty"` // why it was not imported
	Next    string         `json:"next,omitempty"`
}

// What can become of a change. With DryRun the first two say what would be done.
const (
	ImportNew       = "imported"
	ImportUpdated   = "updated"
	ImportUnchanged = "unchanged" // imported before, and the source is the same
	ImportKept      = "kept"      // history, as files of the change that Into names
	ImportInPlace   = "in place"  // history that stays where it is
	ImportRefused   = "refused"
)

// history is the phase of what is no open change.
const history = "history"

// Run reads the source, then writes one change after the other. What cannot be imported does not stop the rest:
// the error is an [*ImportError] then, beside the result.
func (i *Import) Run(ctx context.Context, req ImportRequest) (ImportResult, error) {
	result := ImportResult{DryRun: req.DryRun, Changes: []ImportedChange{}, Notes: []string{}}
	if err := i.Bench.byPerson("import"); err != nil {
		return result, err
	}
	source, err := i.source(req.Folder)
	if err != nil {
		return result, err
	}
	result.Source = source.name()
	found, err := source.read()
	if err != nil {
		return result, err
	}
	if err := choose(&found, req, result.Source); err != nil {
		return result, err
	}
	result.Notes = append(result.Notes, found.Notes...)
	base, err := i.Bench.baseOf(ctx, "")
	if err != nil {
		return result, err
	}
	if !req.DryRun {
		if err := i.Bench.fetchChanges(ctx); err != nil {
			return result, err
		}
	}
	taker := taker{Bench: i.Bench, req: req, source: source, base: base, owner: owners(found.Changes)}
	for _, change := range found.Changes {
		taken, err := taker.take(ctx, change)
		if err != nil {
			return result, err
		}
		result.Changes = append(result.Changes, taken)
	}
	return result, refused(result.Changes)
}

// fetchChanges asks the remote once which changes it has: what another clone has imported is not imported a second time.
func (b *Bench) fetchChanges(ctx context.Context) error {
	remotes, err := b.Repo.Remotes(ctx)
	if err != nil || len(remotes) == 0 {
		return err
	}
	remote := mainRemote(remotes)
	err = b.Repo.Fetch(ctx, remote, "+refs/heads/agentd/*:refs/remotes/"+remote+"/agentd/*")
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		b.Say.Warn(fmt.Sprintf("%s could not be reached (%s): going on with what is here", remote, firstLine(err.Error())))
	}
	return nil
}

// choose keeps the changes that were asked for, and gives them the ids that they shall have.
func choose(found *foreign.Collection, req ImportRequest, source string) error {
	if len(found.Changes) == 0 {
		return &NothingToImportError{Source: source}
	}
	var names []string
	for _, c := range found.Changes {
		names = append(names, c.Name)
	}
	for _, name := range slices.Concat(req.Only, sorted(slices.Collect(keys(req.Rename)))) {
		if !slices.ContainsFunc(found.Changes, func(c foreign.Change) bool { return c.Name == name }) {
			return &NoSuchSourceError{Name: name, Source: source, Names: names}
		}
	}
	if req.Only != nil {
		found.Changes = slices.DeleteFunc(found.Changes, func(c foreign.Change) bool { return !slices.Contains(req.Only, c.Name) })
	}
	for i := range found.Changes {
		if id, ok := req.Rename[found.Changes[i].Name]; ok && found.Changes[i].Phase != phases.None {
			found.Changes[i].ID = id.String()
		}
	}
	return nil
}

// owners says which folder has an id, where several would: the one that is called so, or was given it, or else the first.
func owners(all []foreign.Change) map[string]string {
	owner := map[string]string{}
	for _, exact := range []bool{true, false} {
		for _, c := range all {
			if _, taken := owner[c.ID]; !taken && c.Phase != phases.None && (!exact || c.ID == c.Name) {
				owner[c.ID] = c.Path
			}
		}
	}
	return owner
}

// refused is the error of an import that left something out.
func refused(all []ImportedChange) error {
	e := &ImportError{All: len(all)}
	for _, c := range all {
		if c.Result == ImportRefused {
			e.Names = append(e.Names, c.Source)
			if e.Next == "" {
				e.Next = c.Next
			}
		}
	}
	if len(e.Names) == 0 {
		return nil
	}
	return e
}

// NothingToImportError says that a folder has nothing that is known here.
type NothingToImportError struct{ Source string }

func (e *NothingToImportError) Error() string {
	return fmt.Sprintf("nothing to import in %s: no changes of agentd, OpenSpec or spec-kit", e.Source)
}

// Hint says what is looked for.
func (e *NothingToImportError) Hint() string {
	return "name the folder that holds agentd/changes, openspec/ or specs/001-<feature>: `gh agentd import <folder>`"
}

// NoSuchSourceError says that the source has no change of a name.
type NoSuchSourceError struct {
	Name, Source string
	Names        []string // those that it has
}

func (e *NoSuchSourceError) Error() string {
	return fmt.Sprintf("there is no change %q in %s", e.Name, e.Source)
}

// Hint lists the names.
func (e *NoSuchSourceError) Hint() string {
	names := e.Names
	const most = 20
	more := ""
	if len(names) > most {
		names, more = names[:most], ", …"
	}
	return "it has " + strings.Join(names, ", ") + more
}

// ImportError says that some of the changes were not imported; the result says why.
type ImportError struct {
	All   int
	Names []string // their folders
	Next  string
}

func (e *ImportError) Error() string {
	return fmt.Sprintf("%d of %s not imported: %s", len(e.Names), plural(e.All, "change"), strings.Join(e.Names, ", "))
}

// Hint is the way out for the first of them.
func (e *ImportError) Hint() string { return e.Next }

// importedBefore reads the record of the import that a change came from. It reports false for a change that began here.
func importedBefore(ctx context.Context, c *changes.Change) (map[string][]byte, bool, error) {
	if !imported(c) {
		return nil, false, nil
	}
	files, err := c.Files(ctx)
	return files, err == nil, err
}
