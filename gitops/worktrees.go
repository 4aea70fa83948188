package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Worktree is one place where the repository is checked out. The first one listed is the main one.
type Worktree struct {
	Path     string
	Head     ID
	Branch   string // full name, "" where HEAD is detached
	Bare     bool   // the main entry of a bare repository
	Detached bool
	Locked   bool
	Prunable bool // its folder is gone
	Reason   string
}

// Worktrees lists all places, those whose folder is gone included.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.git(ctx, call{args: []string{"worktree", "list", "--porcelain", "-z"}})
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for _, attribute := range fields(out) {
		key, value, _ := strings.Cut(attribute, " ")
		if key == "worktree" {
			all = append(all, Worktree{Path: value})
			continue
		}
		if len(all) == 0 {
			continue
		}
		w := &all[len(all)-1]
		switch key {
		case "HEAD":
			if w.Head, err = parseID(value); err != nil {
				return nil, err
			}
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		case "detached":
			w.Detached = true
		case "locked":
			w.Locked, w.Reason = true, value
		case "prunable":
			w.Prunable = true
		}
	}
	if len(all) > 0 && r.gitDir == r.commonDir && r.workTree != "" {
		// Git guesses the main worktree from where the repository is, and guesses wrong where the two are kept apart.
		all[0].Path = r.workTree
	}
	return all, nil
}

// WorktreeRequest is a linked worktree to be made.
type WorktreeRequest struct {
	Path   string // required; relative to the repository's home unless absolute
	Branch string // required; short name
	Start  string // a revision: make the branch there; "" if it exists
	Lock   string // a reason: keep the worktree from being pruned or removed
}

// AddWorktree makes a linked worktree with a branch checked out.
// Nothing that exists is overwritten; the error is a [*WorktreeError] that says what is in the way.
func (r *Repo) AddWorktree(ctx context.Context, req WorktreeRequest) error {
	path := r.absolute(req.Path)
	if err := r.mayAdd(ctx, path, "refs/heads/"+req.Branch); err != nil {
		return err
	}
	args := []string{"worktree", "add", "--quiet"}
	if req.Lock != "" {
		args = append(args, "--lock", "--reason", req.Lock)
	}
	if req.Start != "" {
		args = append(args, "--no-track", "-b", req.Branch, "--", path, req.Start)
	} else {
		args = append(args, "--", path, req.Branch)
	}
	// The user's post-checkout hook runs in the new worktree.
	_, err := r.git(ctx, call{args: args, voice: personal, holds: true})
	if err == nil {
		return nil
	}
	all, listErr := r.Worktrees(ctx)
	made := func(w Worktree) bool {
		return samePath(w.Path, path) && w.Branch == "refs/heads/"+req.Branch && !w.Unfinished() && !w.Prunable
	}
	if listErr != nil || !ended(err) || !slices.ContainsFunc(all, made) {
		return err
	}
	r.tell(checkoutHookFailed)
	return nil
}

// Unfinished says that the git that was making the worktree was killed, or is still at it.
func (w Worktree) Unfinished() bool { return w.Locked && w.Reason == initializing }

// initializing is why git locks a worktree that it is making.
const initializing = "initializing"

// RemoveUnfinished takes away what a killed git left of a worktree that it was making.
// Only for a place that nobody else makes worktrees at: the caller holds the lock under which this one was begun.
func (r *Repo) RemoveUnfinished(ctx context.Context, w Worktree) error {
	if !w.Unfinished() {
		return fmt.Errorf("worktree %q is not unfinished", w.Path)
	}
	_, err := r.git(ctx, call{args: []string{"worktree", "remove", "--force", "--force", "--", w.Path}})
	if err == nil {
		return nil
	}
	// Git was killed so early that it does not know its own work again. The entry is all there is.
	entry, found := r.entryOf(w.Path)
	if found != nil {
		return errors.Join(err, found)
	}
	if entry == "" {
		return err
	}
	return os.RemoveAll(entry)
}

// entryOf is the folder in which git keeps what it knows of a linked worktree, "" where it knows none at that path.
// It is there also where the worktree itself is not, or not whole.
func (r *Repo) entryOf(path string) (string, error) {
	entries, err := filepath.Glob(filepath.Join(escapeGlob(r.commonDir), "worktrees", "*", "gitdir"))
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		text, err := os.ReadFile(entry)
		if err == nil && samePath(filepath.Dir(strings.TrimSpace(string(text))), path) {
			return filepath.Dir(entry), nil
		}
	}
	return "", nil
}

// temporaryMark, in a worktree's own git dir, says that nothing of a person's is in it.
const temporaryMark = "agentd-temporary"

