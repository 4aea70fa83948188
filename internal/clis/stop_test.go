//go:build linux

package clis

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
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
		{name: "terminal gone", end: func(p *process) { _ = p.terminal.Close() }, code: 130},
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
	return w.start(func(p *process) error {
		terminal, line, err := pty.Open()
		if err != nil {
			return err
		}
		defer line.Close()
		p.terminal = terminal
		p.Stdin, p.Stdout, p.Stderr = line, line, line
		p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		return p.Start()
	}, args...)
}
