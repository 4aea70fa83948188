package changes

import (
	"context"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// foreign finds what a branch does under agentd/ outside its change's folder: no reviewer is shown it.
// The tip must have the rest of the record as one of the commits has it that the branch was made from:
// the one before the change began, or one that was merged. One that a newer one contains does not count:
// whoever merges the base takes all of it. all is newest first.
func (r *reader) foreign(ctx context.Context, h *phases.History, all []step) error {
	own := map[gitops.ID]bool{}
	for _, s := range all {
		own[s.commit.ID] = true
	}
	var bases []gitops.ID // newest first
	for _, s := range all {
		for _, parent := range s.commit.Parents {
			if !own[parent] {
				bases = append(bases, parent)
			}
		}
	}
	if len(bases) == 0 {
		return nil // the repository's first commit began the change
	}
	folders := r.ownFolders(all)
	var near []gitops.FileChange
	for i, base := range bases {
		differs, err := r.foreignChanges(base, all[0].commit.ID, folders)
		if err != nil {
			return err
		}
		if i == 0 {
			near = differs
		}
		if len(differs) > 0 {
			continue
		}
		if past, err := r.contained(ctx, base, bases); err != nil || !past {
			return err
		}
		if i == 0 { // an older base was merged last
			near = nil
		}
	}
	if len(near) == 0 {
		return nil
	}
	h.ForeignPath, h.ForeignCommit = near[0].Path, string(all[0].commit.ID) // a merge that took nothing changes nothing
	for _, s := range all {
		if len(s.commit.Parents) == 0 {
			break
		}
		differs, err := r.foreignChanges(s.commit.Parents[0], s.commit.ID, folders)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(differs, func(c gitops.FileChange) bool { return c.Path == h.ForeignPath }) {
			h.ForeignCommit = string(s.commit.ID)
			break
		}
	}
	return nil
}

// contained reports whether one of several commits is an ancestor of another of them.
func (r *reader) contained(ctx context.Context, commit gitops.ID, among []gitops.ID) (bool, error) {
	for _, other := range among {
		if other == commit {
			continue
		}
		if newer, err := r.repo.IsAncestor(ctx, commit, other); err != nil || newer {
			return newer, err
		}
	}
	return false, nil
}

// ownFolders are the folders that a branch may change: those of its change, and once that is archived the specs,
// which are held against the record of the archive.
func (r *reader) ownFolders(all []step) []string {
	folders := []string{r.id.Dir() + "/", r.id.ArchiveDir() + "/"}
	newest := slices.IndexFunc(all, func(s step) bool { return s.record != nil })
	if newest >= 0 && all[newest].record.Phase == phases.Archived {
		folders = append(folders, root+"/specs/")
	}
	return folders
}

// foreignChanges lists what differs between two commits under agentd/ outside the folders.
func (r *reader) foreignChanges(from, to gitops.ID, folders []string) ([]gitops.FileChange, error) {
	var trees [2]gitops.ID
	for i, commit := range []gitops.ID{from, to} {
		tree, _, err := r.objects.TreeAt(string(commit) + ":" + root)
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		trees[i] = tree
	}
	differs, err := r.objects.DiffTrees(trees[0], trees[1])
	if err != nil {
		return nil, err
	}
	var foreign []gitops.FileChange
	for _, c := range differs {
		c.Path = root + "/" + c.Path
		if !slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(c.Path, folder) }) {
			foreign = append(foreign, c)
		}
	}
	return foreign, nil
}
