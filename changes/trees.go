package changes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// root is the folder of everything that belongs to the record and not to the project's code.
const root = "agentd"

// trees names the parts of a commit's tree that verdicts are bound to.
type trees struct {
	root   gitops.ID
	folder gitops.ID // agentd/changes/<id>, or agentd/archive/<id> once archived; "" when absent
	plan   gitops.ID
	code   gitops.ID
	state  gitops.ID     // blob of STATE.yaml; "" when absent
	odd    *OddFileError // what stands in the place of the folder, or of one above it
}

// reader reads commits of one change through one git process.
type reader struct {
	repo    *gitops.Repo
	objects *gitops.Objects
	id      phases.ChangeID
	past    *past
}

func (s *Store) reader(ctx context.Context, id phases.ChangeID) (*reader, error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	known := s.past
	if known == nil {
		known = newPast()
	}
	return &reader{repo: s.Repo, objects: objects, id: id, past: known}, nil
}

// past remembers what was read: an object never changes, neighbouring commits share nearly all of their trees,
// and a run that appends commits replays the same history after each of them.
type past struct {
	mu      sync.Mutex
	commits map[gitops.ID]gitops.Commit
	trees   map[treeOf]trees
	states  map[gitops.ID]document // by the blob of STATE.yaml
}

// document is STATE.yaml as it was read, or why it cannot be.
type document struct {
	state *specs.State
	err   error
}

type treeOf struct {
	change phases.ChangeID
	root   gitops.ID
}

func newPast() *past {
	return &past{commits: map[gitops.ID]gitops.Commit{}, trees: map[treeOf]trees{}, states: map[gitops.ID]document{}}
}

func (r *reader) commit(id gitops.ID) (gitops.Commit, error) {
	return remember(r.past, r.past.commits, id, func() (gitops.Commit, error) { return r.objects.Commit(id) })
}

func (r *reader) document(blob gitops.ID) (document, error) {
	return remember(r.past, r.past.states, blob, func() (document, error) {
		src, err := r.objects.Blob(blob)
		if err != nil {
			return document{}, err
		}
		state, _, err := specs.ParseState(r.id.Dir()+"/"+specs.StateFile, src)
		return document{state: state, err: err}, nil
	})
}

// remember returns what is known under the key, or reads it.
func remember[K comparable, V any](p *past, known map[K]V, key K, read func() (V, error)) (V, error) {
	p.mu.Lock()
	v, ok := known[key]
	p.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		p.mu.Lock()
		known[key] = v
		p.mu.Unlock()
	}
	return v, err
}

func (r *reader) close() { _ = r.objects.Close() }

// trees computes plan tree and code tree of the given root tree.
func (r *reader) trees(rootTree gitops.ID) (trees, error) {
	key := treeOf{change: r.id, root: rootTree}
	return remember(r.past, r.past.trees, key, func() (trees, error) { return r.readTrees(rootTree) })
}

func (r *reader) readTrees(rootTree gitops.ID) (trees, error) {
	entries, err := r.objects.Tree(rootTree)
	if err != nil {
		return trees{}, fmt.Errorf("read tree %s: %w", rootTree, err)
	}
	t := trees{root: rootTree}
	if t.code, err = r.repo.HashTree(codeEntries(entries)); err != nil {
		return trees{}, err
	}
	folder, odd, err := r.descend(entries, strings.Split(r.id.Dir(), "/"))
	t.odd = odd
	if err == nil && folder == "" {
		folder, _, err = r.descend(entries, strings.Split(r.id.ArchiveDir(), "/"))
	}
	if err != nil {
		return trees{}, err
	}
	if folder != "" {
		if err := r.readFolder(folder, &t); err != nil {
			return trees{}, err
		}
	}
	return t, nil
}

func (r *reader) readFolder(folder gitops.ID, t *trees) error {
	entries, err := r.objects.Tree(folder)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.id.Dir(), err)
	}
	t.folder = folder
	for _, e := range entries {
		if e.Name == specs.StateFile {
			t.state = e.ID
		}
	}
	plan := planEntries(entries)
	t.plan, err = r.repo.HashTree(plan)
	return err
}

// planEntries keeps exactly what an approval of the plan is about.
func planEntries(entries []gitops.Entry) []gitops.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e gitops.Entry) bool {
		return !specs.PlanPaths(e.Name) && !specs.PlanPaths(e.Name+"/x")
	})
}

