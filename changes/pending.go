package changes

import (
	"context"
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
// its archive was made for. It returns the change as it stands then, and what worktrees kept for themselves.
func (s *Store) Withdraw(ctx context.Context, c *Change) (*Change, []string, error) {
	reviewed, err := c.Reviewed(ctx)
	if err != nil {
		return nil, nil, err
	}
	base, err := c.Fork(ctx)
	if err != nil {
		return nil, nil, err
	}
	tree, conflicts, err := s.Repo.MergeTrees(ctx, base, reviewed.Tip)
	if err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 { // somebody resolved them, who merged the base by hand
		return nil, nil, fmt.Errorf("%s and %s conflict in %s", base.Short(), c.ID.Branch(), strings.Join(conflicts, ", "))
	}
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
	tree, err = s.writeTree(ctx, tree, []gitops.Edit{{Path: c.ID.Dir() + "/" + specs.StateFile, Mode: gitops.ModeFile, Content: state.YAML()}})
	if err != nil {
		return nil, nil, err
	}
	commit, err := s.commitTree(ctx, tree, []gitops.ID{c.Tip}, Record{Subject: "took the archive back before it landed"}, t)
	if err != nil {
		return nil, nil, err
	}
	left, err := s.advance(ctx, gitops.Advance{Reason: "agentd: unarchive", Ref: c.ID.Ref(), Old: c.Tip, New: commit})
	if err != nil {
		return nil, nil, err
	}
	next, err := s.OpenAt(ctx, c.ID, commit)
	return next, left, err
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
	tip, err := archiveOnBase(r, id, func() ([]gitops.ID, error) { return []gitops.ID{base}, nil })
	if err != nil || tip == "" {
		return "", err
	}
	return s.filedBy(ctx, r, tip)
}
