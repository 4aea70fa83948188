package changes

import (
	"context"
	"sync"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// openArchived opens a change whose branch is gone: what is left is the record on the base.
// The base is looked at again: it may have been archived, and the branch deleted, since the first look.
func (s *Store) openArchived(ctx context.Context, r *reader, id phases.ChangeID) (*Change, error) {
	tip, err := archiveOnBase(ctx, r, id, s.findBase(ctx))
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return nil, s.notFound(ctx, id)
	}
	return s.replayArchived(ctx, r, id, tip)
}

// noteArchive looks whether the base already holds the archive record of a change that still has its branch.
// A change is archived only then, whatever the branch says (DESIGN section 10).
func (s *Store) noteArchive(ctx context.Context, r *reader, c *Change, base tipsFunc) error {
	tip, err := archiveOnBase(ctx, r, c.ID, base)
	if err != nil || tip == "" {
		return err
	}
	archived, err := s.replayArchived(ctx, r, c.ID, tip)
	if err != nil {
		return err
	}
	branch := c.Tip
	*c = *archived
	c.Tip = branch
	return nil
}

// tipsFunc waits for the tips of the default branch, and returns the same ones each time.
// A repository without a base has none.
type tipsFunc func() ([]gitops.ID, error)

// findBase looks for the tips of the default branch while the caller does something else.
// The caller waits for the answer in any case.
func (s *Store) findBase(ctx context.Context) tipsFunc {
	var tips []gitops.ID
	var err error
	var looking sync.WaitGroup
	looking.Go(func() {
		var branch string
		if branch, err = s.Repo.DefaultBranch(ctx); err == nil {
			tips, _ = baseTips(ctx, s.Repo, branch)
		}
	})
	return func() ([]gitops.ID, error) {
		looking.Wait()
		return tips, err
	}
}

// archiveOnBase returns the tip of the base branch whose tree holds the archive record, "" if there is none.
// A clone's own base often lags behind: what a newer one has let go of is not held any more.
func archiveOnBase(ctx context.Context, r *reader, id phases.ChangeID, base tipsFunc) (gitops.ID, error) {
	tips, err := base()
	if err != nil {
		return "", err
	}
	var holders, others []gitops.ID
	for _, tip := range tips {
		holds, err := r.holdsArchive(id, tip)
		if err != nil {
			return "", err
		}
		if holds {
			holders = append(holders, tip)
		} else {
			others = append(others, tip)
		}
	}
	for _, holder := range holders {
		lags, err := r.contained(ctx, holder, others)
		if err != nil {
			return "", err
		}
		if !lags {
			return holder, nil
		}
	}
	return "", nil
}

// holdsArchive reports whether the tree of a commit holds the archive record of a change.
func (r *reader) holdsArchive(id phases.ChangeID, commit gitops.ID) (bool, error) {
	path := id.ArchiveDir() + "/" + specs.StateFile
	_, _, src, err := r.objects.Lookup(string(commit) + ":" + path)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	state, _, err := specs.ParseState(path, src)
	return err == nil && state.Phase == phases.Archived, nil
}

// replayArchived replays an archived change from the commit that archived it.
// Where a squash dropped that commit's parents, the journal in STATE.yaml is what is left of the history.
func (s *Store) replayArchived(ctx context.Context, r *reader, id phases.ChangeID, base gitops.ID) (*Change, error) {
	c := &Change{ID: id, Where: InArchive, Tip: base, store: s}
	if err := r.describe(c); err != nil {
		return nil, err
	}
	c.State = phases.State{Change: id, Recorded: phases.Archived, Effective: phases.Archived}
	at, err := s.filedBy(ctx, r, base)
	if err != nil {
		return nil, err
	}
	c.Archived = at
	history, err := r.history(ctx, at)
	if err != nil || len(history.Commits) == 0 {
		return c, err
	}
	state, err := phases.Replay(history)
	if err != nil {
		return c, err
	}
	if state.Recorded == phases.Archived { // else a squash kept one of our messages, and not the commits
		c.State = state
	}
	return c, nil
}

// filedBy is [Store.FiledBy] for a commit that is known to hold the archive.
func (s *Store) filedBy(ctx context.Context, r *reader, holder gitops.ID) (gitops.ID, error) {
	path := r.id.ArchiveDir() + "/" + specs.StateFile
	for {
		at, err := s.Repo.LastTouch(ctx, holder, path)
		if err != nil {
			return "", err
		}
		found, err := r.step(at)
		if err != nil || found.record != nil {
			return at, err
		}
		if holder, err = r.mergedWith(found.commit, path); err != nil || holder == "" {
			return at, err
		}
	}
}

// mergedWith is the parent of a merge that brought a file as it is, "" where the commit itself made it so.
func (r *reader) mergedWith(c gitops.Commit, path string) (gitops.ID, error) {
	blob, _, _, err := r.objects.Lookup(string(c.ID) + ":" + path)
	if err != nil {
		return "", err
	}
	for _, parent := range c.Parents {
		if had, _, _, err := r.objects.Lookup(string(parent) + ":" + path); err == nil && had == blob {
			return parent, nil
		} else if err != nil && !isNotFound(err) {
			return "", err
		}
	}
	return "", nil
}

// notFound explains a missing change as well as the repository allows.
func (s *Store) notFound(ctx context.Context, id phases.ChangeID) error {
	e := &NotFoundError{ID: id}
	refs, err := s.Repo.Refs(ctx, "refs/heads/agentd/", "refs/remotes/")
	if err != nil {
		return err
	}
	best := 3 // further away than this is another word
	for _, ref := range refs {
		if other, ok := phases.ChangeIDFromBranch(ref.Name); ok {
			if d := distance(id.String(), other.String()); d < best {
				best, e.Nearest = d, other.String()
			}
			continue
		}
		if remote, ok := remoteBranch(ref.Name); ok && remote == id.Branch() {
			e.Remote = ref.Name[len("refs/remotes/"):]
		}
	}
	return e
}

// remoteBranch splits "refs/remotes/origin/agentd/x" into its branch name.
func remoteBranch(ref string) (string, bool) {
	const prefix = "refs/remotes/"
	if len(ref) <= len(prefix) || ref[:len(prefix)] != prefix {
		return "", false
	}
	rest := ref[len(prefix):]
	for i := range len(rest) {
		if rest[i] == '/' {
			return rest[i+1:], true
		}
	}
	return "", false
}

// distance is the number of edits between two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
