package workflow

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
)

// Files and folders that tell agents, git or the runner what to do, wherever they stand in the tree, and at its top alone.
// Names are compared without case: some file systems do the same.
var (
	controlNames = []string{
		"AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md",
		".agents", ".claude", ".claude.json", ".codex", ".gemini", ".mcp.json", ".gitattributes", ".gitmodules", ".husky",
	}
	controlPaths = []string{".github", ".vscode/mcp.json", config.FileName, projectFile}
)

// isControl says whether a path is one of them or lies below one.
func isControl(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if slices.ContainsFunc(controlNames, func(control string) bool { return strings.EqualFold(part, control) }) {
			return true
		}
	}
	return slices.ContainsFunc(controlPaths, func(control string) bool {
		return strings.EqualFold(name, control) || len(name) > len(control) && strings.EqualFold(name[:len(control)+1], control+"/")
	})
}

// controlsChanged are the control files in which two commits differ.
func (b *Bench) controlsChanged(ctx context.Context, from, to gitops.ID) ([]gitops.FileChange, error) {
	all, err := b.Repo.DiffTrees(ctx, from, to)
	return slices.DeleteFunc(all, func(f gitops.FileChange) bool { return !isControl(f.Path) }), err
}

// disarmed is where an agent works instead of dir: the change's tree with the control files of the commit that is trusted,
// in a temporary worktree. Where none is named, nobody but the person at this machine wrote them, and dir it is.
func (b *Bench) disarmed(ctx context.Context, c *changes.Change, dir string) (string, func(), error) {
	if b.trusted.IsZero() || c == nil {
		return dir, func() {}, nil
	}
	edits, err := b.controlEdits(ctx, c.Tip)
	if err != nil {
		return "", nil, err
	}
	tree, err := b.Repo.WriteTree(ctx, c.Tree(), edits)
	if err != nil {
		return "", nil, fmt.Errorf("put the base's agent configuration in place: %w", err)
	}
	commit, err := b.Repo.ScratchCommit(ctx, tree, c.Tip)
	if err != nil {
		return "", nil, err
	}
	return b.temporaryWorktree(ctx, commit)
}

// controlEdits make the control files of a commit those of the trusted one.
func (b *Bench) controlEdits(ctx context.Context, tip gitops.ID) ([]gitops.Edit, error) {
	differ, err := b.controlsChanged(ctx, b.trusted, tip)
	if err != nil || len(differ) == 0 {
		return nil, err
	}
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	var edits []gitops.Edit
	for _, f := range differ {
		switch {
		case f.OldID.IsZero():
			edits = append(edits, gitops.Edit{Path: f.Path, Delete: true, Replace: true})
		case !f.NewID.IsZero() || b.fits(objects, tip, f.Path):
			edits = append(edits, gitops.Edit{Path: f.Path, Mode: f.OldMode, ID: f.OldID, Replace: true})
		}
	}
	return edits, nil
}

// fits says whether a file that the change removed has its folder back without more ado:
// below what is a file or a link now, no agent looks for it.
func (b *Bench) fits(objects *gitops.Objects, tip gitops.ID, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		_, kind, _, err := objects.Lookup(string(tip) + ":" + dir)
		if err == nil && kind != "tree" && !isControl(dir) {
			return false
		}
	}
	return true
}
