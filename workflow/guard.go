package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
)

// guard remembers how things stood before an agent's turn.
// An agent may write where its step allows; git's control files, refs and HEAD are not among it.
type guard struct {
	bench  *Bench
	dir    *gitops.Repo // the repository seen from the agent's directory
	access agents.Access
	prints gitops.Fingerprint
	status map[string]string // path → state, of the agent's directory
	main   map[string]string // the same of the checkout the person works in
	tree   gitops.ID         // the directory as a tree; only for steps that write
}

func (b *Bench) guard(ctx context.Context, dir string, access agents.Access) (*guard, error) {
	g := &guard{bench: b, dir: b.at(dir), access: access}
	var err error
	if g.prints, err = g.dir.Fingerprint(ctx); err != nil {
		return nil, err
	}
	if access == agents.Write {
		if g.tree, err = g.dir.SnapshotWorktree(ctx); err != nil {
			return nil, err
		}
	} else if g.status, err = statusOf(ctx, g.dir); err != nil {
		return nil, err
	}
	if g.watchesMain() {
		g.main, err = statusOf(ctx, b.Repo)
	}
	return g, err
}

// watchesMain says whether the person's own checkout is another one than the agent's.
func (g *guard) watchesMain() bool {
	return g.access == agents.Write && g.bench.Repo.WorkTree() != "" && g.bench.Repo.WorkTree() != g.dir.WorkTree()
}

// after compares, and sorts what the agent wrote into what its step may commit and what it may not.
func (g *guard) after(ctx context.Context, h *handover, t turn) error {
	// Cancelling a turn must not cancel the look at what the agent left behind.
	ctx = context.WithoutCancel(ctx)
	prints, err := g.dir.Fingerprint(ctx)
	if err != nil {
		return err
	}
	var what []string
	for _, change := range g.prints.Diff(prints) {
		what = append(what, change.String())
	}
	if g.watchesMain() {
		now, err := statusOf(ctx, g.bench.Repo)
		if err != nil {
			return err
		}
		for _, path := range differing(g.main, now) {
			what = append(what, path+" in "+g.bench.Repo.WorkTree())
		}
	}
	if len(what) > 0 {
		return &TamperError{Agent: h.player.agent.Name(), Step: string(t.step), What: what}
	}
	if g.access == agents.Write {
		return g.collect(ctx, h, t)
	}
	now, err := statusOf(ctx, g.dir)
	if err != nil {
		return err
	}
	h.left = differing(g.status, now)
	return nil
}

// collect takes what the agent wrote outside agentd/ and puts agentd/ back as it was.
func (g *guard) collect(ctx context.Context, h *handover, t turn) error {
	from := g.tree
	if t.started != "" {
		from = gitops.ID(t.started)
	}
	now, err := g.dir.SnapshotWorktree(ctx)
	if err != nil {
		return err
	}
	all, err := g.dir.DiffTrees(ctx, from, now)
	if err != nil {
		return err
	}
	var record []string
	for _, c := range all {
		if changes.InRecord(c.Path) {
			record = append(record, c.Path)
			continue
		}
		h.code = append(h.code, c)
	}
	if len(record) == 0 {
		return nil
	}
	g.bench.Say.Warn(fmt.Sprintf("%s wrote under agentd/ (%d files): dropped", h.player.agent.Name(), len(record)))
	h.left = append(h.left, record...)
	return g.dir.RestorePaths(ctx, from, record)
}

func statusOf(ctx context.Context, repo *gitops.Repo) (map[string]string, error) {
	entries, err := repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	states := make(map[string]string, len(entries))
	for _, e := range entries {
		states[e.Path] = e.XY
	}
	return states, nil
}

// differing are the paths whose state is not the same in both, in order.
func differing(before, after map[string]string) []string {
	var paths []string
	for path, state := range after {
		if before[path] != state {
			paths = append(paths, path)
		}
	}
	for path := range before {
		if _, still := after[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
