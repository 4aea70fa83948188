package workflow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

// filed is what a record in the archive says of the specs. One that is taken out says it the other way round.
type filed struct {
	change  phases.ChangeID
	gone    bool
	specs   []specs.ArchivedSpec
	tip     gitops.ID // of the branch that was archived
	journal []specs.Entry
}

// records reads what a step files in the archive, or takes out of it.
func (k *checking) records(ctx context.Context, before, after gitops.ID) ([]filed, error) {
	differs, err := k.changed(before, after, archiveDir)
	if err != nil {
		return nil, err
	}
	var records []filed
	seen := map[string]bool{}
	for _, c := range differs {
		folder, _, below := strings.Cut(c.Path, "/")
		if !below || seen[folder] {
			continue
		}
		seen[folder] = true
		state := folder + "/" + specs.StateFile
		at := slices.IndexFunc(differs, func(o gitops.FileChange) bool { return o.Path == state })
		whole, err := k.wholeFolder(before, after, folder)
		if err != nil {
			return nil, err
		}
		if at < 0 || !whole {
			k.trunkViolated(folder, after, archiveDir+"/"+c.Path, phases.RuleArchiveEdited,
				fmt.Sprintf("commit %s changes %s/%s, and what is archived stays as it is", short(after), archiveDir, c.Path))
			continue
		}
		record, fault, err := k.record(ctx, folder, differs[at], after)
		if err != nil {
			return nil, err
		}
		if fault != "" {
			k.trunkViolated(folder, after, archiveDir+"/"+state, phases.RuleArchiveEdited,
				fmt.Sprintf("commit %s files %s/%s without a record that holds: %s", short(after), archiveDir, folder, fault))
			continue
		}
		records = append(records, record)
	}
	k.result.Archives += len(records)
	return records, nil
}

// wholeFolder says that a step brings a folder of the archive, or takes it away, with all that is in it.
func (k *checking) wholeFolder(before, after gitops.ID, folder string) (bool, error) {
	was, err := k.treeAt(before, archiveDir+"/"+folder)
	if err != nil {
		return false, err
	}
	is, err := k.treeAt(after, archiveDir+"/"+folder)
	return was == "" || is == "", err
}

// record reads one archive folder's STATE.yaml as it came or went, or says why it explains nothing.
func (k *checking) record(ctx context.Context, folder string, c gitops.FileChange, at gitops.ID) (record filed, fault string, err error) {
	blob := c.NewID
	if record.gone = blob.IsZero(); record.gone {
		blob = c.OldID
	}
	src, err := k.auditor.Objects().Blob(blob)
	if err != nil {
		return record, "", err
	}
	if record.change, err = phases.ParseChangeID(folder); err != nil {
		return record, err.Error(), nil
	}
	state, _, err := specs.ParseState(archiveDir+"/"+c.Path, src)
	switch {
	case err != nil:
		return record, err.Error(), nil
	case state.ChangeID != folder:
		return record, fmt.Sprintf("it is of the change %q", state.ChangeID), nil
	case state.Phase != phases.Archived || state.Archive == nil:
		return record, fmt.Sprintf("it says %s, and not what was archived", state.Phase), nil
	}
	record.tip, record.journal = gitops.ID(state.Archive.Tip), state.Transitions
	for _, s := range state.Archive.Specs {
		if record.gone {
			s.Before, s.After = s.After, s.Before
		}
		record.specs = append(record.specs, s)
	}
	fault = unearned(state.Transitions)
	if fault == "" && !record.gone {
		fault, err = k.unkept(ctx, record, at, state.Transitions)
	}
	return record, fault, err
}

