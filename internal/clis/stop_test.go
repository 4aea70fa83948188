//go:build linux

package clis

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/internal/ttytest"
)

// stop is one way to end a run from outside.
type stop struct {
	name   string
	config string
	end    func(*process) // nil: it ends by itself
	code   int
	says   string
}

func stops() []stop {
	signal := func(s syscall.Signal) func(*process) {
		return func(p *process) {
			if err := p.Process.Signal(s); err != nil {
				p.w.t.Fatal(err)
			}
		}
	}
	const interrupted = "interrupted"
	return []stop{
		// A terminal sends Ctrl-C to the whole foreground group; the agent is in one of its own.
		{name: "Ctrl-C", end: func(p *process) { _ = syscall.Kill(-p.Process.Pid, syscall.SIGINT) }, code: 130, says: interrupted},
		{name: "SIGTERM", end: signal(syscall.SIGTERM), code: 130, says: interrupted},
		{name: "terminal gone", end: func(p *process) { _ = p.terminal.HangUp() }, code: 130},
		{name: "time limit", config: "[limits.wall]\nproposer = \"20s\"", code: 1, says: "was not done after 20s"},
	}
}

// However a run is stopped, nothing of it goes on, nothing is committed, and the same command works afterwards.
func TestStop_nobodyIsLeftAndTheNextRunWorks_RP23(t *testing.T) {
	t.Parallel()
	const settings = "[workflow]\nscript_retries = 0\nhuman_in_loop = false\nworktree = \"worktree\""
	for _, vendor := range vendors {
		for _, row := range stops() {
			t.Run(string(vendor)+" "+row.name, func(t *testing.T) {
				t.Parallel()
				play := modeltest.Play(greeting(t, "plan"))
				var hangs onlyOnce
				w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
					if hangs.first() {
						return modeltest.Fail(modeltest.Stalled)
					}
					return play(r)
				}, everyone(vendor), settings, row.config)
				begin := w.begin
				if row.name == "terminal gone" {
					begin = w.beginOnTerminal
				}
				p := begin("proposal", change, "Greet")
				w.server.Wait(t, func(modeltest.Request) bool { return true })
				if row.end != nil {
					row.end(p)
				}
				if o := p.end(); o.code != row.code || !strings.Contains(o.err, row.says) {
					t.Errorf("want exit code %d and %q, got %s", row.code, row.says, o)
				}
				w.nobodyLeft()
				if tip := w.tip(); tip != "" {
					t.Errorf("something was committed: %s", w.git("log", "--format=%s", tip))
				}
				w.configure(everyone(vendor), settings) // without the limit
				w.agentd(0, "proposal", change, "Greet")
				if got, want := w.steps(), []string{"proposal-gen"}; !slices.Equal(got, want) {
					t.Errorf("steps %q, want %q", got, want)
				}
			})
		}
	}
}

// A command that the agent runs in its shell ends with it, and so does our tool server.
func TestStop_commandOfTheAgent_I5(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
		return modeltest.Do(modeltest.Run("sleep 300"))
	}, everyone(modeltest.Codex))
	p := w.begin("proposal", change, "Greet")
	w.await("sleep 300")
	_ = syscall.Kill(-p.Process.Pid, syscall.SIGINT)
	if o := p.end(); o.code != 130 {
		t.Errorf("want exit code 130, got %s", o)
	}
	w.nobodyLeft()
}

// A run that is stopped while a tool of ours is at work leaves nothing half done.
func TestStop_withinAToolCall(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			play := modeltest.Play(greeting(t, "plan"))
			var w *world
			var first onlyOnce
			held := make(chan *os.File, 1)
			w = newWorld(t, func(r modeltest.Request) modeltest.Answer {
				if first.first() {
					held <- w.holdRun()
				}
				return play(r)
			}, everyone(vendor), "[workflow]\nscript_retries = 0")
			p := w.begin("proposal", change, "Greet")
			lock := <-held
			w.awaitOpen(lock.Name())
			_ = syscall.Kill(-p.Process.Pid, syscall.SIGINT)
			if o := p.end(); o.code != 130 {
				t.Errorf("want exit code 130, got %s", o)
			}
			w.nobodyLeft()
			lock.Close()
			if tip := w.tip(); tip != "" {
				t.Errorf("something was committed: %s", w.git("log", "--format=%s", tip))
			}
			w.agentd(0, "proposal", change, "Greet")
			if got, want := w.steps(), []string{"proposal-gen"}; !slices.Equal(got, want) {
				t.Errorf("steps %q, want %q", got, want)
			}
		})
	}
}

// holdRun takes the lock of the one run there is, so that every tool call in it waits.
func (w *world) holdRun() *os.File {
	runs, err := filepath.Glob(filepath.Join(w.dir, "cache", "gh-agentd", "runs", "*", "run.json"))
	if err != nil || len(runs) != 1 {
		w.t.Errorf("runs %q, %v: want one", runs, err)
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(runs[0]), "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		w.t.Error(err)
	}
	return lock
}

// awaitOpen returns when a process of the world has the file open.
func (w *world) awaitOpen(name string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for pid := range w.living() {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // it may have left
			for _, link := range open {
				if target, err := os.Readlink(link); err == nil && target == name {
					return
				}
			}
		}
	}
	w.t.Fatalf("nobody opened %s within a minute", name)
}

// A plan that is stopped in its challenge keeps what was committed, and goes on from there.
func TestStop_planGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	play := modeltest.Play(greeting(t, "challenge-approves"))
	var hangs onlyOnce
	w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
		if r.Step.Name == "challenge" && hangs.first() {
			return modeltest.Fail(modeltest.Silent)
		}
		return play(r)
	}, roles{proposer: "replay"}, "[agents.replay]\ncassette = \"../cassette.yaml\"")
	put(t, filepath.Join(w.dir, "cassette.yaml"), greetingSource(t, "plan"))
	p := w.begin("plan", change, "Greet", "--skip-clarify")
	w.server.Wait(t, func(r modeltest.Request) bool { return r.Step.Name == "challenge" })
	tip := w.tip()
	_ = syscall.Kill(-p.Process.Pid, syscall.SIGINT)
	if o := p.end(); o.code != 130 {
		t.Errorf("want exit code 130, got %s", o)
	}
	w.nobodyLeft()
	if w.tip() != tip || w.phase() != "proposed" {
		t.Errorf("the branch moved to %s, phase %s", w.git("log", "-1", "--format=%s", "agentd/"+change), w.phase())
	}
	w.agentd(0, "plan", change)
	want := []string{"proposal-gen", "proposal-review", "spec-gen-greeting", "spec-review-greeting", "tasks-gen", "tasks-review", "challenge APPROVED"}
	if diff := cmp.Diff(want, w.steps()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// beginOnTerminal starts gh-agentd as the only program on a terminal of its own.
func (w *world) beginOnTerminal(args ...string) *process {
	w.t.Helper()
	return w.start(func(p *process) (err error) {
		p.terminal, err = ttytest.Start(p.Cmd)
		return err
	}, args...)
}
