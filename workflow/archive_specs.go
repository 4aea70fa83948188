package workflow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// mergeSpecs brings what the change did to each of its specs to the base as it is now, and files the change's folder.
// What both sides did differently is for a person to decide: see [resolution].
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
	merges, err := specMerges(objects, files, seen, l.base)
	if err != nil {
		return err
	}
	var open []mergedSpec
	decided := map[string][]byte{} // by path
	for _, m := range merges {
		if lost := m.merged.Delta.Lost(); len(lost) > 0 {
			return lostScenario(c.ID, m.path(), lost[0])
		}
		text, resolved := m.merged.Text, false
		if len(m.merged.Conflicts) > 0 {
			if text, resolved, err = a.resolution.of(objects, m.specMerge, m.merged); err != nil {
				return err
			}
			if !resolved {
				open = append(open, m)
				continue
			}
			decided[m.path()] = text
		}
		if err := a.landSpec(l, m, text, resolved); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		return a.resolution.wanted(ctx, l, open, decided)
	}
	if err := a.resolution.only(ctx, decided); err != nil {
		return err
	}
	return a.file(ctx, c, l, files)
}

// specMerges merges every spec of a change, as many at once as there are processors.
func specMerges(objects *gitops.Objects, files map[string][]byte, seen, now gitops.ID) ([]mergedSpec, error) {
	var all []mergedSpec
	for _, path := range specPaths(specs.ChangeDocs{Files: files}) {
		s := specMerge{id: specIDOf(path), theirs: files[path]}
		if err := s.read(objects, seen, now); err != nil {
			return nil, err
		}
		all = append(all, mergedSpec{specMerge: s})
	}
	return all, inParallel(len(all), func(i int) (err error) {
		all[i].merged, err = all[i].merge()
		return err
	})
}

// landSpec makes a spec part of the landing; text nil retires it.
func (a *archiving) landSpec(l *landing, m mergedSpec, text []byte, resolved bool) error {
	record := specs.ArchivedSpec{ID: m.id, Before: string(m.ours), Resolved: resolved}
	edit := gitops.Edit{Path: m.path(), Delete: text == nil}
	if !edit.Delete {
		edit.Mode, edit.Content = gitops.ModeFile, specs.StampArchived(text, a.Now().UTC())
		after, err := a.Repo.HashBlob(edit.Content)
		if err != nil {
			return err
		}
		record.After = string(after)
	}
	l.specs = append(l.specs, record)
	l.edited(m.specMerge, m.merged)
	if resolved {
		l.did = append(l.did, fmt.Sprintf("%s: a person decided what %s had edited too", m.id, l.branch))
	}
	if !edit.Delete || m.ours != "" {
		l.edits = append(l.edits, edit)
	}
	return nil
}

// file moves the change's folder into the archive, with an entry of the changelog beside it.
func (a *archiving) file(ctx context.Context, c *changes.Change, l *landing, files map[string][]byte) error {
	for path, content := range files {
		l.edits = append(l.edits, gitops.Edit{Path: c.ID.Dir() + "/" + path, Delete: true})
		if path != specs.StateFile {
			l.edits = append(l.edits, gitops.Edit{Path: c.ID.ArchiveDir() + "/" + path, Mode: gitops.ModeFile, Content: content})
		}
	}
	var err error
	if l.entry, err = a.changelog(ctx, c, l); err != nil {
		return err
	}
	if _, theirs := files[changelogFile]; theirs {
		return nil // of another tool, from an import
	}
	l.edits = append(l.edits, gitops.Edit{Path: c.ID.ArchiveDir() + "/" + changelogFile, Mode: gitops.ModeFile, Content: []byte(l.entry)})
	return nil
}

// lostScenario refuses a spec that lacks a scenario which nobody said should go.
func lostScenario(id phases.ChangeID, path string, lost specs.Edit) error {
	return &GateError{
		Gate: "specs", Reason: fmt.Sprintf("%s would lose the scenario %q of %s, and the change does not say so", path, lost.Title, lost.Requirement),
		Next: fmt.Sprintf("put it back, or name it under \"## REMOVED Scenarios\" in agentd/changes/%s/%s; then `%s`",
			id, strings.TrimPrefix(path, "agentd/"), command("plan", id)),
	}
}

