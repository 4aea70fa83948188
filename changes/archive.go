package changes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Landing is what an archive commit is made of.
type Landing struct {
	Base     gitops.ID // tip of the base branch
	Tree     gitops.ID // base and branch merged
	Edits    []gitops.Edit
	Specs    []specs.ArchivedSpec
	Evidence []phases.Evidence // run on the merge, where it is not the tree that was approved
	Entry    string            // of the changelog, for readers of the base's log
	Proposed bool              // goes onto the change's branch, for a pull request to bring it to the base
}

// ArchiveCommit writes the commit that archives the change: a merge of the base and the branch
// whose trailers sum up the whole change, and whose tree holds the record even where a squash drops the commits.
// No ref moves.
func (s *Store) ArchiveCommit(ctx context.Context, c *Change, l Landing) (gitops.ID, error) {
	now := s.Now().UTC().Truncate(time.Second)
	t := phases.Transition{
		Change: c.ID, Step: phases.StepArchive, From: c.State.Effective, Phase: phases.Archived,
		Evidence: l.Evidence, Usage: totalUsage(c.State.Transitions), Actor: phases.ByAgent("agentd"),
	}
	if a := c.State.CodeApproval; a != nil {
		t.Subject, t.Diff = a.Transition.Subject, a.Diff
	}
	if err := c.State.Admit(t, c.State.PlanTree, c.State.CodeTree); err != nil {
		return "", err
	}
	if c.Document == nil {
		return "", ErrNoState
	}
	state := *c.Document
	state.Archive = &specs.Archive{Base: string(l.Base), Tip: string(c.Tip), Specs: l.Specs}
	state.Record(specs.EntryOf(t, now), nil, now)
	edits := append(slices.Clone(l.Edits), gitops.Edit{
		Path: c.ID.ArchiveDir() + "/" + specs.StateFile, Mode: gitops.ModeFile, Content: state.YAML(),
	})
	tree, err := s.Repo.WriteTree(ctx, l.Tree, edits)
	if err != nil {
		return "", err
	}
	parents := []gitops.ID{l.Base, c.Tip}
	if l.Proposed {
		slices.Reverse(parents) // a branch goes on from itself
	}
	return s.commitTree(ctx, tree, parents, Record{
		Subject: "archived", Body: archiveBody(c, l.Entry),
	}, t)
}

// archiveBody tells what came of the change, and its story in one line per transition.
func archiveBody(c *Change, entry string) string {
	_, entry, _ = strings.Cut(entry, "\n") // the subject names the change
	var text strings.Builder
	if entry = strings.TrimSpace(entry); entry != "" {
		text.WriteString(entry + "\n\n")
	}
	for _, t := range c.State.Transitions {
		fmt.Fprintf(&text, "%.10s %s -> %s: %s\n", t.Commit, t.From, t.Phase, strings.TrimPrefix(t.Subject, "agentd("+c.ID.String()+"): "))
	}
	return text.String()
}

// totalUsage sums up what the whole change cost; a call without a price leaves the sum without one.
func totalUsage(all []phases.Applied) *phases.Usage {
	var sum phases.Usage
	usd := 0.0
	priced, calls := true, 0
	for _, t := range all {
		u := t.Usage
		if u == nil || t.Step == phases.StepArchive { // that is a sum itself
			continue
		}
		calls++
		sum.In = phases.Plus(sum.In, u.In)
		sum.Cached = phases.Plus(sum.Cached, u.Cached)
		sum.Out = phases.Plus(sum.Out, u.Out)
		sum.Millis = phases.Plus(sum.Millis, u.Millis)
		if u.USD == nil || u.Unknown {
			priced = false
			continue
		}
		usd += *u.USD
	}
	if calls == 0 {
		return nil
	}
	if priced {
		sum.USD = &usd
	}
	return new(sum.Bounded())
}

// Land moves the base branch to the archive commit and keeps the branch's tip under refs/agentd/archive/<id>/<n>,
// in one transaction. Where the base is checked out, that worktree follows; it returns what was left alone there.
// Killed in between, the next [Store.Lock] of the change finishes it. `git merge --ff-only` would not do:
// killed while it writes files, it leaves a locked index and files in its own way.
//
// It returns *gitops.MovedError when the base moved, and *gitops.OverlapError, with nothing changed,
// when uncommitted work is in files that the archive changes.
func (s *Store) Land(ctx context.Context, c *Change, branch string, base, commit gitops.ID) ([]string, error) {
	keep, err := s.Keep(ctx, c.ID, c.Tip)
	if err != nil {
		return nil, err
	}
	return s.moveBase(ctx, branch, gitops.Advance{Reason: "agentd: archive " + c.ID.String(), Old: base, New: commit, Also: keep})
}