// unkept says what of the approved plan a record does not keep: its documents, or the specs that it made of them.
func (k *checking) unkept(ctx context.Context, r filed, at gitops.ID, journal []specs.Entry) (string, error) {
	if open, err := k.treeAt(at, r.change.Dir()); err != nil || open != "" {
		return "its folder is still among the changes", err
	}
	kept, err := k.auditor.KeepsPlan(r.change, at, journal)
	if err != nil || !kept {
		return "its plan is not the one that was approved", err
	}
	planned, err := k.changed("", at, r.change.ArchiveDir()+"/specs")
	if err != nil {
		return "", err
	}
	if len(planned) != len(r.specs) {
		return fmt.Sprintf("its plan has %d specs, and it tells of %d", len(planned), len(r.specs)), nil
	}
	if len(r.specs) == 0 {
		return "", nil
	}
	if !planApproved(journal) {
		return "it has specs, and nobody approved a plan", nil
	}
	seen := seenBy(journal)
	if fault, err := k.unseen(ctx, r, at, seen); fault != "" || err != nil {
		return fault, err
	}
	for _, s := range r.specs {
		i := slices.IndexFunc(planned, func(c gitops.FileChange) bool { return c.Path == string(s.ID)+".md" })
		if i < 0 {
			return fmt.Sprintf("its plan has no spec %s", s.ID), nil
		}
		if fault, err := k.unmerged(s, planned[i].NewID, seen); fault != "" || err != nil {
			return fault, err
		}
	}
	return "", nil
}

// planApproved says that a journal tells of the approval of a plan.
func planApproved(journal []specs.Entry) bool {
	return slices.ContainsFunc(journal, func(e specs.Entry) bool { return e.From == phases.Proposed && e.Phase == phases.Challenged })
}

// unseen says why nobody can have planned a change for the specs of a commit: it is not here, not on the base,
// or not in the branch that was archived, where that is here.
func (k *checking) unseen(ctx context.Context, r filed, at, seen gitops.ID) (string, error) {
	if !k.repo.Exists(ctx, seen) {
		return fmt.Sprintf("commit %s, whose specs its plan was made for, is not here", short(seen)), nil
	}
	for _, holder := range []gitops.ID{at, r.tip} {
		if holder == r.tip && !k.repo.Exists(ctx, holder) {
			continue
		}
		if holds, err := k.repo.IsAncestor(ctx, seen, holder); err != nil || !holds {
			return fmt.Sprintf("commit %s, for whose specs it says that its plan was made, was never part of it", short(seen)), err
		}
	}
	return "", nil
}

// seenBy is the commit of the base whose specs an approved plan was made for: see [archiving.specsSeen].
func seenBy(journal []specs.Entry) gitops.ID {
	var first, approved gitops.ID
	for _, e := range journal {
		var base gitops.ID
		if e.Base != nil {
			base = gitops.ID(e.Base.Commit)
		}
		first = cmp.Or(first, base)
		if e.From == phases.Proposed && e.Phase == phases.Challenged {
			approved = base
		}
	}
	return cmp.Or(approved, first)
}

// unmerged says what of a spec an archive did not do: merging is done once more, and has to come to the same text.
// What a person decided may only differ where there was something to decide.
func (k *checking) unmerged(s specs.ArchivedSpec, planned, seen gitops.ID) (string, error) {
	objects := k.auditor.Objects()
	merge := specMerge{id: s.ID, ours: gitops.ID(s.Before)}
	var err error
	if merge.base, merge.baseText, err = textAt(objects, seen, merge.path()); err != nil {
		return "", err
	}
	var after []byte
	for _, text := range []struct {
		blob gitops.ID
		into *[]byte
	}{{planned, &merge.theirs}, {merge.ours, &merge.oursText}, {gitops.ID(s.After), &after}} {
		if *text.into, err = blobText(objects, text.blob); errors.Is(err, gitops.ErrNotFound) {
			return fmt.Sprintf("what it made of spec %s cannot be read", s.ID), nil
		}
		if err != nil {
			return "", err
		}
	}
	merged, err := merge.merge()
	if err != nil {
		return fmt.Sprintf("spec %s cannot be merged: %v", s.ID, err), nil //nolint:nilerr // a fault of what is judged
	}
	if len(merged.Conflicts) > 0 {
		if !s.Resolved {
			return fmt.Sprintf("%s, and it does not say that a person resolved that", merged.Conflicts[0]), nil
		}
		at, stamped := specs.ArchivedAt(after)
		if !stamped && len(after) > 0 {
			return fmt.Sprintf("spec %s does not say when it was archived", s.ID), nil
		}
		if err := specs.Resolves(merge.path(), specs.StampArchived(merged.Marked, at), after); err != nil {
			return fmt.Sprintf("spec %s is not the one of its plan: %v", s.ID, err), nil
		}
		return "", nil
	}
	// The stamp of the time is all that an archive adds.
	at, _ := specs.ArchivedAt(after)
	if merged.Gone != (after == nil) || !bytes.Equal(specs.StampArchived(merged.Text, at), after) {
		return fmt.Sprintf("spec %s is not the one of its plan", s.ID), nil
	}
	return "", nil
}

