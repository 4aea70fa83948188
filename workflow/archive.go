package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Archive makes a complete change part of the base: its specs become the project's, its folder goes to the archive.
// It is deterministic and asks no model.
type Archive struct{ Bench *Bench }

// ArchiveRequest names the change.
type ArchiveRequest struct {
	Change       phases.ChangeID
	DeleteBranch bool // afterwards remove the branch and its worktree, if that is clean
}

// Run archives, or says that it was done before. Archiving twice is one archive.
func (a *Archive) Run(ctx context.Context, req ArchiveRequest) (result ActionResult, err error) {
	err = a.Bench.exclusively(ctx, req.Change, "archive", func(b *Bench) error {
		run := newImplementing(b, ImplementRequest{Change: req.Change})
		result, err = run.archive(ctx, req)
		run.account(&result)
		return err
	})
	return result, err
}

func (i *implementing) archive(ctx context.Context, req ArchiveRequest) (ActionResult, error) {
	if err := i.ready(ctx, req.Change); err != nil {
		return ActionResult{Change: req.Change.String()}, err
	}
	// The base may move while the merge is built. Then it is built anew on the new base, never forced.
	const attempts = 5
	for range attempts {
		c, err := i.Store.Open(ctx, req.Change)
		if err != nil {
			return ActionResult{Change: req.Change.String()}, err
		}
		if c.State.Effective == phases.Archived && c.Where != changes.InArchive {
			return resultOf(c, "", ""), &GateError{
				Gate: "archive", Reason: fmt.Sprintf("%s was archived, and %s does not hold it any more: that was taken back", c.ID, c.State.Base.Branch),
				Next: fmt.Sprintf("`git log --oneline %s -- %s` names the commit that did; `git revert` it there", c.State.Base.Branch, c.ID.ArchiveDir()),
			}
		}
		if c.State.Effective == phases.Archived {
			r := resultOf(c, ActionAlreadyArchived, "the change is archived already")
			return r, i.tidy(ctx, c, req, &r)
		}
		if c.State.Effective != phases.Complete {
			stale := c.State.Recorded == phases.Complete
			return resultOf(c, "", ""), &NotCompleteError{ID: c.ID, Phase: c.State.Effective, Stale: stale}
		}
		if err := c.Forward(); err != nil {
			return resultOf(c, "", ""), err
		}
		if err := i.committed(ctx, c); err != nil {
			return resultOf(c, "", ""), err
		}
		r, err := i.land(ctx, c)
		if _, moved := errors.AsType[*gitops.MovedError](err); moved || errors.Is(err, gitops.ErrNotFastForward) {
			continue
		}
		if err != nil {
			return r, err
		}
		return r, i.tidy(ctx, c, req, &r)
	}
	return ActionResult{Change: req.Change.String()}, fmt.Errorf("archive %q: the base branch keeps moving", req.Change)
}

// committed refuses uncommitted edits of the change: archiving would leave them behind.
func (i *implementing) committed(ctx context.Context, c *changes.Change) error {
	dir, err := i.checkedOut(ctx, c.ID)
	if err != nil || dir == "" {
		return err
	}
	dirty, err := i.at(dir).Status(ctx, c.ID.Dir())
	if err != nil || len(dirty) == 0 {
		return err
	}
	return &GateError{
		Gate: "edits", Reason: fmt.Sprintf("%s is edited and not committed", dirty[0].Path),
		Next: fmt.Sprintf("`%s` takes it into the history, `git -C %s restore %s` undoes it", command("plan", c.ID), proc.Quote(dir), c.ID.Dir()),
	}
}

// landing is everything that becomes the one archive commit.
type landing struct {
	base    gitops.ID // tip of the base branch
	tree    gitops.ID // base and branch merged, before the change's folder moves
	specs   []specs.ArchivedSpec
	edits   []gitops.Edit
	proof   []phases.Evidence
	branch  string
	applied *changes.Change
}

// land builds the merge in memory and moves the base to it, together with the ref that keeps the branch's tip.
func (i *implementing) land(ctx context.Context, c *changes.Change) (ActionResult, error) {
	stay := resultOf(c, "", "")
	branch, err := i.landsOn(ctx, c)
	if err != nil {
		return stay, err
	}
	i.Say.Note(fmt.Sprintf("%s is %s: archiving onto %s", c.ID, c.State.Effective, branch))
	l := landing{branch: branch, applied: c}
	if l.base, err = i.Repo.Resolve(ctx, "refs/heads/"+l.branch); err != nil {
		if errors.Is(err, gitops.ErrNotFound) {
			return stay, &changes.BaseError{Branch: l.branch}
		}
		return stay, err
	}
	if err := i.mergeCode(ctx, c, &l); err != nil {
		return stay, err
	}
	if err := i.mergeSpecs(ctx, c, &l); err != nil {
		return stay, err
	}
	commit, err := i.Store.ArchiveCommit(ctx, c, changes.Landing{
		Base: l.base, Tree: l.tree, Edits: l.edits, Specs: l.specs, Evidence: l.proof,
	})
	if err != nil {
		return stay, err
	}
	if err := i.baseFree(ctx, l.branch); err != nil {
		return stay, err
	}
	left, err := i.Store.Land(ctx, c, l.branch, l.base, commit)
	if err != nil {
		return stay, i.explainLanding(err)
	}
	i.left = append(i.left, left...)
	i.forgetSessions(c.ID)
	next, err := i.Store.Open(ctx, c.ID)
	if err != nil {
		return stay, err
	}
	i.made = append(i.made, string(commit))
	i.Say.Done(fmt.Sprintf("%s is archived on %s: %s", c.ID, l.branch, specWords(l.specs)))
	r := resultOf(next, ActionArchived, "archived on "+l.branch)
	if remotes, err := i.Repo.Remotes(ctx); err == nil && len(remotes) > 0 {
		r.Next = "git push origin " + l.branch
	}
	return r, nil
}

