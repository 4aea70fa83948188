package changes

import (
	"context"
	"errors"
	"slices"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// keepSubject writes the tree that a verdict is about, so that `git ls-tree <subject>` shows what was read,
// and returns the move of the reference that holds it: no commit contains that tree, and git collects what nothing holds.
//
// The reference is one for the whole change and names a tree of all its subjects, each under its own id:
// the same subjects make the same tree, in whatever order they were judged.
func (c *Change) keepSubject(ctx context.Context, r *reader, t phases.Transition) ([]gitops.RefUpdate, error) {
	entries, err := r.subjectEntries(c, t.Subject)
	if err != nil || len(entries) == 0 { // git knows the empty tree without its being stored
		return nil, err
	}
	ref := c.ID.SubjectsRef()
	held, kind, _, err := r.objects.Lookup(ref)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return nil, err
	}
	base := held
	if kind != "tree" { // a person's own idea of it; what it named is in the reflog
		base = ""
	}
	var edits []gitops.Edit
	for _, e := range entries {
		edits = append(edits, gitops.Edit{Path: t.Subject + "/" + e.Name, Mode: e.Mode, ID: e.ID})
	}
	all, err := r.objects.WriteTree(ctx, base, edits)
	if err != nil || all == held {
		return nil, err
	}
	return []gitops.RefUpdate{{Name: ref, Old: held, New: all}}, nil
}

// subjectEntries is what the tree of a verdict at the change's tip holds.
func (r *reader) subjectEntries(c *Change, subject string) ([]gitops.Entry, error) {
	if subject == c.State.PlanTree {
		entries, err := r.objects.Tree(c.folder)
		return planEntries(entries), err
	}
	entries, err := r.objects.Tree(c.tree)
	return codeEntries(entries), err
}

// codeEntries keeps what a review is about: all but the record.
func codeEntries(entries []gitops.Entry) []gitops.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e gitops.Entry) bool { return e.Name == root })
}
