package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// landing is everything that becomes the one archive commit.
type landing struct {
	branch   string    // that it is for, as a person knows it: "main", or "origin/main"
	base     gitops.ID // its tip
	tree     gitops.ID // base and branch merged, before the change's folder moves
	specs    []specs.ArchivedSpec
	edits    []gitops.Edit
	did      []string // to specs, for readers
	entry    string   // of the changelog
	proof    []phases.Evidence
	applied  *changes.Change // as it was reviewed
	proposed bool            // goes onto the change's branch
	again    bool            // where one waits already
}

// build makes the archive commit of a change in memory. No reference moves.
func (a *archiving) build(ctx context.Context, c *changes.Change, l *landing) (gitops.ID, error) {
	if err := a.mergeCode(ctx, l.applied, l); err != nil {
		return "", err
	}
	if err := a.mergeSpecs(ctx, l.applied, l); err != nil {
		return "", err
	}
	return a.Store.ArchiveCommit(ctx, c, changes.Landing{
		Base: l.base, Tree: l.tree, Edits: l.edits, Specs: l.specs, Evidence: l.proof, Proposed: l.proposed, Entry: l.entry,
	})
}

// land moves the base to the archive commit, together with the ref that keeps the branch's tip.
// Where up, the base as the remote has it, is given, the remote's moves first: what it refuses has not happened here either.
func (a *archiving) land(ctx context.Context, c *changes.Change, up gitops.ID) (ActionResult, error) {
	stay := resultOf(c, "", "")
	branch, err := a.landsOn(ctx, c)
	if err != nil {
		return stay, err
	}
	a.Say.Note(fmt.Sprintf("%s is %s: archiving onto %s", c.ID, c.State.Effective, branch))
	here, err := a.Repo.Resolve(ctx, "refs/heads/"+branch)
	if errors.Is(err, gitops.ErrNotFound) {
		err = &changes.BaseError{Branch: branch}
	}
	if err != nil {
		return stay, err
	}
	l := landing{branch: branch, base: here, applied: c}
	if up != "" {
		if l.base, err = a.newest(ctx, branch, here, up); err != nil {
			return stay, err
		}
	}
	commit, err := a.build(ctx, c, &l)
	if err != nil {
		return stay, err
	}
	if err := a.baseFree(ctx, branch); err != nil {
		return stay, err
	}
	if up != "" {
		if err := a.push(ctx, branch, here, up, commit); err != nil {
			return stay, err
		}
	}
	left, err := a.Store.Land(ctx, c, branch, here, commit)
	if err != nil {
		return stay, explainLanding(err)
	}
	a.left = append(a.left, left...)
	a.forgetSessions(c.ID)
	next, err := a.Store.Open(ctx, c.ID)
	if err != nil {
		return stay, err
	}
	a.made = append(a.made, string(commit))
	a.Say.Done(fmt.Sprintf("%s is archived on %s: %s", c.ID, branch, specWords(l.specs)))
	r := resultOf(next, ActionArchived, "archived on "+branch)
	switch remotes, err := a.Repo.Remotes(ctx); {
	case up != "":
		r.Message = fmt.Sprintf("archived on %s, here and on %s", branch, a.remote)
	case err == nil && len(remotes) > 0:
		r.Next = "git push " + mainRemote(remotes) + " " + branch
	}
	return r, nil
}

// landsOn is the branch that the change is archived on: its base,
// or where that is the branch of another change, the one which that change was archived on.
func (a *archiving) landsOn(ctx context.Context, c *changes.Change) (string, error) {
	branch := c.State.Base.Branch
	for {
		below, stacked := phases.ChangeIDFromBranch(branch)
		if !stacked {
			return branch, nil
		}
		lower, err := a.Store.Open(ctx, below)
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
			return a.Repo.DefaultBranch(ctx)
		}
	}
}

// baseFree refuses a base in whose checkout git is in the middle of something.
func (a *archiving) baseFree(ctx context.Context, branch string) error {
	trees, err := a.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Branch == "refs/heads/"+branch && !t.Bare && !t.Prunable {
			if err := (&workspace{bench: a.Bench}).free(ctx, t.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// explainLanding turns git's refusals into what the person can do.
func explainLanding(err error) error {
	if overlap, ok := errors.AsType[*gitops.OverlapError](err); ok {
		return &GateError{
			Gate:   "checkout",
			Reason: fmt.Sprintf("the base is checked out with uncommitted work in files that the archive changes (%s)", strings.Join(overlap.Files, ", ")),
			Next:   "commit or stash them there, then run the same command again",
		}
	}
	return err
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
