package workflow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

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
