package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// The folders of the record that only an archive writes, and the one from which it takes.
const (
	specsDir   = "agentd/specs"
	archiveDir = "agentd/archive"
	changesDir = "agentd/changes"
)

// landing judges what commits bring to the base branch: step by step along its first parents,
// or at once where it is not known how they will be merged.
func (k *checking) landing(ctx context.Context, t target) error {
	if t.whole {
		fork, _, err := k.repo.MergeBase(ctx, t.old, t.tip) // none, where the histories never met
		if err != nil {
			return err
		}
		t.old = fork
	}
	touched, err := k.touches(t.old, t.tip)
	if err != nil || !touched {
		return err
	}
	steps, err := k.repo.FirstParentsTouching(ctx, t.tip, t.old, specsDir, archiveDir, changesDir)
	if err != nil {
		return err
	}
	aside, err := k.aside(ctx, t)
	if err != nil {
		return err
	}
	if t.whole || aside {
		if err := k.landed(ctx, t.old, t.tip); err != nil {
			return err
		}
	}
	brought := newCarried()
	for _, commit := range slices.Backward(steps) {
		c, err := k.auditor.Objects().Commit(commit)
		if err != nil {
			return err
		}
		var before gitops.ID
		if len(c.Parents) > 0 {
			before = c.Parents[0]
		}
		if t.inLine() && before != "" { // it lands on the one before it, as an archive on another change's
			if err := k.auditor.Trust(before); err != nil {
				return err
			}
		}
		if !t.whole {
			if err := k.landed(ctx, before, commit); err != nil {
				return err
			}
		}
		if err := k.carry(before, c, brought); err != nil {
			return err
		}
	}
	return k.broughtIn(ctx, t, brought)
}

// aside says that what was there is not on the first parents of what comes: it was merged into something else, or is dropped.
// Then the steps along these do not lead from the one to the other.
func (k *checking) aside(ctx context.Context, t target) (bool, error) {
	if t.whole || t.old.IsZero() {
		return false, nil
	}
	line, err := k.repo.FirstParentsTouching(ctx, t.tip, t.old)
	if err != nil || len(line) == 0 {
		return len(line) == 0 && t.old != t.tip, err
	}
	first, err := k.auditor.Objects().Commit(line[len(line)-1])
	return err == nil && !slices.Contains(first.Parents[:min(1, len(first.Parents))], t.old), err
}

// touches says whether two commits differ in the record.
func (k *checking) touches(old, tip gitops.ID) (bool, error) {
	for _, dir := range []string{specsDir, archiveDir, changesDir} {
		a, err := k.treeAt(old, dir)
		if err != nil {
			return false, err
		}
		b, err := k.treeAt(tip, dir)
		if err != nil || a != b {
			return true, err
		}
	}
	return false, nil
}

// treeAt is the folder at a commit, "" where there is none. The zero commit has none.
func (k *checking) treeAt(commit gitops.ID, dir string) (gitops.ID, error) {
	if commit.IsZero() {
		return "", nil
	}
	tree, _, err := k.auditor.Objects().TreeAt(string(commit) + ":" + dir)
	if errors.Is(err, gitops.ErrNotFound) {
		return "", nil
	}
	return tree, err
}

// changed lists what a commit did below a folder, by the path within it.
func (k *checking) changed(before, after gitops.ID, dir string) ([]gitops.FileChange, error) {
	a, err := k.treeAt(before, dir)
	if err != nil {
		return nil, err
	}
	b, err := k.treeAt(after, dir)
	if err != nil {
		return nil, err
	}
	return k.auditor.Objects().DiffTrees(a, b)
}

// landed judges what one step does to specs and archive.
func (k *checking) landed(ctx context.Context, before, after gitops.ID) error {
	records, err := k.records(ctx, before, after)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.gone {
			continue
		}
		if err := k.chain(ctx, r, after); err != nil {
			return err
		}
	}
	return k.explainSpecs(before, after, records)
}