// unearned says why a journal does not lead to an archive: it is all that is left where a squash dropped the commits.
func unearned(journal []specs.Entry) string {
	if len(journal) == 0 {
		return "it has no transitions"
	}
	last := journal[len(journal)-1]
	again := last.From == phases.Archived && len(journal) > 1 && journal[len(journal)-2].Phase == phases.Archived // a new attempt
	if last.Step != phases.StepArchive || last.From != phases.Complete && !again {
		return fmt.Sprintf("its last transition is %s at %s", last.Step, last.From)
	}
	for i := range journal {
		if i > 0 && journal[i].From == phases.None || i == 0 && journal[i].From != phases.None {
			return "its transitions are not one history"
		}
	}
	approved := slices.ContainsFunc(journal, func(e specs.Entry) bool {
		return e.Phase == phases.Complete && e.From != phases.Complete && e.Step != phases.StepUnarchive
	})
	if !approved {
		return "nobody approved its code"
	}
	return ""
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

// explainSpecs holds every spec that a step changes against the records that came with it, and the other way round:
// a record has to come with what it says, and to go with it.
func (k *checking) explainSpecs(before, after gitops.ID, records []filed) error {
	differs, err := k.changed(before, after, specsDir)
	if err != nil {
		return err
	}
	open := map[string][]specs.ArchivedSpec{} // by path
	for _, r := range records {
		for _, s := range r.specs {
			path := string(s.ID) + ".md"
			open[path] = append(open[path], s)
		}
	}
	for _, c := range differs {
		told := open[c.Path]
		delete(open, c.Path)
		ok := explains(told, string(c.OldID), string(c.NewID))
		if !ok && len(told) == 1 {
			if ok, err = k.takesBack(records, c); err != nil {
				return err
			}
		}
		if !ok || !c.NewID.IsZero() && c.NewMode != gitops.ModeFile {
			k.trunkViolated("", after, specsDir+"/"+c.Path, phases.RuleSpecUnexplained,
				fmt.Sprintf("commit %s changes %s/%s on %s, and no archive record explains it", short(after), specsDir, c.Path, k.trunk.Branch))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(open)) {
		there, err := blobAt(k.auditor.Objects(), after, specsDir+"/"+path)
		if err != nil {
			return err
		}
		if !explains(open[path], string(there), string(there)) {
			k.trunkViolated("", after, specsDir+"/"+path, phases.RuleSpecUnexplained,
				fmt.Sprintf("commit %s does not do to %s/%s what the archive record says that came or went with it", short(after), specsDir, path))
		}
	}
	return nil
}

// takesBack reports whether a step changes a spec as taking one archive back does that others have followed.
func (k *checking) takesBack(records []filed, c gitops.FileChange) (bool, error) {
	objects := k.auditor.Objects()
	for _, r := range records {
		if !r.gone {
			continue
		}
		for _, s := range r.specs {
			if string(s.ID)+".md" != c.Path {
				continue
			}
			now, err := blobText(objects, c.OldID)
			if err != nil {
				return false, err
			}
			then, err := blobText(objects, c.NewID)
			if err != nil {
				return false, err
			}
			undo := specMerge{id: s.ID, ours: c.OldID, oursText: now, base: gitops.ID(s.Before)} // told the other way round
			merged, err := undo.back(objects, gitops.ID(s.After))
			if err == nil && len(merged.Conflicts) == 0 && merged.Gone == (then == nil) && bytes.Equal(merged.Text, then) {
				return true, nil
			}
		}
	}
	return false, nil
}

// explains reports whether the records of a spec, each of them once and in whatever order they landed, lead from one blob to another.
func explains(records []specs.ArchivedSpec, from, to string) bool {
	if len(records) == 0 {
		return from == to
	}
	for i, s := range records {
		if s.Before == from && explains(slices.Delete(slices.Clone(records), i, i+1), s.After, to) {
			return true
		}
	}
	return false
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
