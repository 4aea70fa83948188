package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/agentd/gh-agentd/internal/confine"
)

// The layout of a run folder.
const (
	runFile    = "run.json"
	changeDir  = "change"
	inboxDir   = "inbox"
	recordFile = "calls.jsonl"
	answerFile = "recorded.jsonl"
	lockFile   = "lock"
)

// maxFile bounds a file that is read back: the folder was within an agent's reach.
const maxFile = 4 << 20

// Box is one run folder.
// It is safe for use by several goroutines, and several boxes, in several processes, may share one folder.
type Box struct {
	dir  string
	run  Run
	turn chan struct{} // holds one token while a call of this box is under way
	now  func() time.Time
}

// Create makes the folder dir, writes run and the change's files into it, and returns its box.
// The names of files are relative to the change's folder.
// A folder that already holds a run is refused with fs.ErrExist.
func Create(dir string, run Run, files map[string][]byte) (*Box, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, runFile)); err == nil {
		return nil, fmt.Errorf("create run folder %q: %w", dir, fs.ErrExist)
	}
	for _, sub := range []string{changeDir, inboxDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("create run folder: %w", err)
		}
	}
	if err := fill(filepath.Join(dir, changeDir), files); err != nil {
		return nil, fmt.Errorf("fill run folder: %w", err)
	}
	// The run is written last: a folder without it was never finished and opens as no run.
	if err := writeRun(dir, run); err != nil {
		return nil, err
	}
	return newBox(dir, run), nil
}

// fill copies files into a new folder. Nobody else writes there yet, and a copy needs no sync:
// after a power cut the run is begun anew.
func fill(dir string, files map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := "."
	for _, name := range sortedKeys(files) {
		if err := confine.CheckName(name); err != nil {
			return err
		}
		if folder := path.Dir(name); folder != made {
			if err := root.MkdirAll(folder, 0o700); err != nil {
				return err
			}
			made = folder
		}
		if err := root.WriteFile(name, files[name], 0o600); err != nil {
			return err
		}
	}
	return nil
}

func writeRun(dir string, run Run) error {
	data, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	root, err := confine.Open(dir)
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	defer root.Close()
	if err := root.WriteFile(runFile, append(data, '\n')); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

// Open returns the box of a run folder that Create made.
func Open(dir string) (*Box, error) {
	root, err := confine.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open run folder: %w", err)
	}
	defer root.Close()
	data, err := root.ReadFile(runFile, maxFile)
	if err != nil {
		return nil, fmt.Errorf("open run folder %q: %w", dir, err)
	}
	var run Run
	if err := json.Unmarshal(data, &run); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, runFile), err)
	}
	if err := run.check(); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, runFile), err)
	}
	return newBox(dir, run), nil
}

func newBox(dir string, run Run) *Box {
	return &Box{dir: dir, run: run, turn: make(chan struct{}, 1), now: time.Now}
}

// Dir returns the run folder.
func (b *Box) Dir() string { return b.dir }

// Run returns what the box is for.
func (b *Box) Run() Run { return b.run }

// Tools returns the names of the tools that the run may call.
func (b *Box) Tools() []string { return b.run.Tools() }

// Files returns the change's folder as it is now, names relative to it.
// Whatever is no regular file in there is an error that names it.
func (b *Box) Files() (map[string][]byte, error) {
	root, err := confine.Open(filepath.Join(b.dir, changeDir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readAll(root)
}

// readAll reads every file below a folder.
func readAll(root *confine.Root) (map[string][]byte, error) {
	names, err := root.List()
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(names))
	for _, name := range names {
		data, err := root.ReadFile(name, maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// lock takes the run folder for the length of one call, in this process and across processes.
// It waits until ctx is done. The operating system frees the lock if the process dies.
func (b *Box) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free, err := lockFolder(ctx, filepath.Join(b.dir, lockFile))
	if err != nil {
		<-b.turn
		return nil, err
	}
	return func() { free(); <-b.turn }, nil
}
