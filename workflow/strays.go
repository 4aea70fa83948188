package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// strayPatience is how long the agent of a run that was killed may take to leave by itself, and then to heed SIGTERM.
const strayPatience = time.Second

// markRun cleans up after a run of this change that was killed, and notes what this one will leave if it is.
// Its agents and checks are ended, because two agents would write into one worktree; its temporary worktrees go.
// The caller holds the change's lock, so whoever bears the mark of the run before has outlived it.
func (b *Bench) markRun(ctx context.Context, id phases.ChangeID) (done func(), err error) {
	b.note = filepath.Join(b.Repo.CommonDir(), "agentd", "runs", id.String())
	if err := b.cleanUp(ctx); err != nil {
		return nil, err
	}
	if err := b.closeSpent(id); err != nil {
		return nil, err
	}
	b.forgetOldRuns()
	mark, environ := proc.Mark(b.Environ)
	if err := os.MkdirAll(filepath.Dir(b.note), 0o777); err != nil {
		return nil, err
	}
	// By rename: half a mark would find others' programs. Not synced: a power cut leaves no programs.
	if err := errors.Join(os.WriteFile(b.note+".new", []byte(mark+"\n"), 0o666), os.Rename(b.note+".new", b.note)); err != nil {
		return nil, err
	}
	b.Environ = environ
	return func() { _ = os.Remove(b.note) }, nil // a note too many costs the next run a look
}

// noteTemporary adds a worktree to what is to be cleaned up.
func (b *Bench) noteTemporary(dir string) error {
	if b.note == "" {
		return nil // nobody holds the change
	}
	file, err := os.OpenFile(b.note, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(dir + "\n")
	return errors.Join(err, file.Close())
}

// cleanUp reads the note of a killed run: its mark, and then the worktrees that it made for a while.
func (b *Bench) cleanUp(ctx context.Context) error {
	text, err := os.ReadFile(b.note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mark, worktrees, _ := strings.Cut(string(text), "\n")
	if mark == "" {
		return nil
	}
	for _, stray := range proc.EndStrays(mark, strayPatience) {
		b.Say.Warn(fmt.Sprintf("ended what an interrupted run had left at work: %s", stray))
	}
	for dir := range strings.Lines(worktrees) {
		// One that was only half made is not registered as temporary: then its files go, and git forgets it by itself.
		if dir = strings.TrimSuffix(dir, "\n"); b.Repo.RemoveDetached(ctx, dir) != nil && filepath.Dir(dir) == b.temporaryDir() {
			_ = os.RemoveAll(dir)
		}
	}
	return nil
}
