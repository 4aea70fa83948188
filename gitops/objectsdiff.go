package gitops

import (
	"cmp"
	"slices"
)

// DiffCommits is [Objects.DiffTrees] of two commits' trees. The zero ID stands for no commit.
func (o *Objects) DiffCommits(a, b ID) ([]FileChange, error) {
	var trees [2]ID
	for i, id := range []ID{a, b} {
		if id.IsZero() {
			continue
		}
		commit, err := o.Commit(id)
		if err != nil {
			return nil, err
		}
		trees[i] = commit.Tree
	}
	return o.DiffTrees(trees[0], trees[1])
}

// DiffTrees lists the files that differ between two trees, as [Repo.DiffTrees] does, without a process of its own.
// Folders that are the same are not read, so that the cost follows what has changed.
// The zero ID stands for the empty tree.
func (o *Objects) DiffTrees(a, b ID) ([]FileChange, error) {
	changes, err := o.diff(nil, "", a, b)
	sortByPath(changes)
	return changes, err
}

func sortByPath(changes []FileChange) {
	slices.SortFunc(changes, func(a, b FileChange) int { return cmp.Compare(a.Path, b.Path) })
}

func (o *Objects) diff(changes []FileChange, at string, a, b ID) ([]FileChange, error) {
	if a == b {
		return changes, nil
	}
	before, err := o.entriesOf(a)
	if err != nil {
		return nil, err
	}
	after, err := o.entriesOf(b)
	if err != nil {
		return nil, err
	}
	// Both are in git's order, so one walk meets every pair.
	for len(before) > 0 || len(after) > 0 {
		var old, new Entry
		switch order := compare(before, after); {
		case order < 0:
			old, before = before[0], before[1:]
		case order > 0:
			new, after = after[0], after[1:]
		default:
			old, new = before[0], after[0]
			before, after = before[1:], after[1:]
		}
		if changes, err = o.diffEntry(changes, at, old, new); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

func (o *Objects) diffEntry(changes []FileChange, at string, old, new Entry) ([]FileChange, error) {
	if old == new {
		return changes, nil
	}
	path := join(at, cmp.Or(old.Name, new.Name))
	if old.Mode == ModeTree || new.Mode == ModeTree { // a file sorts apart from a folder of its name
		return o.diff(changes, path, old.ID, new.ID)
	}
	return append(changes, FileChange{Path: path, OldMode: old.Mode, NewMode: new.Mode, OldID: old.ID, NewID: new.ID}), nil
}

func (o *Objects) entriesOf(tree ID) ([]Entry, error) {
	if tree.IsZero() {
		return nil, nil
	}
	return o.Tree(tree)
}

// compare says which list comes first; an empty one comes last.
func compare(a, b []Entry) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return cmp.Compare(sortName(a[0]), sortName(b[0]))
}