// AddDetached makes a temporary worktree of a commit, for running things there.
// All files are in it, also where the caller's own checkout is sparse.
// [Repo.RemoveDetached] takes it away with everything in it.
func (r *Repo) AddDetached(ctx context.Context, path string, commit ID) error {
	path = r.absolute(path)
	if err := r.mayAdd(ctx, path, ""); err != nil {
		return err
	}
	args := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.sparseCheckout=false",
		"worktree", "add", "--quiet", "--lock", "--reason", initializing, "--detach", "--", path, string(commit)}
	if _, err := r.git(ctx, call{args: args, holds: true}); err != nil {
		return err
	}
	dir := gitDirOf(path)
	if err := os.WriteFile(filepath.Join(dir, temporaryMark), nil, 0o644); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, "locked")) // killed before that, it is [Worktree.Unfinished]
}

// IsTemporary reports whether a worktree is one that AddDetached made, also where an attempt to remove it was killed.
func (r *Repo) IsTemporary(path string) bool {
	entry, err := r.entryOf(r.absolute(path))
	if err != nil || entry == "" {
		return false
	}
	_, err = os.Stat(filepath.Join(entry, temporaryMark))
	return err == nil
}

// ResetDetached puts a worktree that AddDetached made at another commit. What git does not know in it stays.
func (r *Repo) ResetDetached(ctx context.Context, path string, commit ID) error {
	path = r.absolute(path)
	if !r.IsTemporary(path) {
		return fmt.Errorf("%q is not a temporary worktree", path)
	}
	_, err := r.At(path).git(ctx, call{args: []string{"-c", "core.hooksPath=" + os.DevNull, "reset", "--quiet", "--hard", string(commit), "--"}})
	return err
}

// RemoveDetached removes a worktree that AddDetached made, and refuses every other one.
func (r *Repo) RemoveDetached(ctx context.Context, path string) error {
	path = r.absolute(path)
	if !r.IsTemporary(path) {
		return fmt.Errorf("%q is not a temporary worktree", path)
	}
	_, err := r.git(ctx, call{args: []string{"worktree", "remove", "--force", "--", path}})
	if err == nil || !ended(err) {
		return err
	}
	// A git that was killed while it removed it has left what git does not know again.
	if _, whole := os.Stat(filepath.Join(path, ".git")); whole == nil {
		return err
	}
	entry, found := r.entryOf(path)
	if found != nil || entry == "" {
		return errors.Join(err, found)
	}
	return errors.Join(os.RemoveAll(path), os.RemoveAll(entry))
}

// RemoveWorktree removes a linked worktree in which nothing but committed files is left.
// What else is there, ignored files too, is listed in a [*WorktreeError], and nothing is removed.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	return r.removeWorktree(ctx, path, true)
}

// RemoveWorktreeWithIgnored is RemoveWorktree, and files that git ignores may go with it.
func (r *Repo) RemoveWorktreeWithIgnored(ctx context.Context, path string) error {
	return r.removeWorktree(ctx, path, false)
}

func (r *Repo) removeWorktree(ctx context.Context, path string, sparesIgnored bool) error {
	path = r.absolute(path)
	all, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(w Worktree) bool { return samePath(w.Path, path) })
	switch {
	case i < 0:
		return fmt.Errorf("worktree %q: %w", path, ErrNotFound)
	case all[i].Prunable:
		return &WorktreeError{Path: path, Problem: MissingRegistered}
	case all[i].Locked:
		return &WorktreeError{Path: path, Problem: WorktreeLocked, Reason: all[i].Reason}
	}
	left, err := r.At(path).status(ctx, "--ignored=matching")
	if err != nil {
		return err
	}
	var files []string
	for _, entry := range left {
		if sparesIgnored || !entry.Ignored {
			files = append(files, entry.Path)
		}
	}
	if len(files) > 0 {
		return &WorktreeError{Path: path, Problem: WorktreeDirty, Files: files}
	}
	_, err = r.git(ctx, call{args: []string{"worktree", "remove", "--", path}})
	return err
}

// mayAdd finds what is in the way of a new worktree before git is asked to make it.
func (r *Repo) mayAdd(ctx context.Context, path, branch string) error {
	if head, err := r.head(ctx); err != nil {
		return err
	} else if head.IsZero() {
		return &WorktreeError{Path: path, Problem: NoCommit}
	}
	if err := r.overLink(path); err != nil {
		return err
	}
	all, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range all {
		switch {
		case samePath(w.Path, path) && w.Prunable:
			return &WorktreeError{Path: path, Problem: MissingRegistered}
		case branch != "" && w.Branch == branch:
			return &WorktreeError{Path: path, Problem: BranchCheckedOut, Branch: shortRef(branch), Where: w.Path}
		}
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	return &WorktreeError{Path: path, Problem: PathExists}
}

// overLink refuses a path that leads over a symbolic link of the worktree: the repository could send us anywhere.
func (r *Repo) overLink(path string) error {
	rel, err := filepath.Rel(r.home(), path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil //nolint:nilerr // outside of the repository no file of it can be a link
	}
	at := r.home()
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return &SymlinkError{Path: at}
		}
	}
	return nil
}

func (r *Repo) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.home(), path)
}
