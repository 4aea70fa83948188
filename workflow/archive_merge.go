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

// mergeSpecs makes the change's specs the project's.
// A spec whose text on the base moved since the branch left it is refused with both sides named.
func (a *archiving) mergeSpecs(ctx context.Context, c *changes.Change, l *landing) error {
	files, err := c.Files(ctx)
	if err != nil {
		return err
	}
	seen, err := a.specsSeen(ctx, c)
	if err != nil {
		return err
	}
	objects, err := a.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	at := a.Now().UTC()
	for _, path := range specPaths(specs.ChangeDocs{Files: files}) {
		main := "agentd/" + path
		before, err := blobAt(objects, seen, main)
		if err != nil {
			return err
		}
		now, err := blobAt(objects, l.base, main)
		if err != nil {
			return err
		}
		if now != before {
			return a.specMoved(ctx, c, main, seen, l)
		}
		content := specs.StampArchived(files[path], at)
		after, err := a.Repo.HashBlob(content)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "specs/"), ".md")
		l.specs = append(l.specs, specs.ArchivedSpec{ID: specs.SpecID(name), Before: string(now), After: string(after)})
		l.edits = append(l.edits, gitops.Edit{Path: main, Mode: gitops.ModeFile, Content: content})
	}
	for path, content := range files {
		l.edits = append(l.edits, gitops.Edit{Path: c.ID.Dir() + "/" + path, Delete: true})
		if path != specs.StateFile {
			l.edits = append(l.edits, gitops.Edit{Path: c.ID.ArchiveDir() + "/" + path, Mode: gitops.ModeFile, Content: content})
		}
	}
	return nil
}

// specsSeen is the commit of the base whose specs were before the eyes of whoever approved the plan.
// Where the base was merged or the branch rebased after that, what is new on the base was not.
func (a *archiving) specsSeen(ctx context.Context, c *changes.Change) (gitops.ID, error) {
	base := c.State.Base
	if a := c.State.PlanApproval; a != nil && a.Base != nil {
		base = *a.Base
	}
	seen := gitops.ID(base.Commit)
	if !a.Repo.Exists(ctx, seen) {
		return "", fmt.Errorf("commit %s, which %q was planned on, is not in this clone: fetch it", seen.Short(), c.ID)
	}
	return seen, nil
}

func (a *archiving) specMoved(ctx context.Context, c *changes.Change, path string, seen gitops.ID, l *landing) error {
	theirs, err := a.Repo.LastTouch(ctx, l.base, path)
	if err != nil {
		return err
	}
	return &SpecMovedError{
		ID: c.ID, Path: path, Base: l.branch, Seen: seen.Short(), Theirs: theirs.Short(), Ours: c.Tip.Short(),
	}
}

// SpecMovedError says that a spec was changed on the base after the plan was approved on an older one.
type SpecMovedError struct {
	ID                 phases.ChangeID
	Path, Base         string
	Seen, Theirs, Ours string
}

func (e *SpecMovedError) Error() string {
	return fmt.Sprintf("%s changed on both sides since %s: on %s in %s, in change %q at %s",
		e.Path, e.Seen, e.Base, e.Theirs, e.ID, e.Ours)
}

// Hint names the way out.
func (e *SpecMovedError) Hint() string {
	return fmt.Sprintf("merge %s into %s, bring agentd/changes/%s/specs up to date with it (`%s` if they are), then `%s`",
		e.Base, e.ID.Branch(), e.ID, command("reopen", e.ID), command("plan", e.ID))
}

// blobAt is the blob of a path at a commit, "" when it is not there.
func blobAt(objects *gitops.Objects, commit gitops.ID, path string) (gitops.ID, error) {
	id, _, _, err := objects.Lookup(string(commit) + ":" + path)
	if errors.Is(err, gitops.ErrNotFound) {
		return "", nil
	}
	return id, err
}
