package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An operation of the user's that waits to be continued, and the file in the git dir that says so.
// The order matters: a rebase keeps a CHERRY_PICK_HEAD while it waits.
var operations = []struct{ file, name string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply/applying", "am"},
	{"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
}

// Busy names the operation that is half done in a worktree ("" means this place):
// merge, rebase, cherry-pick, revert, bisect or am; "" if there is none.
func (r *Repo) Busy(ctx context.Context, worktree string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	dir := r.gitDir
	if worktree != "" {
		dir = gitDirOf(worktree)
	}
	for _, op := range operations {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(op.file)))
		if err == nil {
			return op.name, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	// Between two picks of a series there is only the list of what is left.
	todo, err := os.ReadFile(filepath.Join(dir, "sequencer", "todo"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if strings.HasPrefix(string(todo), "revert") {
		return "revert", err
	}
	return "cherry-pick", err
}

// NotBusy is Busy as an error: nil, or a [*BusyError] that says how to end the operation.
func (r *Repo) NotBusy(ctx context.Context, worktree string) error {
	op, err := r.Busy(ctx, worktree)
	if err != nil || op == "" {
		return err
	}
	if worktree == "" {
		worktree = r.home()
	}
	return &BusyError{Operation: op, Worktree: worktree}
}

// RebaseOf says whether a rebase, or a bisect, in any worktree holds a branch (short or full name).
// Git shows such a branch in no worktree, and moving it would ruin the rebase.
func (r *Repo) RebaseOf(ctx context.Context, branch string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	branch = shortRef(branch)
	linked, err := filepath.Glob(filepath.Join(escapeGlob(r.commonDir), "worktrees", "*"))
	if err != nil {
		return false, err
	}
	for _, dir := range append(linked, r.commonDir) {
		for _, file := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs", "BISECT_START"} {
			content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return false, err
			}
			held := slices.ContainsFunc(strings.Fields(string(content)), func(name string) bool { return shortRef(name) == branch })
			if held {
				return true, nil
			}
		}
	}
	return false, nil
}

// escapeGlob keeps the characters of a path from being read as a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
