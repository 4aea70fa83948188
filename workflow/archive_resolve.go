package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// resolution is a worktree of the base in which a person decides what specs shall say that the base
// and the change both edited. It keeps nothing else: its commit says what was in conflict with the change.
type resolution struct {
	bench *Bench
	id    phases.ChangeID
	path  string    // where the worktree is, or would be
	dir   string    // "" where there is none
	base  gitops.ID // that it was made of
	taken bool      // what stands in it is to be archived

	// moving says that a run was killed which put it onto a newer base:
	// what a person wrote stands beside the specs, and the specs are not marked yet.
	moving bool

	earlier *changes.Change // whose archive waits already, with what was decided for that
}

// openResolution looks for the worktree of an earlier run.
func (b *Bench) openResolution(ctx context.Context, req ArchiveRequest) (*resolution, error) {
	linked, err := (&workspace{bench: b, id: req.Change}).linkedPath()
	if err != nil {
		return nil, err
	}
	r := &resolution{bench: b, id: req.Change, path: linked + ".archive", taken: req.Continue} // no id has a dot
	trees, err := b.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(trees, func(t gitops.Worktree) bool { return t.Path == r.path })
	switch {
	case at < 0:
	case trees[at].Unfinished():
		err = b.Repo.RemoveUnfinished(ctx, trees[at])
	case present(r.mark()):
		r.dir, r.moving = r.path, present(r.moved())
		r.base, err = r.markedBase()
	case b.Repo.IsTemporary(r.path): // a run was killed that had not marked the conflicts in it, or was removing it
		err = b.Repo.RemoveDetached(ctx, r.path)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// begun refuses to go on with a resolution of a change that is not archived, where there is none.
func (r *resolution) begun() error {
	if !r.taken || r.dir != "" {
		return nil
	}
	return &GateError{
		Gate: "specs", Reason: fmt.Sprintf("there is nothing to continue: no conflict of %s is being resolved", r.id), Next: command("archive", r.id),
	}
}

// markedBase is the commit whose specs are marked in the worktree, whatever was committed there since.
func (r *resolution) markedBase() (gitops.ID, error) {
	text, err := os.ReadFile(r.mark())
	return gitops.ID(strings.TrimSpace(string(text))), err
}

// mark, in the worktree's own git dir, says that every conflict in it was marked for a person, and on which commit.
func (r *resolution) mark() string {
	return filepath.Join(r.bench.Repo.At(r.path).GitDir(), "agentd-conflicts")
}

// moved, beside it, says that the worktree is on its way to a newer base.
func (r *resolution) moved() string { return r.mark() + "-moving" }

// of is what was decided for a spec in conflict; nil text with ok retires it. It is not ok where that is still open.
// What the base got since is merged into it, as long as that is not in conflict too.
func (r *resolution) of(objects *gitops.Objects, s specMerge, merged *specs.Merged) (text []byte, ok bool, err error) {
	if r.taken && !r.moving {
		text, err := r.read(s.path())
		if err != nil {
			return nil, false, err
		}
		return r.decided(objects, s, merged, r.base, text)
	}
	if r.earlier == nil || r.earlier.Document == nil || r.earlier.Document.Archive == nil {
		return nil, false, nil
	}
	archive := r.earlier.Document.Archive
	for _, was := range archive.Specs {
		if was.ID != s.id || !was.Resolved {
			continue
		}
		text, err := blobText(objects, gitops.ID(was.After))
		if err != nil {
			return nil, false, err
		}
		text, ok, err = r.decided(objects, s, merged, gitops.ID(archive.Base), text)
		if _, open := errors.AsType[*GateError](err); open {
			return nil, false, nil // it does not fit any more
		}
		return text, ok, err
	}
	return nil, false, nil
}

// read is a file that a person left in the worktree, nil where it was removed. What leads elsewhere is no file of theirs.
func (r *resolution) read(path string) ([]byte, error) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	odd := &GateError{
		Gate: "specs", Reason: fmt.Sprintf("%s in %s is no plain file", path, r.dir),
		Next: fmt.Sprintf("write there what the spec shall say, then `%s`", command("archive", r.id, "--continue")),
	}
	for at := filepath.FromSlash(path); at != "."; at = filepath.Dir(at) {
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case info.IsDir() != (at != filepath.FromSlash(path)), !info.IsDir() && !info.Mode().IsRegular():
			return nil, odd
		}
	}
	return root.ReadFile(filepath.FromSlash(path))
}

// only refuses what else was changed in the worktree: it would be removed with it.
func (r *resolution) only(ctx context.Context, paths map[string][]byte) error {
	if !r.taken || r.dir == "" {
		return nil
	}
	changed, err := r.bench.differs(ctx, r.dir, r.base)
	if err != nil {
		return err
	}
	for _, c := range changed {
		if _, ok := paths[c.Path]; !ok && !strings.HasSuffix(c.Path, ".outdated") {
			return &GateError{
				Gate: "specs", Reason: fmt.Sprintf("%s was changed in %s too, and is no part of what is decided there", c.Path, r.dir),
				Next: fmt.Sprintf("move it elsewhere, then `%s`", command("archive", r.id, "--continue")),
			}
		}
	}
	return nil
}