// landsOn is the branch that the change is archived on: its base,
// or where that is the branch of another change, the one which that change was archived on.
func (i *implementing) landsOn(ctx context.Context, c *changes.Change) (string, error) {
	branch := c.State.Base.Branch
	for {
		below, stacked := phases.ChangeIDFromBranch(branch)
		if !stacked {
			return branch, nil
		}
		lower, err := i.Store.Open(ctx, below)
		if err != nil {
			return "", err
		}
		if lower.State.Effective != phases.Archived {
			return "", &GateError{
				Gate: "order", Reason: fmt.Sprintf("%s stands on %s, which is not archived yet", c.ID, below),
				Next: command("archive", below),
			}
		}
		if branch = lower.State.Base.Branch; branch == "" { // a squash dropped the commit that names it
			return i.Repo.DefaultBranch(ctx)
		}
	}
}

// baseFree refuses a base in whose checkout git is in the middle of something.
func (i *implementing) baseFree(ctx context.Context, branch string) error {
	trees, err := i.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Branch == "refs/heads/"+branch && !t.Bare && !t.Prunable {
			if err := (&workspace{bench: i.Bench}).free(ctx, t.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// explainLanding turns git's refusals into what the person can do.
func (i *implementing) explainLanding(err error) error {
	if overlap, ok := errors.AsType[*gitops.OverlapError](err); ok {
		return &GateError{
			Gate:   "checkout",
			Reason: fmt.Sprintf("the base is checked out with uncommitted work in files that the archive changes (%s)", strings.Join(overlap.Files, ", ")),
			Next:   "commit or stash them there, then run the same command again",
		}
	}
	return err
}

// tidy removes what is no longer needed, if that was asked for.
func (i *implementing) tidy(ctx context.Context, c *changes.Change, req ArchiveRequest, r *ActionResult) error {
	if !req.DeleteBranch {
		return nil
	}
	refs, err := i.Repo.Refs(ctx, c.ID.Ref())
	if err != nil || len(refs) == 0 {
		return err
	}
	landed, err := i.Repo.IsAncestor(ctx, refs[0].ID, archivedTip(c))
	if err != nil {
		return err
	}
	if !landed { // what was committed after that is on the branch alone
		return &GateError{
			Gate: "branch", Reason: fmt.Sprintf("%s has commits that were not archived", c.ID.Branch()),
			Next: fmt.Sprintf("`git log %s..%s` shows them; `git branch -D %s` gives them up", c.State.Base.Branch, c.ID.Branch(), c.ID.Branch()),
		}
	}
	dir, err := i.checkedOut(ctx, c.ID)
	if err != nil {
		return err
	}
	if dir != "" {
		if dir == i.Repo.WorkTree() {
			return i.inUse(ctx, c)
		}
		if err := i.Repo.RemoveWorktree(ctx, dir); err != nil {
			return fmt.Errorf("remove worktree %s: %w", dir, err)
		}
	}
	err = i.Repo.UpdateRefs(ctx, "agentd: archived", gitops.RefUpdate{Name: c.ID.Ref(), Old: refs[0].ID})
	if err == nil {
		r.Branch = ""
		i.Say.Done(fmt.Sprintf("removed the branch %s; refs/agentd/archive keeps its commits", c.ID.Branch()))
	}
	return err
}

// inUse refuses to take away the branch that the person stands on.
func (i *implementing) inUse(ctx context.Context, c *changes.Change) error {
	refusal := &GateError{Gate: "branch", Reason: c.ID.Branch() + " is what you have checked out here", Next: "git switch " + c.State.Base.Branch}
	trees, err := i.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	if main := trees[0]; main.Path != i.Repo.WorkTree() { // git lists the main worktree first
		refusal.Next = fmt.Sprintf("cd %s, then run it there", proc.Quote(main.Path))
	}
	return refusal
}

// archivedTip is the tip of the branch that was archived.
func archivedTip(c *changes.Change) gitops.ID {
	if c.Document != nil && c.Document.Archive != nil {
		return gitops.ID(c.Document.Archive.Tip)
	}
	return c.Tip // archived by this very run
}

func specWords(all []specs.ArchivedSpec) string {
	if len(all) == 0 {
		return "no specs"
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s.ID)
		if s.Before == "" {
			names[i] += " (new)"
		}
	}
	return "specs " + strings.Join(names, ", ")
}
