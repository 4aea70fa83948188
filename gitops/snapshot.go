package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// SnapshotWorktree writes the worktree as it stands as a tree: tracked and untracked files, through filters and ignore rules,
// as `git add --all` would see them. The user's index is neither written nor locked,
// and its bits that let git look away from a file (assume-unchanged, skip-worktree) are not believed.
// A file that a sparse checkout leaves out counts as unchanged: see [Repo.Sparse].
//
// A repository inside the worktree that is not a submodule is a [*NestedRepositoryError]:
// git would record a link to it and lose its files. A file that nobody could push is an [*OversizedError].
func (r *Repo) SnapshotWorktree(ctx context.Context) (tree ID, err error) {
	if err := os.MkdirAll(r.scratch(), 0o777); err != nil {
		return "", err
	}
	if err := r.sweepSnapshots(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(r.scratch(), "snapshot-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	h := &indexHold{repo: r, copy: filepath.Join(dir, "index")}
	if err := copyIndex(filepath.Join(r.gitDir, "index"), h.copy); err != nil {
		return "", err
	}
	if err := r.lookAgain(ctx, h); err != nil {
		return "", err
	}
	if err := r.pushable(ctx, h); err != nil {
		return "", err
	}
	// A copy of a split index would leave its shared half behind in the git dir.
	_, err = h.git(ctx, nil, "-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false",
		"add", "--all", "--sparse", ".")
	if err != nil {
		return "", errors.Join(r.nestedIn(ctx), invalidPath(err))
	}
	if err := r.noNewLinks(ctx, h); err != nil {
		return "", err
	}
	out, err := h.git(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	return parseID(line(out))
}

var invalidPaths = regexp.MustCompile(`(?m)^error: invalid path '(.*)'$`)

// invalidPath names the file that git will never take, such as ".Git/config", which is ".git/config" on other systems.
func invalidPath(err error) error {
	if failed, ok := errors.AsType[*GitError](err); ok {
		if found := invalidPaths.FindStringSubmatch(failed.Stderr); found != nil {
			return &InvalidPathError{Path: found[1]}
		}
	}
	return err
}

// MaxFile is the largest file that GitHub takes: https://docs.github.com/repositories/working-with-files/managing-large-files
const MaxFile = 100 << 20

// pushable looks at the sizes of what would be added before git reads it: a sparse file has any size at no cost.
func (r *Repo) pushable(ctx context.Context, h *indexHold) error {
	out, err := h.git(ctx, nil, "ls-files", "--modified", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for _, path := range fields(out) {
		info, err := os.Lstat(filepath.Join(r.workTree, filepath.FromSlash(path)))
		if err == nil && info.Mode().IsRegular() && info.Size() > MaxFile {
			return &OversizedError{Path: path, Size: info.Size()}
		}
	}
	return nil
}

// lookAgain clears the bits by which git would not look at a file that is there.
func (r *Repo) lookAgain(ctx context.Context, h *indexHold) error {
	out, err := h.git(ctx, nil, "ls-files", "-v", "-z")
	if err != nil {
		return err
	}
	var hidden []byte
	for _, text := range fields(out) {
		tag, path, _ := strings.Cut(text, " ")
		if tag == strings.ToUpper(tag) && tag != skipped {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.workTree, filepath.FromSlash(path))); err == nil || tag != skipped {
			hidden = append(append(hidden, path...), 0)
		}
	}
	if len(hidden) == 0 {
		return nil
	}
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if _, err := h.git(ctx, hidden, "update-index", flag, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// skipped is how ls-files marks an entry that is not meant to be on disk.
const skipped = "S"

// Sparse reports whether the worktree leaves out files of its index.
func (r *Repo) Sparse(ctx context.Context) (bool, error) {
	out, err := r.git(ctx, call{args: []string{"ls-files", "-t", "-z"}})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(fields(out), func(text string) bool { return strings.HasPrefix(text, skipped+" ") }), nil
}

// sweepSnapshots removes what killed runs left. Under a lock nobody else is at work in a linked worktree;
// in the main one others may be.
func (r *Repo) sweepSnapshots() error {
	if r.held == nil || r.gitDir == r.commonDir {
		return nil
	}
	left, err := filepath.Glob(filepath.Join(escapeGlob(r.scratch()), "snapshot-*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// noNewLinks refuses links to other repositories that the user's own index does not have.
func (r *Repo) noNewLinks(ctx context.Context, h *indexHold) error {
	after, err := h.git(ctx, nil, "ls-files", "-s", "-z")
	links := gitlinks(after)
	if err != nil || len(links) == 0 {
		return err
	}
	before, err := r.git(ctx, call{args: []string{"ls-files", "-s", "-z"}})
	if err != nil {
		return err
	}
	known := gitlinks(before)
	for _, path := range links {
		if !slices.Contains(known, path) {
			return &NestedRepositoryError{Path: path}
		}
	}
	return nil
}

func gitlinks(listing []byte) []string {
	var links []string
	for _, text := range fields(listing) {
		if head, path, _ := strings.Cut(text, "\t"); strings.HasPrefix(head, ModeGitlink.String()) {
			links = append(links, path)
		}
	}
	return links
}

// nestedIn finds a repository that git refused to add because it has no commit.
func (r *Repo) nestedIn(ctx context.Context) error {
	entries, err := r.Status(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Untracked && strings.HasSuffix(e.Path, "/") {
			return &NestedRepositoryError{Path: strings.TrimSuffix(e.Path, "/")}
		}
	}
	return nil
}
