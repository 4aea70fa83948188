package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// stage writes the new entries into a copy of the index,
// and lets git write the new files as it would check them out, with line ends, filters, links and modes,
// into our folder in the git dir.
func (p *projection) stage(ctx context.Context) error {
	if err := p.index.put(ctx, p.put); err != nil {
		return err
	}
	if err := p.index.hide(ctx, p.hidden); err != nil {
		return err
	}
	if len(p.write) == 0 {
		return nil
	}
	_, err := p.index.git(ctx, []byte(strings.Join(p.write, "\x00")+"\x00"),
		"checkout-index", "-f", "-z", "--prefix="+p.place.scratch("files")+"/", "--stdin")
	return err
}

// finish puts the files into their places, and last the index into its own, and gives the index back.
// Killed in between it leaves every file old or new, and the index as it was.
func (p *projection) finish() (err error) {
	defer func() { err = errors.Join(err, p.index.release()) }()
	for _, name := range p.remove {
		if err := p.takeAway(name); err != nil {
			return err
		}
	}
	for _, name := range p.write {
		err := p.putInPlace(name)
		if errors.Is(err, os.ErrExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) {
			p.left = append(p.left, name) // something came in the way, or an empty folder of a person's is there
			continue
		}
		if err != nil {
			return err
		}
	}
	if len(p.put) > 0 {
		if err := p.index.publish(); err != nil {
			return err
		}
	}
	p.done = true
	return nil
}

func (p *projection) putInPlace(name string) error {
	from := p.place.scratch("files", filepath.FromSlash(name))
	to := filepath.Join(p.place.workTree, filepath.FromSlash(name))
	if _, err := os.Lstat(from); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("check out %q: git wrote nothing", name)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if errors.Is(err, syscall.EXDEV) {
		return moveAcross(from, to)
	}
	return err
}

// moveAcross is rename where the repository is on another volume than the worktree:
// a copy beside the target, then a rename.
func moveAcross(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	draft := filepath.Join(filepath.Dir(to), ".agentd-"+filepath.Base(to))
	if err := removeIfThere(draft); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		err = os.Symlink(target, draft)
		return errors.Join(err, os.Rename(draft, to))
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, removeIfThere(draft))
	}
	return os.Rename(draft, to)
}

// takeAway removes a file, and the folders that it leaves empty, as git does.
func (p *projection) takeAway(name string) error {
	if err := removeIfThere(filepath.Join(p.place.workTree, filepath.FromSlash(name))); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(p.place.workTree, filepath.FromSlash(dir))) != nil {
			return nil // not empty
		}
	}
	return nil
}

// sparse says whether the worktree leaves files out.
func (r *Repo) sparse(ctx context.Context) (bool, error) {
	if _, err := os.Stat(filepath.Join(r.gitDir, "info", "sparse-checkout")); err != nil {
		return false, nil //nolint:nilerr // no patterns, or none that could be read
	}
	return r.ConfigBool(ctx, "core.sparseCheckout")
}

// leftOut decides about a new file in a sparse worktree: it follows the nearest folder above it that has files.
func (p *projection) leftOut(ctx context.Context, name string) (bool, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(p.place.workTree, filepath.FromSlash(dir))); err == nil {
			return false, nil
		}
		entries, err := p.index.entries(ctx, []string{dir})
		if err != nil || len(entries) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// quotePath writes a path for a command that reads one per line and takes C strings in quotes.
func quotePath(name string) string {
	if !strings.ContainsAny(name, "\"\\\n\r\t") {
		return name
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(name) + `"`
}

// Refresh has git look at the files of a worktree again. After an [Lock.Advance] its index knows older times of them,
// which `git reset --keep`, unlike most commands, takes for edits.
func (r *Repo) Refresh(ctx context.Context, worktree string) error {
	_, _, err := r.At(worktree).ask(ctx, call{args: []string{"update-index", "-q", "--refresh"}, quiet: []int{1}})
	return err
}