// chain judges the commits of a change that was archived, where they are still to be had:
// those of the step, or else, where a squash left them out, those of the branch that the record names.
func (k *checking) chain(ctx context.Context, r filed, at gitops.ID) error {
	merged, err := k.auditor.Merged(r.change, at)
	if err != nil {
		return err
	}
	if merged != "" { // the branch that it was archived on: all of that is judged, and no copy of it that a rebase left on the base
		at = merged
	}
	h, err := k.auditor.History(ctx, r.change, at)
	if err != nil {
		return err
	}
	if len(h.Commits) == 0 && k.repo.Exists(ctx, r.tip) {
		at = r.tip
		if h, err = k.auditor.History(ctx, r.change, at); err != nil {
			return err
		}
		h.Journal = nil // the record's own, up to the archive, has to tell the same
		for _, e := range r.journal[:len(r.journal)-1] {
			h.Journal = append(h.Journal, e.Transition)
		}
	}
	if len(h.Commits) == 0 {
		return nil
	}
	found := phases.Audit(h, *k.policy)
	k.audited(target{change: r.change, ref: "refs/heads/" + k.trunk.Branch, tip: at}, found)
	return k.below(ctx, h, found.State.Base.Branch)
}

// carried are the open changes that a landing brings to the base, each with the newest commit that is its own.
type carried struct {
	ids  []phases.ChangeID
	tips map[phases.ChangeID]gitops.ID
}

func newCarried() *carried { return &carried{tips: map[phases.ChangeID]gitops.ID{}} }

// carry notes what a step does to open changes. Of a merge the chain is the branch's that was merged.
func (k *checking) carry(before gitops.ID, c gitops.Commit, brought *carried) error {
	differs, err := k.changed(before, c.ID, changesDir)
	if err != nil {
		return err
	}
	for _, d := range differs {
		folder, file, _ := strings.Cut(d.Path, "/")
		id, err := phases.ParseChangeID(folder)
		if err != nil || file != specs.StateFile {
			continue
		}
		if _, known := brought.tips[id]; !known {
			brought.ids = append(brought.ids, id)
		}
		brought.tips[id] = c.ID
		if d.NewID.IsZero() {
			brought.tips[id] = "" // archived since, or taken back
		}
		for _, parent := range c.Parents[min(1, len(c.Parents)):] {
			if tree, err := k.treeAt(parent, id.Dir()); err != nil {
				return err
			} else if tree != "" && !d.NewID.IsZero() {
				brought.tips[id] = parent
			}
		}
	}
	return nil
}

// broughtIn judges the open changes that a landing leaves on the base: with their commits, or not at all.
// Of a branch under another name all commits are the change's, those that touch nothing included.
func (k *checking) broughtIn(ctx context.Context, t target, brought *carried) error {
	for _, id := range brought.ids {
		tip := brought.tips[id]
		if tip.IsZero() {
			continue
		}
		var h phases.History
		var err error
		if t.whole || t.ahead {
			if h, err = k.auditor.History(ctx, id, t.tip); err != nil {
				return err
			}
		}
		if len(h.Commits) == 0 {
			if h, err = k.auditor.History(ctx, id, tip); err != nil {
				return err
			}
		}
		if len(h.Commits) > 0 {
			found := phases.Audit(h, *k.policy)
			k.audited(target{change: id, ref: id.Ref(), tip: gitops.ID(h.Commits[len(h.Commits)-1].ID)}, found)
			if err := k.below(ctx, h, found.State.Base.Branch); err != nil {
				return err
			}
			continue
		}
		k.result.Violations = append(k.result.Violations, CheckViolation{
			Change: id.String(), Rule: phases.RuleHistoryLost, Commit: string(tip), Path: id.Dir() + "/" + specs.StateFile,
			Message: fmt.Sprintf("commit %s brings in %s without its commits: a squash lost the trailers", short(tip), id),
			Hint: fmt.Sprintf("merge %s with its commits, or archive it first with `gh agentd archive %s`: an archive record survives a squash",
				id.Branch(), id),
		})
	}
	return nil
}

func (k *checking) trunkViolated(change string, commit gitops.ID, path, rule, message string) {
	k.result.Violations = append(k.result.Violations, CheckViolation{
		Change: change, Rule: rule, Commit: string(commit), Path: path, Message: message,
		Hint: fmt.Sprintf("take it back with `git revert %s`; a spec changes by a change: `gh agentd plan`, `gh agentd impl`, `gh agentd archive`", short(commit)),
	})
}

func short(id gitops.ID) string { return string(id[:min(len(id), 7)]) }
