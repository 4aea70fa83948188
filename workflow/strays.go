package workflow

import (
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

// markRun ends the agents and checks that a killed run of this change left at work,
// because two agents would write into one worktree, and marks everything that this run starts.
// The caller holds the change's lock, so whoever bears the mark of the run before has outlived it.
func (b *Bench) markRun(id phases.ChangeID) (done func(), err error) {
	note := filepath.Join(b.Repo.CommonDir(), "agentd", "runs", id.String())
	before, err := os.ReadFile(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if mark := strings.TrimSpace(string(before)); mark != "" {
		for _, stray := range proc.EndStrays(mark, strayPatience) {
			b.Say.Warn(fmt.Sprintf("ended what an interrupted run had left at work: %s", stray))
		}
	}
	mark, environ := proc.Mark(b.Environ)
	if err := os.MkdirAll(filepath.Dir(note), 0o777); err != nil {
		return nil, err
	}
	// By rename: half a mark would find others' programs. Not synced: a power cut leaves no programs.
	if err := errors.Join(os.WriteFile(note+".new", []byte(mark+"\n"), 0o666), os.Rename(note+".new", note)); err != nil {
		return nil, err
	}
	b.Environ = environ
	return func() { _ = os.Remove(note) }, nil // a note too many costs the next run a look
}
