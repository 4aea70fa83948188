package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
)

// mergeCode merges the branch into the base. What that does to the base must be the diff that was approved,
// and where the result is not the very tree that was approved, it must pass the project's checks.
func (a *archiving) mergeCode(ctx context.Context, c *changes.Change, l *landing) error {
	if _, related, err := a.Repo.MergeBase(ctx, l.base, c.Tip); err != nil || !related {
		if err != nil {
			return err
		}
		return &GateError{
			Gate: "merge", Reason: fmt.Sprintf("%s and %s have no commit in common: %s was replaced", l.branch, c.ID.Branch(), l.branch),
			Next: fmt.Sprintf("move the change onto it: `git rebase --onto %s %.12s %s`", l.branch, c.State.Base.Commit, c.ID.Branch()),
		}
	}
	tree, conflicts, err := a.Repo.MergeTrees(ctx, l.base, c.Tip)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return &GateError{
			Gate: "merge", Reason: fmt.Sprintf("%s and %s conflict in %s", l.branch, c.ID.Branch(), strings.Join(conflicts, ", ")),
			Next: l.mergeFirst(),
		}
	}
	l.tree = tree
	if err := a.onlyOwnRecord(ctx, c, l.base, l.tree); err != nil {
		return err
	}
	same, err := c.SameDiff(ctx, l.base, tree)
	if err != nil {
		return err
	}
	if !same {
		return a.otherDiff(ctx, c, l)
	}
	moved, err := c.CodeDiffers(ctx, tree)
	if err != nil || !moved {
		return err
	}
	probe, err := a.Repo.ScratchCommit(ctx, tree, l.base, c.Tip)
	if err != nil {
		return err
	}
	if l.proof, err = a.evidence(ctx, c, probe, ""); err != nil {
		return err
	}
	if !phases.EvidencePassed(l.proof) {
		return &GateError{
			Gate: "evidence", Reason: fmt.Sprintf("merged into %s a check fails", l.branch), Next: l.mergeFirst(),
		}
	}
	return nil
}

// mergeFirst is the way out where the base has to be looked at on the branch.
func (l *landing) mergeFirst() string {
	id := l.applied.ID
	if l.again {
		return fmt.Sprintf("`%s`, merge %s into %s, then `%s`", command("archive", id, "--abort"), l.branch, id.Branch(), command("impl", id))
	}
	return fmt.Sprintf("merge %s into %s, then `%s`", l.branch, id.Branch(), command("impl", id))
}

// otherDiff refuses a merge that would do something else to the base than what was approved.
// Where the branch has merged all of the base, as with `merge -s ours`, merging it again changes nothing.
func (a *archiving) otherDiff(ctx context.Context, c *changes.Change, l *landing) error {
	next := l.mergeFirst()
	merged, err := a.Repo.IsAncestor(ctx, l.base, c.Tip)
	if err != nil {
		return err
	}
	if merged {
		next = fmt.Sprintf("`git diff %s...%s` shows what it would do; `%s` has that reviewed", l.branch, c.ID.Branch(), command("impl", c.ID, "--again"))
	}
	return &GateError{
		Gate: "merge", Reason: fmt.Sprintf("merged into %s the change is no longer what was approved", l.branch), Next: next,
	}
}
