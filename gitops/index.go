package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// indexHold is the right to replace a worktree's index, by git's own rule: whoever creates index.lock.
//
// The work is done on a copy, with as many git commands as it takes, and put in place by one rename:
// a killed run leaves the old index or the new one.
// The lock file is made by us and carries our text,
// so that a later run can tell a lock that a dead run of ours left from one that a living git holds.
type indexHold struct {
	repo *Repo
	lock string
	copy string
}

// scratchDir is our own folder in a git dir.
const scratchDir = "agentd"

func (r *Repo) scratch(elem ...string) string {
	return filepath.Join(append([]string{r.gitDir, scratchDir}, elem...)...)
}

// lockText is what our index.lock says.
func (r *Repo) lockText() string { return "agentd " + r.holdName + "\n" }

// holdIndex takes the lock, after waiting for whoever has it, and copies the index.
func (r *Repo) holdIndex(ctx context.Context) (*indexHold, error) {
	if err := os.MkdirAll(r.scratch(), 0o777); err != nil {
		return nil, err
	}
	h := &indexHold{repo: r, lock: filepath.Join(r.gitDir, "index.lock"), copy: r.scratch("index")}
	deadline := time.Now().Add(lockPatience)
	for {
		err := h.create()
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) || time.Now().After(deadline) {
			return nil, err
		}
		if err := r.awaitGone(ctx, h.lock); err != nil {
			return nil, err
		}
	}
	// Nobody else has a business with these names while the lock is ours: they are what a killed run left.
	err := errors.Join(removeIfThere(h.copy), removeIfThere(h.copy+".lock"), os.RemoveAll(r.scratch("files")))
	if err == nil {
		err = copyIndex(filepath.Join(r.gitDir, "index"), h.copy)
	}
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}

// create makes the lock file with our text in it at once: a link to a file that is complete.
func (h *indexHold) create() error {
	draft, err := os.CreateTemp(h.repo.scratch(), "lock-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name()) //nolint:errcheck // a stray draft harms nobody
	_, err = io.WriteString(draft, h.repo.lockText())
	if err := errors.Join(err, draft.Close()); err != nil {
		return err
	}
	err = os.Link(draft.Name(), h.lock)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	// A file system without hard links.
	file, err := os.OpenFile(h.lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, h.repo.lockText())
	return errors.Join(err, file.Close())
}

// git runs a command on the copy. No hook hears of it, for it is not the user's index.
// The file system monitor stays out of it too: git would start its daemon, which would inherit our lock and keep it.
func (h *indexHold) git(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	return h.repo.git(ctx, call{
		args:  append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "--literal-pathspecs"}, args...),
		in:    input,
		env:   []string{"GIT_INDEX_FILE=" + h.copy},
		voice: hooked,
		holds: true,
	})
}

// publish puts the copy in the index's place.
func (h *indexHold) publish() error {
	return os.Rename(h.copy, filepath.Join(h.repo.gitDir, "index"))
}

// release gives the lock back, and forgets the copy unless it was published.
// A lock that is not ours any more, because somebody cleared ours away and took his own, stays.
func (h *indexHold) release() error {
	err := errors.Join(removeIfThere(h.copy), os.RemoveAll(h.repo.scratch("files")))
	if text, errRead := os.ReadFile(h.lock); errRead == nil && string(text) != h.repo.lockText() {
		return err
	}
	return errors.Join(err, removeIfThere(h.lock))
}

// copyIndex copies with the time of the last write, by which git knows which entries it must look at again
// because their files were written in the same instant.
func copyIndex(from, to string) (err error) {
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was ever added
	}
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// staged is one entry of an index.
type staged struct {
	mode   Mode
	id     ID
	stage  string
	sparse bool // not to be on disk
}

// maxPathArgs is below what every system takes as arguments.
const maxPathArgs = 60 << 10

// entries reads what the index says about paths, all stages.
func (h *indexHold) entries(ctx context.Context, paths []string) (map[string][]staged, error) {
	args := []string{"ls-files", "-s", "-t", "-z", "--"}
	size := 0
	for _, path := range paths {
		size += len(path) + 1
	}
	if size <= maxPathArgs {
		args = append(args, paths...)
	}
	out, err := h.git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	entries := map[string][]staged{}
	for _, text := range fields(out) {
		head, path, _ := strings.Cut(text, "\t")
		words := strings.Fields(head)
		if len(words) != 4 {
			return nil, fmt.Errorf("unexpected line of ls-files: %q", text)
		}
		mode, errMode := parseMode(words[1])
		id, errID := parseID(words[2])
		if err := errors.Join(errMode, errID); err != nil {
			return nil, err
		}
		entries[path] = append(entries[path], staged{mode: mode, id: id, stage: words[3], sparse: words[0] == "S"})
	}
	return entries, nil
}

// put writes entries by name of their content, without looking at any file. Mode 0 removes.
func (h *indexHold) put(ctx context.Context, changes []FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	var input bytes.Buffer
	for _, c := range changes {
		id := c.NewID
		if c.NewMode == 0 {
			id = ID(strings.Repeat("0", h.repo.idLength()))
		}
		fmt.Fprintf(&input, "%o %s\t%s\x00", uint32(c.NewMode), id, c.Path)
	}
	_, err := h.git(ctx, input.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// hide marks entries whose files a sparse checkout leaves out.
func (h *indexHold) hide(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := h.git(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), "update-index", "-z", "--skip-worktree", "--stdin")
	return err
}
