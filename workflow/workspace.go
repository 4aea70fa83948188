package workflow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// workspace is the checkout that a change's agents work in.
type workspace struct {
	bench *Bench
	id    phases.ChangeID
	where Where
	carry bool
	base  gitops.ID // what is checked out while the branch does not exist yet
	path  string    // "" until prepared
	ready bool      // the branch is checked out at path, and nobody else moves it while we hold the lock
}

// dir returns the checkout, making it on first use.
// A checkout that has the branch already is used wherever it is; nothing is ever forced or overwritten.
func (w *workspace) dir(ctx context.Context) (string, error) {
	if w.ready {
		return w.path, nil
	}
	trees, err := w.finished(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range trees {
		if t.Branch == w.id.Ref() && !t.Prunable {
			w.path, w.ready = t.Path, true
			return t.Path, w.free(ctx, t.Path)
		}
	}
	exists, err := w.branchExists(ctx)
	if err != nil {
		return "", err
	}
	if w.inBranch() {
		return w.switchHere(ctx, exists)
	}
	return w.linked(ctx, trees, exists)
}

// finished are the worktrees that can be worked in.
// One that a killed run was still making, at the change's own place, is taken away: half of its files are missing.
func (w *workspace) finished(ctx context.Context) ([]gitops.Worktree, error) {
	trees, err := w.bench.Repo.Worktrees(ctx)
	if err != nil || !slices.ContainsFunc(trees, gitops.Worktree.Unfinished) {
		return trees, err
	}
	path, err := w.linkedPath()
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if t.Path == path && t.Unfinished() {
			if err := w.bench.Repo.RemoveUnfinished(ctx, t); err != nil {
				return nil, fmt.Errorf("remove the unfinished worktree %s: %w", path, err)
			}
		}
	}
	return w.bench.Repo.Worktrees(ctx)
}

func (w *workspace) branchExists(ctx context.Context) (bool, error) {
	refs, err := w.bench.Repo.Refs(ctx, w.id.Ref())
	return len(refs) > 0, err
}

func (w *workspace) inBranch() bool {
	return w.where == InBranch || w.where == WhereConfigured && w.bench.Config.Workflow.Worktree == config.WorkplaceBranch
}

// switchHere takes the person's own checkout, once the branch exists.
func (w *workspace) switchHere(ctx context.Context, exists bool) (string, error) {
	here := w.bench.Repo.WorkTree()
	if here == "" {
		return "", &GateError{Gate: "checkout", Reason: "a bare repository has no checkout to switch", Next: command("plan", w.id, "--worktree")}
	}
	if err := w.free(ctx, here); err != nil {
		return "", err
	}
	if !w.carry {
		dirty, err := w.bench.Repo.Status(ctx)
		if err != nil {
			return "", err
		}
		if len(dirty) > 0 {
			return "", &GateError{
				Gate:   "checkout",
				Reason: fmt.Sprintf("%d files are not committed (%s, …)", len(dirty), dirty[0].Path),
				Next:   "commit or stash them, or say --carry to take them along, or --worktree to leave them alone",
			}
		}
	}
	w.path = here
	if !exists {
		return here, nil
	}
	return here, w.bench.Repo.Switch(ctx, w.id.Branch())
}

// linked makes or finds the change's own worktree.
func (w *workspace) linked(ctx context.Context, trees []gitops.Worktree, exists bool) (string, error) {
	path, err := w.linkedPath()
	if err != nil {
		return "", err
	}
	for _, t := range trees {
		if t.Path != path {
			continue
		}
		switch {
		case t.Prunable:
			return "", &GateError{Gate: "worktree", Reason: fmt.Sprintf("%s is registered but missing", path), Next: "git worktree prune"}
		case !t.Detached:
			next := fmt.Sprintf("git -C %s switch %s", proc.Quote(path), w.id.Branch())
			if !exists {
				next = "move it out of the way: `git worktree move " + proc.Quote(path) + " <elsewhere>`"
			}
			return "", &GateError{Gate: "worktree", Reason: fmt.Sprintf("%s has %s checked out", path, t.Branch), Next: next}
		case exists:
			if err := w.bench.at(path).Switch(ctx, w.id.Branch()); err != nil {
				return "", err
			}
		}
		w.path = path
		return path, nil
	}
	at := w.base
	if exists {
		if at, err = w.bench.Repo.Resolve(ctx, w.id.Ref()); err != nil {
			return "", err
		}
	}
	if err := w.bench.Store.MakeWorktree(ctx, w.id, at, func() error {
		if exists {
			return w.bench.Repo.AddWorktree(ctx, gitops.WorktreeRequest{Path: path, Branch: w.id.Branch()})
		}
		return w.bench.Repo.AddDetached(ctx, path, w.base)
	}); err != nil {
		return "", fmt.Errorf("make worktree %s: %w", path, err)
	}
	w.path = path
	return path, nil
}

// linkedPath is where the change's own worktree lives: beside the repository, never inside it.
func (w *workspace) linkedPath() (string, error) {
	home := w.bench.Repo.WorkTree()
	if common := w.bench.Repo.CommonDir(); filepath.Base(common) == ".git" {
		home = filepath.Dir(common)
	} else if home == "" {
		home = common
	}
	path := w.bench.Config.Workflow.WorktreePath(filepath.Base(home), w.id.String())
	if !filepath.IsAbs(path) {
		path = filepath.Join(home, path)
	}
	parent, err := filepath.EvalSymlinks(existingParent(path))
	if err != nil {
		return "", fmt.Errorf("resolve worktree folder: %w", err)
	}
	rest, err := filepath.Rel(existingParent(path), path)
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, rest), nil
}

// existingParent is the nearest folder above the path that is there.
func existingParent(path string) string {
	for {
		parent := filepath.Dir(path)
		if _, err := os.Stat(parent); err == nil || parent == path {
			return parent
		}
		path = parent
	}
}

// free refuses a checkout in which git is in the middle of something.
func (w *workspace) free(ctx context.Context, path string) error {
	return w.bench.Repo.NotBusy(ctx, path)
}