// decided brings a text that was decided on one commit of the base to the base of this merge.
func (r *resolution) decided(objects *gitops.Objects, s specMerge, merged *specs.Merged, base gitops.ID, text []byte) ([]byte, bool, error) {
	then, before, err := textAt(objects, base, s.path())
	if err != nil {
		return nil, false, err
	}
	if then != s.ours && !specs.Unresolved(text) {
		again, err := mergeTexts(s.id, before, s.oursText, text)
		if err != nil || len(again.Conflicts) > 0 {
			return nil, false, err
		}
		text = again.Text
	}
	if err := specs.Resolves(s.path(), unstamped(merged.Marked), unstamped(text)); err != nil {
		return nil, false, &GateError{
			Gate: "specs", Reason: err.Error(),
			Next: fmt.Sprintf("settle that in %s, then `%s`", proc.Quote(r.dir), command("archive", r.id, "--continue")),
		}
	}
	return text, true, nil
}

// wanted leaves the specs that are open to a person, in a worktree of the base, and says so. Others that were decided stay decided there.
// A worktree that is there already is a person's: nothing in it is written over but what the base has outdated.
func (r *resolution) wanted(ctx context.Context, l *landing, open []mergedSpec, decided map[string][]byte) error {
	refusal := &SpecConflictError{ID: r.id, Base: l.branch, Dir: r.path}
	for _, o := range open {
		for _, conflict := range o.merged.Conflicts {
			refusal.Conflicts = append(refusal.Conflicts, conflict)
			r.bench.Say.Warn(conflict.String() + ": " + conflict.Hint)
		}
	}
	if r.dir != "" && !r.taken && !r.moving {
		return refusal
	}
	refusal.Moved = r.dir != ""
	place := r.make
	if refusal.Moved { // what stands in it does not fit the base any more
		place = r.move
	}
	texts := maps.Clone(decided)
	for _, o := range open {
		texts[o.path()] = o.merged.Marked
	}
	if err := place(ctx, l.base, texts); err != nil {
		return err
	}
	for path, text := range texts {
		path = filepath.Join(r.path, filepath.FromSlash(path))
		if text == nil { // a person retires the spec
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(r.mark(), []byte(l.base+"\n"), 0o666); err != nil {
		return err
	}
	if err := os.Remove(r.moved()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return refusal
}

// make begins a worktree. Until the conflicts in it are marked, nothing in it is a person's.
func (r *resolution) make(ctx context.Context, base gitops.ID, _ map[string][]byte) error {
	if err := r.bench.Repo.AddDetached(ctx, r.path, base); err != nil {
		return fmt.Errorf("make worktree %s: %w", r.path, err)
	}
	return nil
}

// move puts the worktree onto a newer base, once what a person wrote stands beside the specs that it is about.
// Killed on the way, the next run goes on with that, and takes nothing in it for a decision.
func (r *resolution) move(ctx context.Context, base gitops.ID, texts map[string][]byte) error {
	if !r.moving {
		for path := range texts {
			path = filepath.Join(r.dir, filepath.FromSlash(path))
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = os.WriteFile(path+".outdated", text, 0o666)
			}
			if err != nil {
				return err
			}
		}
		if err := os.WriteFile(r.moved(), nil, 0o666); err != nil {
			return err
		}
	}
	return r.bench.Repo.ResetDetached(ctx, r.dir, base)
}

// done removes the worktree once what was decided in it is archived.
func (r *resolution) done(ctx context.Context) error {
	if r.dir == "" || !r.taken {
		return nil
	}
	return r.giveUp(ctx)
}

// giveUp takes the worktree away with all that is in it. Killed on the way, the next run does the rest.
func (r *resolution) giveUp(ctx context.Context) error {
	if err := os.Remove(r.mark()); err != nil {
		return err
	}
	return r.bench.Repo.RemoveDetached(ctx, r.dir)
}

// mergedSpec is a spec of a change, and what came of bringing it to the base.
type mergedSpec struct {
	specMerge
	merged *specs.Merged
}

// SpecConflictError says that the base and the change both edited the same places of specs, each in its own way.
type SpecConflictError struct {
	ID        phases.ChangeID
	Base      string // branch
	Dir       string // the worktree in which they are marked
	Moved     bool   // the base has changed them again since the last resolution
	Conflicts []specs.Conflict
}

func (e *SpecConflictError) Error() string {
	text := fmt.Sprintf("change %q and %s conflict: %s", e.ID, e.Base, e.Conflicts[0])
	if more := len(e.Conflicts) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	if e.Moved {
		text += fmt.Sprintf("; what was resolved was for an older %s, and is beside it with the ending .outdated", e.Base)
	}
	return text
}

// Hint names the way out.
func (e *SpecConflictError) Hint() string {
	return fmt.Sprintf("both sides are marked in %s/agentd/specs: edit that, then `%s`; `%s` gives up", proc.Quote(e.Dir),
		command("archive", e.ID, "--continue"), command("archive", e.ID, "--abort"))
}
