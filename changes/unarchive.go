package changes

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// LandedBy is the commit on the first parents of a base branch that brought the change's archive there,
// by whatever merge button; of several the newest. The error matches [gitops.ErrNotFound] where that never happened.
func (s *Store) LandedBy(ctx context.Context, id phases.ChangeID, base gitops.ID) (gitops.ID, error) {
	record := id.ArchiveDir() + "/" + specs.StateFile
	touched, err := s.Repo.Touches(ctx, base, record)
	if err != nil {
		return "", err
	}
	changed, err := s.Repo.FirstParentChanges(ctx, touched, record)
	if err != nil {
		return "", err
	}
	for _, commit := range touched {
		for _, c := range changed[commit] {
			if c.OldID.IsZero() && !c.NewID.IsZero() { // not who edited it since, or took it away
				return commit, nil
			}
		}
	}
	return "", fmt.Errorf("%s was never there: %w", record, gitops.ErrNotFound)
}

// RecordAt is what a commit says of an archived change, nil where it says nothing that can be read.
func (s *Store) RecordAt(ctx context.Context, id phases.ChangeID, commit gitops.ID) (*specs.State, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	path := id.ArchiveDir() + "/" + specs.StateFile
	_, _, src, err := objects.Lookup(string(commit) + ":" + path)
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	state, _, err := specs.ParseState(path, src)
	if err != nil {
		return nil, nil //nolint:nilerr // as if it were not there
	}
	return state, nil
}

// Without is the tree of a base without what one of its commits brought, and the paths in which later ones stand on that.
func (s *Store) Without(ctx context.Context, base, landed gitops.ID) (tree gitops.ID, conflicts []string, err error) {
	before, err := s.before(ctx, landed)
	if err != nil {
		return "", nil, err
	}
	return s.mergeOnto(ctx, landed, base, before)
}

// before is the first parent of a commit that brought an archive to the base.
func (s *Store) before(ctx context.Context, landed gitops.ID) (gitops.ID, error) {
	commit, err := s.commitOf(ctx, landed)
	if err != nil {
		return "", err
	}
	if len(commit.Parents) == 0 {
		return "", fmt.Errorf("commit %s is the first of the repository: there is nothing before it", landed.Short())
	}
	return commit.Parents[0], nil
}

// mergeOnto merges two trees, given by commits, as if both had come from a third one, whatever their histories are.
func (s *Store) mergeOnto(ctx context.Context, from, ours, theirs gitops.ID) (tree gitops.ID, conflicts []string, err error) {
	var scratch [3]gitops.ID
	for i, id := range []gitops.ID{from, ours, theirs} {
		commit, err := s.commitOf(ctx, id)
		if err != nil {
			return "", nil, err
		}
		var parents []gitops.ID
		if i > 0 {
			parents = scratch[:1]
		}
		if scratch[i], err = s.Repo.ScratchCommit(ctx, commit.Tree, parents...); err != nil {
			return "", nil, err
		}
	}
	return s.Repo.MergeTrees(ctx, scratch[1], scratch[2])
}

// TakeBackCommit is the commit that takes a landed archive off the base, made of the tree without it.
// It is a revert as git writes one: nothing in it is a record of ours, and one that a person made says the same. No ref moves.
func (s *Store) TakeBackCommit(ctx context.Context, id phases.ChangeID, base, landed, tree gitops.ID, edits []gitops.Edit) (gitops.ID, error) {
	commit, err := s.commitOf(ctx, landed)
	if err != nil {
		return "", err
	}
	if tree, err = s.writeTree(ctx, tree, edits); err != nil {
		return "", err
	}
	subject, _, _ := strings.Cut(commit.Message, "\n")
	return s.Repo.CommitTree(ctx, gitops.CommitRequest{
		Tree: tree, Parents: []gitops.ID{base},
		Message: fmt.Sprintf("Revert %q\n\nThis reverts commit %s.\nThe change goes on on %s.\n", subject, landed, id.Branch()),
	})
}

// TakeBack moves the base branch to such a commit, as [Store.Land] moves it to an archive.
func (s *Store) TakeBack(ctx context.Context, id phases.ChangeID, branch string, base, commit gitops.ID) ([]string, error) {
	return s.moveBase(ctx, branch, gitops.Advance{Reason: "agentd: take back the archive of " + id.String(), Old: base, New: commit})
}

// LastTip is where the history of an archived change ends: its branch, or what was kept of it,
// or what the record names; kept says that the branch is gone. "" where nothing of it is in this clone.
func (s *Store) LastTip(ctx context.Context, id phases.ChangeID, record *specs.State) (tip gitops.ID, gone bool, err error) {
	refs, err := s.Repo.Refs(ctx, id.Ref(), id.ArchiveRefPrefix())
	if err != nil {
		return "", false, err
	}
	last := 0
	for _, ref := range refs {
		if ref.Name == id.Ref() {
			return ref.ID, false, nil
		}
		if n := attemptNumber(id, ref.Name); n > last {
			last, tip = n, ref.ID
		}
	}
	if tip == "" && record != nil && record.Archive != nil && s.Repo.Exists(ctx, gitops.ID(record.Archive.Tip)) {
		tip = gitops.ID(record.Archive.Tip)
	}
	return tip, true, nil
}

// Restore takes a change up again whose archive the base held and does not hold any more, by whoever took it back:
// its branch goes on from its own tip and from the base, with the content that was approved. It returns the change as it stands then,
// and what worktrees kept for themselves. c is the change at the tip of its branch; gone says that the branch was deleted.
func (s *Store) Restore(ctx context.Context, c *Change, base gitops.ID, gone bool) (*Change, []string, error) {
	reviewed := c
	var err error
	if c.State.Recorded == phases.Archived {
		if reviewed, err = c.Reviewed(ctx); err != nil {
			return nil, nil, err
		}
	}
	landed, err := s.LandedBy(ctx, c.ID, base)
	if err != nil {
		return nil, nil, err
	}
	before, err := s.before(ctx, landed)
	if err != nil {
		return nil, nil, err
	}
	tree, conflicts, err := s.Repo.MergeTrees(ctx, before, reviewed.Tip)
	if err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 {
		return nil, nil, &RestoreError{ID: c.ID, Conflicts: conflicts}
	}
	theirs, err := s.Repo.ScratchCommit(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	if tree, conflicts, err = s.mergeOnto(ctx, before, base, theirs); err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 {
		return nil, nil, &RestoreError{ID: c.ID, Conflicts: conflicts}
	}
	old := c.Tip
	if gone {
		old = ""
	}
	return s.unarchive(ctx, c, reopening{
		old: old, tree: tree, base: base, subject: "took the archive back from " + c.State.Base.Branch,
	})
}

// RestoreError says that the base has moved on so that a change which was taken back does not fit it.
type RestoreError struct {
	ID        phases.ChangeID
	Conflicts []string
}

func (e *RestoreError) Error() string {
	return fmt.Sprintf("the base has moved on since %s was archived, and conflicts with it in %s", e.ID, strings.Join(e.Conflicts, ", "))
}

// Hint names what is left to do by hand.
func (e *RestoreError) Hint() string {
	return fmt.Sprintf("`git log %s` has what it was; plan anew what is still wanted", e.ID.Branch())
}
