package changes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Propose moves the change's own branch to its archive commit, for a pull request to bring it to the base.
// Until then the change is complete: see [Change.ArchivePending]. It returns what worktrees kept for themselves.
func (s *Store) Propose(ctx context.Context, c *Change, commit gitops.ID) ([]string, error) {
	return s.advance(ctx, gitops.Advance{
		Reason: "agentd: propose the archive of " + c.ID.String(), Ref: c.ID.Ref(), Old: c.Tip, New: commit,
	})
}

// ArchivePending reports that the change is archived on its own branch, and that the base does not hold that:
// not yet, or not any more.
func (c *Change) ArchivePending() bool {
	return c.Where == OnBranch && c.State.Recorded == phases.Archived
}

// Phase is where the change stands for people: archived is only what the base holds (DESIGN section 10).
func (c *Change) Phase() phases.Phase {
	if c.ArchivePending() {
		return phases.Complete
	}
	return c.State.Effective
}

// Reviewed is a change with a pending archive as it was before it was archived on its branch.
func (c *Change) Reviewed(ctx context.Context) (*Change, error) {
	all := c.State.Transitions
	first := len(all) - 1
	for first > 0 && all[first-1].Phase == phases.Archived {
		first--
	}
	objects, err := c.store.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	commit, err := objects.Commit(gitops.ID(all[first].Commit))
	if err != nil {
		return nil, err
	}
	return c.store.OpenAt(ctx, c.ID, commit.Parents[0])
}

// Withdraw takes an archive that waits on its branch back: the change goes on as it was reviewed, on the base that
// its archive was made for, and with what came after the archive. It returns the change as it stands then, and what worktrees kept for themselves.
func (s *Store) Withdraw(ctx context.Context, c *Change) (*Change, []string, error) {
	reviewed, err := c.Reviewed(ctx)
	if err != nil {
		return nil, nil, err
	}
	tree, err := s.unarchived(ctx, c, reviewed)
	if err != nil {
		return nil, nil, err
	}
	return s.unarchive(ctx, c, reopening{old: c.Tip, tree: tree, subject: "took the archive back before it landed"})
}

// reopening is what takes an archived change back to complete.
type reopening struct {
	old     gitops.ID // where the branch stands, "" where it is gone
	tree    gitops.ID // of the branch then, without the new STATE.yaml
	base    gitops.ID // that the branch goes on from besides its own tip, "" where that is no other one
	subject string
}

// unarchive commits a reopening on top of the change, and moves its branch there.
func (s *Store) unarchive(ctx context.Context, c *Change, o reopening) (*Change, []string, error) {
	now := s.Now().UTC().Truncate(time.Second)
	t := phases.Transition{
		Change: c.ID, Step: phases.StepUnarchive, From: phases.Archived, Phase: phases.Complete, Actor: phases.Human,
	}
	if err := c.State.Admit(t, c.State.PlanTree, c.State.CodeTree); err != nil {
		return nil, nil, err
	}
	if c.Document == nil {
		return nil, nil, ErrNoState
	}
	state := *c.Document
	state.Archive = nil
	state.Record(specs.EntryOf(t, now), nil, now)
	tree, err := s.writeTree(ctx, o.tree, []gitops.Edit{{Path: c.ID.Dir() + "/" + specs.StateFile, Mode: gitops.ModeFile, Content: state.YAML()}})
	if err != nil {
		return nil, nil, err
	}
	parents := []gitops.ID{c.Tip}
	if o.base != "" {
		parents = append(parents, o.base)
	}
	commit, err := s.commitTree(ctx, tree, parents, Record{Subject: o.subject}, t)
	if err != nil {
		return nil, nil, err
	}
	left, err := s.advance(ctx, gitops.Advance{Reason: "agentd: unarchive", Ref: c.ID.Ref(), Old: o.old, New: commit})
	if err != nil {
		return nil, nil, err
	}
	next, err := s.OpenAt(ctx, c.ID, commit)
	return next, left, err
}

// unarchived is the tree of a branch without the archive that waits on it: the reviewed branch and the base of the archive
// merged once more, and on top of that what the branch did after the archive.
func (s *Store) unarchived(ctx context.Context, c, reviewed *Change) (gitops.ID, error) {
	all := c.State.Transitions
	last := len(all) - 1
	for all[last].Step != phases.StepArchive {
		last--
	}
	archive := gitops.ID(all[last].Commit)
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return "", err
	}
	commit, err := objects.Commit(archive)
	if err = errors.Join(err, objects.Close()); err != nil {
		return "", err
	}
	tree, conflicts, err := s.Repo.MergeTrees(ctx, commit.Parents[len(commit.Parents)-1], reviewed.Tip)
	if err == nil && len(conflicts) == 0 && archive != c.Tip {
		var before gitops.ID
		if before, err = s.Repo.ScratchCommit(ctx, tree, archive); err != nil {
			return "", err
		}
		tree, conflicts, err = s.Repo.MergeTrees(ctx, before, c.Tip)
	}
	if err == nil && len(conflicts) > 0 {
		err = &WithdrawError{ID: c.ID, Archive: archive.Short(), Conflicts: conflicts}
	}
	return tree, err
}

// WithdrawError says that what came after an archive stands only on it.
type WithdrawError struct {
	ID        phases.ChangeID
	Archive   string
	Conflicts []string
}

func (e *WithdrawError) Error() string {
	return fmt.Sprintf("what was committed on %s after its archive %s conflicts with taking that back, in %s",
		e.ID.Branch(), e.Archive, strings.Join(e.Conflicts, ", "))
}

// Hint names the commands that show it and take it off.
func (e *WithdrawError) Hint() string {
	return fmt.Sprintf("`git log %[1]s..%[2]s` shows it, and `git reset --keep %[1]s` on that branch takes it off", e.Archive, e.ID.Branch())
}

// FiledBy is the commit that put the change's archive into what a commit of the base holds:
// the one that archived it, on the base or on the branch that was merged, or the squash that is left of that.
// It is "" where the base does not hold it.
func (s *Store) FiledBy(ctx context.Context, id phases.ChangeID, base gitops.ID) (gitops.ID, error) {
	r, err := s.reader(ctx, id)
	if err != nil {
		return "", err
	}
	defer r.close()
	tip, err := archiveOnBase(ctx, r, id, func() ([]gitops.ID, error) { return []gitops.ID{base}, nil })
	if err != nil || tip == "" {
		return "", err
	}
	return s.filedBy(ctx, r, tip)
}
