package changes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Beginning is the first commit of a change.
type Beginning struct {
	ID      phases.ChangeID
	Base    phases.Base // branch and commit that the change starts from
	Profile phases.Profile
	// DependsOn are the changes that this one is stacked on.
	DependsOn []phases.ChangeID
	Record    Record // Transition.Step says which step begins it
	// Adopts says that the folder of the change may be on the base already, where an older tool kept it.
	// Its files are the record's from then on: what is not among them is gone on the branch. The base keeps them.
	Adopts bool
}

// Placeable refuses a commit in which a folder that we write to is something else, such as a symbolic link:
// before anything is spent, for nothing could be committed afterwards.
func (s *Store) Placeable(ctx context.Context, commit gitops.ID) error {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, folder := range []string{root, root + "/changes", root + "/specs", root + "/archive"} {
		_, kind, _, err := objects.Kind(string(commit) + ":" + folder)
		switch {
		case errors.Is(err, gitops.ErrNotFound):
		case err != nil:
			return err
		case kind != "tree":
			return &OddFileError{Path: folder, Kind: "file or symbolic link, not a folder"}
		}
	}
	return nil
}

// Begin makes the branch together with the change's first commit, in one ref transaction.
// It returns *TakenError when the id is in use in any form (see [Store.Free]).
func (s *Store) Begin(ctx context.Context, b Beginning) (*Change, error) {
	if err := s.free(ctx, b.ID, b.Adopts); err != nil {
		return nil, err
	}
	now := s.Now().UTC().Truncate(time.Second)
	t := b.Record.Transition
	t.Change, t.From, t.Base, t.Profile, t.DependsOn = b.ID, phases.None, &b.Base, b.Profile, b.DependsOn
	event, err := t.Event()
	if err != nil {
		return nil, fmt.Errorf("step %q %w", t.Step, err)
	}
	if t.Phase, err = phases.Next(phases.None, event, phases.AllConditions); err != nil {
		return nil, err
	}
	if t.Round == 0 {
		t.Round = 1
	}
	if err := (phases.State{Change: b.ID}).Admit(t, "", ""); err != nil {
		return nil, err
	}
	base, err := s.commitOf(ctx, gitops.ID(b.Base.Commit))
	if err != nil {
		return nil, err
	}
	state := specs.NewState(b.ID.String())
	state.Record(specs.EntryOf(t, now), b.Record.Calls, now)
	edits := append(fileEdits(b.ID.Dir(), b.Record.Files), b.Record.Code...)
	edits = append(edits, gitops.Edit{Path: b.ID.Dir() + "/" + specs.StateFile, Mode: gitops.ModeFile, Content: state.YAML()})
	if b.Adopts {
		gone, err := s.replaced(ctx, base.ID, b)
		if err != nil {
			return nil, err
		}
		edits = append(edits, gone...)
	}
	tree, err := s.writeTree(ctx, base.Tree, edits)
	if err != nil {
		return nil, err
	}
	commit, err := s.commitTree(ctx, tree, []gitops.ID{base.ID}, b.Record, t)
	if err != nil {
		return nil, err
	}
	if _, err := s.advance(ctx, gitops.Advance{Reason: "agentd: begin " + b.ID.String(), Ref: b.ID.Ref(), New: commit}); err != nil {
		return nil, err
	}
	return s.OpenAt(ctx, b.ID, commit)
}

// replaced removes the files that the base has in the folder of an adopted change, and the record has not.
func (s *Store) replaced(ctx context.Context, base gitops.ID, b Beginning) ([]gitops.Edit, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	_, entries, err := objects.TreeAt(string(base) + ":" + b.ID.Dir())
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := listing{objects: objects, id: b.ID}
	if err := list.add(entries, ""); err != nil {
		return nil, err
	}
	var gone []gitops.Edit
	for _, f := range list.found {
		if _, kept := b.Record.Files[f.Name]; !kept && f.Name != specs.StateFile {
			gone = append(gone, gitops.Edit{Path: b.ID.Dir() + "/" + f.Name, Delete: true})
		}
	}
	return gone, nil
}

// Free says whether a new change may take the id.
// An id in use anywhere, on a branch here or on a remote, as a folder, in the archive, or in another case, is taken.
func (s *Store) Free(ctx context.Context, id phases.ChangeID) error { return s.free(ctx, id, false) }

// Adoptable is Free for a change whose folder may be on the base (see [Beginning.Adopts]).
func (s *Store) Adoptable(ctx context.Context, id phases.ChangeID) error {
	return s.free(ctx, id, true)
}

func (s *Store) free(ctx context.Context, id phases.ChangeID, adopts bool) error {
	refs, err := s.Repo.Refs(ctx, "refs/heads/", "refs/remotes/")
	if err != nil {
		return err
	}
	for _, ref := range refs {
		name, local := strings.CutPrefix(ref.Name, "refs/heads/")
		if !local {
			name, _ = remoteBranch(ref.Name)
		}
		switch {
		case local && name == root:
			return &PrefixTakenError{}
		case strings.EqualFold(name, id.Branch()):
			return &TakenError{ID: id, Where: fmt.Sprintf("branch %s exists", strings.TrimPrefix(strings.TrimPrefix(ref.Name, "refs/heads/"), "refs/remotes/"))}
		}
	}
	return s.freeOnBase(ctx, id, adopts)
}

func (s *Store) freeOnBase(ctx context.Context, id phases.ChangeID, adopts bool) error {
	branch, err := s.Repo.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	tips, err := baseTips(ctx, s.Repo, branch)
	if err != nil {
		return nil //nolint:nilerr // no base, nothing on it
	}
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, tip := range tips {
		for _, folder := range []string{path.Dir(id.Dir()), path.Dir(id.ArchiveDir())} {
			name, err := entryLike(objects, tip, folder, id.String())
			if err != nil {
				return err
			}
			if name != "" && !(adopts && folder+"/"+name == id.Dir()) {
				return &TakenError{ID: id, Where: fmt.Sprintf("%s/%s exists on %s", folder, name, branch)}
			}
		}
	}
	return nil
}

// entryLike finds a name in a folder of a commit in whatever case it is written, "" if there is none:
// many file systems hold only one of two names that differ in case.
func entryLike(objects *gitops.Objects, commit gitops.ID, folder, name string) (string, error) {
	tree, kind, _, err := objects.Lookup(string(commit) + ":" + folder)
	if isNotFound(err) || err == nil && kind != "tree" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	entries, err := objects.Tree(tree)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name, name) {
			return e.Name, nil
		}
	}
	return "", nil
}

func (s *Store) commitOf(ctx context.Context, id gitops.ID) (gitops.Commit, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return gitops.Commit{}, err
	}
	defer objects.Close()
	return objects.Commit(id)
}

// PrefixTakenError says that a branch named agentd makes all branches under agentd/ impossible.
type PrefixTakenError struct{}

func (*PrefixTakenError) Error() string { return `branch "agentd" blocks branches under agentd/` }

// Hint names the way out.
func (*PrefixTakenError) Hint() string { return "rename it: `git branch -m agentd agentd-old`" }