// moveBase moves the base branch as [Store.Land] says it.
func (s *Store) moveBase(ctx context.Context, branch string, a gitops.Advance) ([]string, error) {
	if s.lock == nil {
		return nil, errUnlocked
	}
	if _, _, err := s.lock.Recover(ctx); err != nil { // as in advance
		return nil, err
	}
	if err := s.Fits(ctx, branch, a.Old, a.New); err != nil {
		return nil, err
	}
	a.Ref = "refs/heads/" + branch
	s.point("before-land")
	left, err := s.move(ctx, a)
	s.point("after-land")
	if err != nil {
		return left, err
	}
	return left, s.worktreesOn(ctx, branch, func(worktree string) error { return s.Repo.Refresh(ctx, worktree) })
}

// Fits refuses with *gitops.OverlapError a move of a branch that uncommitted work in one of its worktrees is in the way of.
func (s *Store) Fits(ctx context.Context, branch string, from, to gitops.ID) error {
	return s.worktreesOn(ctx, branch, func(worktree string) error { return s.Repo.Overlap(ctx, worktree, from, to) })
}

// worktreesOn does something in every worktree that has the branch checked out, until it fails.
func (s *Store) worktreesOn(ctx context.Context, branch string, do func(worktree string) error) error {
	trees, err := s.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.Branch != "refs/heads/"+branch || w.Bare || w.Prunable {
			continue
		}
		if err := do(w.Path); err != nil {
			return err
		}
	}
	return nil
}

// Keep is the ref that keeps the tip of an archived branch from being collected; none when one keeps it already.
func (s *Store) Keep(ctx context.Context, id phases.ChangeID, tip gitops.ID) ([]gitops.RefUpdate, error) {
	refs, err := s.Repo.Refs(ctx, id.ArchiveRefPrefix())
	if err != nil {
		return nil, err
	}
	last := 0
	for _, ref := range refs {
		if ref.ID == tip {
			return nil, nil
		}
		last = max(last, attemptNumber(id, ref.Name)) // and not their count: somebody may have removed one
	}
	name := fmt.Sprintf("%s%d", id.ArchiveRefPrefix(), last+1)
	return []gitops.RefUpdate{{Name: name, New: tip}}, nil
}

// attemptNumber is n of refs/agentd/archive/<id>/<n>, 0 for every other name.
func attemptNumber(id phases.ChangeID, ref string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(ref, id.ArchiveRefPrefix()))
	if err != nil {
		return 0
	}
	return n
}

// CodeDiffers says whether the code of a tree is another than the one at the change's tip.
func (c *Change) CodeDiffers(ctx context.Context, tree gitops.ID) (bool, error) {
	r, err := c.store.reader(ctx, c.ID)
	if err != nil {
		return false, err
	}
	defer r.close()
	t, err := r.trees(tree)
	return string(t.code) != c.State.CodeTree, err
}

// SameDiff says whether a merged tree does to the base exactly what was approved.
func (c *Change) SameDiff(ctx context.Context, base, tree gitops.ID) (bool, error) {
	if c.State.CodeApproval == nil {
		return false, nil
	}
	changed, err := codeChanges(ctx, c.store.Repo, base, tree)
	if err != nil {
		return false, err
	}
	return digest(changed) == c.State.CodeApproval.Diff, nil
}

// digest names what a list of changes does (DESIGN section 4: Agentd-Diff).
func digest(changed []gitops.FileChange) string {
	sum := sha256.New()
	for _, c := range changed {
		fmt.Fprintf(sum, "%s\x00%s %s\x00%s %s\x00", c.Path, c.OldMode, c.OldID, c.NewMode, c.NewID)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Move takes the branch from one commit to another that follows it, and brings worktrees along.
// from "" makes the branch.
func (s *Store) Move(ctx context.Context, id phases.ChangeID, from, to gitops.ID, reason string) ([]string, error) {
	return s.advance(ctx, gitops.Advance{Reason: "agentd: " + reason, Ref: id.Ref(), Old: from, New: to})
}