// specIDOf is the id of a spec whose path within the change's folder is one.
func specIDOf(path string) specs.SpecID {
	return specs.SpecID(strings.TrimSuffix(strings.TrimPrefix(path, "specs/"), ".md"))
}

// specMerge is one spec of a change on its way to the base.
type specMerge struct {
	id         specs.SpecID
	base, ours gitops.ID // blobs: as the plan saw it, and on the base now; "" where it is not there
	theirs     []byte    // the change's document

	baseText, oursText []byte
}

func (s specMerge) path() string { return "agentd/specs/" + string(s.id) + ".md" }

// read takes the spec as it is at two commits.
func (s *specMerge) read(objects *gitops.Objects, seen, now gitops.ID) (err error) {
	if s.base, s.baseText, err = textAt(objects, seen, s.path()); err != nil {
		return err
	}
	s.ours, s.oursText, err = textAt(objects, now, s.path())
	return err
}

// merge is the same wherever it is done: by archive, and by every check of what an archive did.
func (s specMerge) merge() (*specs.Merged, error) {
	return mergeTexts(s.id, s.baseText, s.oursText, s.theirs)
}

// mergeTexts merges three versions of a spec; nil is a file that is not there.
func mergeTexts(id specs.SpecID, base, ours, theirs []byte) (*specs.Merged, error) {
	sides := specs.Sides{Spec: id}
	for _, side := range []struct {
		text  []byte
		parts **specs.Parts
	}{{base, &sides.Base}, {ours, &sides.Ours}, {theirs, &sides.Theirs}} {
		switch {
		case side.text == nil:
			continue
		case sides.Base != nil && bytes.Equal(side.text, base): // as most often: the base branch has not touched it
			*side.parts = sides.Base
			continue
		}
		parts, err := specs.ParseParts("agentd/specs/"+string(id)+".md", side.text)
		if err != nil {
			return nil, err
		}
		*side.parts = parts
	}
	return mergeParts(sides)
}

// mergeParts merges a spec. Where the change takes its last requirement away, the spec is retired with it.
func mergeParts(sides specs.Sides) (*specs.Merged, error) {
	merged, err := specs.Merge(sides)
	if err != nil || merged.Text == nil {
		return merged, err
	}
	removes := slices.ContainsFunc(merged.Delta.Edits, func(e specs.Edit) bool {
		return e.Op == specs.Removed && e.Kind == specs.RequirementPart
	})
	if removes && !demands(merged.Text) {
		merged.Text, merged.Gone = nil, true
	}
	return merged, nil
}

// demands reports whether a text is a spec with a requirement in it.
func demands(text []byte) bool {
	spec, _, err := specs.ParseSpec("", text)
	return err == nil && len(spec.Requirements) > 0
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
	if holds, err := a.Repo.IsAncestor(ctx, seen, c.Tip); err != nil || !holds {
		return "", cmp.Or(err, error(&GateError{
			Gate: "specs", Reason: fmt.Sprintf("the approval of its plan names commit %s, which was never part of %s", seen.Short(), c.ID.Branch()),
			Next: command("reopen", c.ID),
		}))
	}
	return seen, nil
}

// textAt is the blob of a path at a commit and what it holds; "" and nil when it is not there.
func textAt(objects *gitops.Objects, commit gitops.ID, path string) (gitops.ID, []byte, error) {
	id, _, text, err := objects.Lookup(string(commit) + ":" + path)
	if errors.Is(err, gitops.ErrNotFound) {
		return "", nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return id, text, err
}

// blobText is what a blob holds, nil for none.
func blobText(objects *gitops.Objects, blob gitops.ID) ([]byte, error) {
	if blob.IsZero() {
		return nil, nil
	}
	text, err := objects.Blob(blob)
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// blobAt is the blob of a path at a commit, "" when it is not there.
func blobAt(objects *gitops.Objects, commit gitops.ID, path string) (gitops.ID, error) {
	id, _, err := textAt(objects, commit, path)
	return id, err
}

// unstamped takes the times out of a spec that archiving sets.
func unstamped(text []byte) []byte { return specs.StampArchived(text, time.Time{}) }
