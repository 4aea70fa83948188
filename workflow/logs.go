package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/phases"
)

// agentLog is what an agent printed during a call, in the folder of its run.
const agentLog = "agent.log"

// Folders of runs are kept for a month: they are for looking into what went wrong, and hold nothing that the history needs.
const keptRuns = 30 * 24 * time.Hour

func (b *Bench) runsDir() string { return filepath.Join(b.CacheDir, "runs") }

// Logs finds what an agent printed during a call. A log is kept where the agent ran, without secrets.
type Logs struct{ Bench *Bench }

// LogRequest names a call.
type LogRequest struct {
	Change phases.ChangeID
	Step   string // "" for any; the newest call is meant
}

// LogResult is the log of one call.
type LogResult struct {
	Change string
	Step   string
	Round  int
	Agent  string
	At     time.Time
	Folder string // of the call: the prompt, the tools' calls, the documents as the agent left them
	Log    string
}

// longestLog is more than the bounded logs of a run can be.
const longestLog = 64 << 20

// Run reads the newest log of the change, or of one of its steps.
func (l *Logs) Run(_ context.Context, req LogRequest) (LogResult, error) {
	runs, err := l.Bench.runsOf(req.Change)
	if err != nil {
		return LogResult{}, err
	}
	steps := map[string]bool{}
	for _, box := range slices.Backward(runs) {
		run := box.Run()
		steps[run.Step] = true
		if req.Step != "" && run.Step != req.Step {
			continue
		}
		root, err := confine.Open(box.Dir())
		if err != nil {
			return LogResult{}, err
		}
		defer root.Close()
		text, err := root.ReadFile(agentLog, longestLog)
		return LogResult{
			Change: run.Change, Step: run.Step, Round: run.Round, Agent: run.Author, At: run.Created, Folder: box.Dir(), Log: string(text),
		}, err
	}
	return LogResult{}, &NoLogError{ID: req.Change, Step: req.Step, Have: slices.Sorted(keys(steps))}
}

// runsOf are the runs of a change of this repository that still have a folder, oldest first.
func (b *Bench) runsOf(id phases.ChangeID) ([]*inbox.Box, error) {
	entries, err := os.ReadDir(b.runsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	began := map[*inbox.Box]time.Time{}
	var runs []*inbox.Box
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), id.String()+"-") {
			continue
		}
		box, err := inbox.Open(filepath.Join(b.runsDir(), e.Name()))
		if err != nil || box.Run().Change != id.String() || box.Run().Repository != b.Repo.CommonDir() {
			continue // half made, or of a change with a longer id, or of another repository
		}
		if info, err := e.Info(); err == nil {
			began[box] = info.ModTime()
			runs = append(runs, box)
		}
	}
	slices.SortFunc(runs, func(a, b *inbox.Box) int {
		return cmp.Or(a.Run().Created.Compare(b.Run().Created), began[a].Compare(began[b]))
	})
	return runs, nil
}

// forgetOldRuns takes away folders that nobody will look into any more. What cannot be removed stays.
func (b *Bench) forgetOldRuns() {
	entries, _ := os.ReadDir(b.runsDir()) // none yet
	for _, e := range entries {
		if info, err := e.Info(); err == nil && b.Now().Sub(info.ModTime()) > keptRuns {
			_ = os.RemoveAll(filepath.Join(b.runsDir(), e.Name()))
		}
	}
}

// NoLogError says that there is no log here of what was asked for.
type NoLogError struct {
	ID   phases.ChangeID
	Step string
	Have []string // steps that have one
}

func (e *NoLogError) Error() string {
	if e.Step == "" || len(e.Have) == 0 {
		return fmt.Sprintf("no agent has worked on %q here in the last month", e.ID)
	}
	return fmt.Sprintf("no log of step %q of %q is here (there is one of %s)", e.Step, e.ID, strings.Join(e.Have, ", "))
}

// Hint names the next command.
func (e *NoLogError) Hint() string {
	if len(e.Have) > 0 {
		return "`" + command("show", e.ID, e.Have[0], "--log") + "`"
	}
	return "a log stays on the machine where the agent ran; `" + command("status", e.ID) + "` tells what became of its work"
}
