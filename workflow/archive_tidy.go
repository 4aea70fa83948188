package workflow

import (
	"context"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/specs"
)

// tidy removes what is no longer needed, if that was asked for.
func (a *archiving) tidy(ctx context.Context, c *changes.Change, r *ActionResult) error {
	if !a.req.DeleteBranch {
		return nil
	}
	refs, err := a.Repo.Refs(ctx, c.ID.Ref())
	if err != nil || len(refs) == 0 {
		return err
	}
	tip := refs[0].ID
	landed, err := a.landed(ctx, c, tip)
	if err != nil {
		return err
	}
	if !landed { // what was committed after that is on the branch alone
		return &GateError{
			Gate: "branch", Reason: fmt.Sprintf("%s has commits that were not archived", c.ID.Branch()),
			Next: fmt.Sprintf("`git log %s..%s` shows them; `git branch -D %s` gives them up", c.State.Base.Branch, c.ID.Branch(), c.ID.Branch()),
		}
	}
	dir, err := a.checkedOut(ctx, c.ID)
	if err != nil {
		return err
	}
	if dir != "" {
		if dir == a.Repo.WorkTree() {
			return a.inUse(ctx, c)
		}
		if err := a.Repo.RemoveWorktree(ctx, dir); err != nil {
			return fmt.Errorf("remove worktree %s: %w", dir, err)
		}
	}
	updates, err := a.Store.Keep(ctx, c.ID, tip)
	if err != nil {
		return err
	}
	err = a.Repo.UpdateRefs(ctx, "agentd: archived", append(updates, gitops.RefUpdate{Name: c.ID.Ref(), Old: tip})...)
	if err == nil {
		r.Branch = ""
		a.Say.Done(fmt.Sprintf("removed the branch %s; refs/agentd/archive keeps its commits", c.ID.Branch()))
	}
	return err
}

// inUse refuses to take away the branch that the person stands on.
func (a *archiving) inUse(ctx context.Context, c *changes.Change) error {
	refusal := &GateError{Gate: "branch", Reason: c.ID.Branch() + " is what you have checked out here", Next: "git switch " + c.State.Base.Branch}
	trees, err := a.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	if main := trees[0]; main.Path != a.Repo.WorkTree() { // git lists the main worktree first
		refusal.Next = fmt.Sprintf("cd %s, then run it there", proc.Quote(main.Path))
	}
	return refusal
}

// landed says that nothing is on a branch that was not archived: it is what was archived,
// or holds the very archive that the base holds, by whatever button it came there.
func (a *archiving) landed(ctx context.Context, c *changes.Change, tip gitops.ID) (bool, error) {
	archived := c.Tip // by this very run
	if c.Document != nil && c.Document.Archive != nil {
		archived = gitops.ID(c.Document.Archive.Tip)
	}
	if landed, err := a.Repo.IsAncestor(ctx, tip, archived); err != nil || landed {
		return landed, err
	}
	objects, err := a.Repo.Objects(ctx)
	if err != nil {
		return false, err
	}
	defer objects.Close()
	record := c.ID.ArchiveDir() + "/" + specs.StateFile
	here, err := blobAt(objects, tip, record)
	if err != nil || here == "" {
		return false, err
	}
	there, err := blobAt(objects, c.Archived, record)
	if err != nil || here != there {
		return false, err
	}
	filed, err := a.Store.FiledBy(ctx, c.ID, tip)
	if err != nil {
		return false, err
	}
	after, err := a.Repo.Between(ctx, []gitops.ID{tip}, []gitops.ID{filed, c.Archived})
	if err != nil {
		return false, err
	}
	for _, id := range after { // merges of the base bring nothing of their own
		if commit, err := objects.Commit(id); err != nil || len(commit.Parents) < 2 {
			return false, err
		}
	}
	return true, nil
}
