package changes

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Draft is a change that is not archived, as the tip of its branch tells it. It is not proved: nothing was replayed.
type Draft struct {
	ID    phases.ChangeID
	Ref   string // where it was read: its branch here, or as it was fetched from a remote
	Tip   gitops.ID
	Files map[string][]byte // the plan, by path relative to the change's folder
	State *specs.State      // nil where it cannot be read
}

// Drafts reads every open change that has a branch here or was fetched from a remote, in the order of ids,
// through one git process. Of two branches of one change the one here counts, unless the other contains it.
func (s *Store) Drafts(ctx context.Context) ([]Draft, error) {
	refs, err := s.newestBranches(ctx)
	if err != nil {
		return nil, err
	}
	tips, err := s.findBase(ctx)()
	if err != nil && !noBase(err) {
		return nil, err
	}
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	var drafts []Draft
	for _, id := range slices.SortedFunc(maps.Keys(refs), func(a, b phases.ChangeID) int { return strings.Compare(a.String(), b.String()) }) {
		r := &reader{repo: s.Repo, objects: objects, id: id, past: newPast()}
		archived, err := archiveOnBase(ctx, r, id, func() ([]gitops.ID, error) { return tips, nil })
		if err != nil {
			return nil, err
		}
		if archived != "" {
			continue
		}
		draft, err := readDraft(objects, id, refs[id])
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, draft)
	}
	return drafts, nil
}

// newestBranches are the branches of changes, by id.
func (s *Store) newestBranches(ctx context.Context) (map[phases.ChangeID]gitops.Ref, error) {
	refs, err := s.Repo.Refs(ctx, "refs/heads/agentd/", "refs/remotes/")
	if err != nil {
		return nil, err
	}
	newest := map[phases.ChangeID]gitops.Ref{} // those of refs/heads come first
	for _, ref := range refs {
		name := ref.Name
		if remote, ok := remoteBranch(name); ok {
			name = "refs/heads/" + remote
		}
		id, ok := phases.ChangeIDFromBranch(name)
		if !ok {
			continue
		}
		have, known := newest[id]
		if known && have.ID != ref.ID {
			if newer, err := s.Repo.IsAncestor(ctx, have.ID, ref.ID); err != nil {
				return nil, err
			} else if !newer {
				continue
			}
		} else if known {
			continue
		}
		newest[id] = ref
	}
	return newest, nil
}

func readDraft(objects *gitops.Objects, id phases.ChangeID, ref gitops.Ref) (Draft, error) {
	draft := Draft{ID: id, Ref: ref.Name, Tip: ref.ID, Files: map[string][]byte{}}
	for _, folder := range []string{id.Dir(), id.ArchiveDir()} { // the latter while its archive waits on the branch
		_, entries, err := objects.TreeAt(string(ref.ID) + ":" + folder)
		if isNotFound(err) {
			continue
		}
		if err == nil {
			err = readFiles(objects, draft.Files, id, entries, func(path string) bool { return specs.PlanPaths(path) || path == specs.StateFile })
		}
		if err != nil {
			return draft, err
		}
		break
	}
	if src, ok := draft.Files[specs.StateFile]; ok {
		draft.State, _, _ = specs.ParseState(id.Dir()+"/"+specs.StateFile, src)
		delete(draft.Files, specs.StateFile)
	}
	return draft, nil
}
