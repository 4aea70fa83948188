//go:build linux

package clis

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

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
			held := make(chan *heldRun, 1)
			w = newWorld(t, func(r modeltest.Request) modeltest.Answer {
				if first.first() {
					held <- w.holdRun()
				}
				return play(r)
			}, everyone(vendor), "[workflow]\nscript_retries = 0")
			p := w.begin("proposal", change, "Greet")
			run := <-held
			run.awaitCall()
			_ = syscall.Kill(-p.Process.Pid, syscall.SIGINT)
			if o := p.end(); o.code != 130 {
				t.Errorf("want exit code 130, got %s", o)
			}
			w.nobodyLeft()
			run.free()
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

// heldRun is a run in which every tool call waits.
type heldRun struct {
	w     *world
	lock  *os.File
	opens *os.File // inotify's, of the lock
}

// holdRun takes the lock of the one run there is, as a tool call does.
func (w *world) holdRun() *heldRun {
	run := &heldRun{w: w}
	folders, err := filepath.Glob(filepath.Join(w.dir, "cache", "gh-agentd", "runs", "*"))
	if err != nil || len(folders) != 1 {
		w.t.Errorf("runs %q, %v: want one", folders, err)
		return run
	}
	if run.lock, err = os.OpenFile(filepath.Join(folders[0], "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		w.t.Error(err)
		return run
	}
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err == nil {
		run.opens = os.NewFile(uintptr(watch), "inotify")
		_, err = unix.InotifyAddWatch(watch, run.lock.Name(), unix.IN_OPEN)
	}
	if err = errors.Join(err, unix.Flock(int(run.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)); err != nil {
		w.t.Error(err)
	}
	return run
}

// awaitCall returns when somebody has opened the lock, to wait for it.
func (r *heldRun) awaitCall() {
	r.w.t.Helper()
	err := r.opens.SetReadDeadline(time.Now().Add(time.Minute))
	if err == nil {
		_, err = r.opens.Read(make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1))
	}
	if err != nil {
		r.w.t.Fatalf("no tool was called within a minute: %v", err)
	}
}

func (r *heldRun) free() {
	r.lock.Close()
	r.opens.Close()
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