// descend walks down folders by name and returns the tree at the end, "" when one is missing.
// Where something else than a folder has the name it is returned: nothing follows a link.
func (r *reader) descend(entries []gitops.Entry, names []string) (gitops.ID, *OddFileError, error) {
	var at gitops.ID
	for i, name := range names {
		found := slices.IndexFunc(entries, func(e gitops.Entry) bool { return e.Name == name })
		if found < 0 {
			return "", nil, nil
		}
		path := strings.Join(names[:i+1], "/")
		entry := entries[found]
		if entry.Mode != gitops.ModeTree {
			return "", &OddFileError{Path: path, Kind: kindOf(entry.Mode)}, nil
		}
		if at = entry.ID; i == len(names)-1 {
			break
		}
		var err error
		if entries, err = r.objects.Tree(at); err != nil {
			return "", nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return at, nil, nil
}

// differ answers the Agentd-Diff of commits: what the change did to the code,
// whatever it was done on top of.
type differ struct {
	ctx  context.Context
	repo *gitops.Repo
	base string // branch name
	// tips of the base to look for the fork from; nil for those of today.
	// A base that the change has landed on contains all of it, and is no longer what it left.
	tips []gitops.ID
}

// Diff is the digest over (path, mode and blob at the merge base, mode and blob at the commit) outside agentd/,
// sorted by path (DESIGN section 4). It stays the same through a rebase and a merge of the base.
func (d *differ) Diff(commit string) (string, error) {
	fork, err := d.fork(gitops.ID(commit))
	if err != nil {
		return "", err
	}
	changed, err := codeChanges(d.ctx, d.repo, fork, gitops.ID(commit))
	if err != nil {
		return "", err
	}
	return digest(changed), nil
}

// fork is the newest commit of the base branch that the commit contains.
// Both the local base branch and its remote-tracking ones are asked: a clone's own main often lags behind.
func (d *differ) fork(commit gitops.ID) (gitops.ID, error) {
	if d.tips == nil {
		tips, err := baseTips(d.ctx, d.repo, d.base)
		if err != nil {
			return "", err
		}
		d.tips = tips
	}
	var best gitops.ID
	for _, tip := range d.tips {
		at, ok, err := d.repo.MergeBase(d.ctx, tip, commit)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		if best == "" {
			best = at
			continue
		}
		if newer, err := d.repo.IsAncestor(d.ctx, best, at); err != nil {
			return "", err
		} else if newer {
			best = at
		}
	}
	if best == "" {
		return "", fmt.Errorf("commit %.12s has no common history with base branch %q", commit, d.base)
	}
	return best, nil
}

// baseTips lists the tips that stand for a base branch: the local one and those of remotes.
func baseTips(ctx context.Context, repo *gitops.Repo, branch string) ([]gitops.ID, error) {
	names, err := repo.Tracking(ctx, branch)
	if err != nil {
		return nil, err
	}
	refs, err := repo.Refs(ctx, append(names, "refs/heads/"+branch)...)
	if err != nil {
		return nil, err
	}
	var tips []gitops.ID
	for _, ref := range refs {
		tips = append(tips, ref.ID)
	}
	if below, stacked := phases.ChangeIDFromBranch(branch); stacked {
		landed, err := landedTips(ctx, repo, below)
		if err != nil {
			return nil, err
		}
		tips = append(tips, landed...)
	}
	slices.Sort(tips)
	if tips = slices.Compact(tips); len(tips) == 0 {
		return nil, &BaseError{Branch: branch}
	}
	return tips, nil
}

// landedTips stand for the branch of a change that was archived, whether or not it was deleted since:
// its kept tips, and the branch that goes on with it. None while it is open.
func landedTips(ctx context.Context, repo *gitops.Repo, below phases.ChangeID) ([]gitops.ID, error) {
	kept, err := repo.Refs(ctx, below.ArchiveRefPrefix())
	if err != nil || len(kept) == 0 {
		return nil, err
	}
	var tips []gitops.ID
	for _, ref := range kept {
		tips = append(tips, ref.ID)
	}
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	on, err := repo.Refs(ctx, "refs/heads/"+branch)
	for _, ref := range on {
		tips = append(tips, ref.ID)
	}
	return tips, err
}

// codeChanges lists what differs between two commits outside agentd/, sorted by path.
func codeChanges(ctx context.Context, repo *gitops.Repo, from, to gitops.ID) ([]gitops.FileChange, error) {
	all, err := repo.DiffTrees(ctx, from, to)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c gitops.FileChange) bool { return InRecord(c.Path) })
	slices.SortFunc(all, func(a, b gitops.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// InRecord says whether a path of the repository belongs to the record (agentd/) rather than to the code.
func InRecord(path string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// ErrNoState is returned for a change whose folder has no STATE.yaml.
var ErrNoState = errors.New("no STATE.yaml")
