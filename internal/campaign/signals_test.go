//go:build linux

package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/agenttest"
	"github.com/agentd/gh-agentd/templates"
)

// TestSignals_RP23: whoever is told to stop stops its agent, says so with 130, has moved no phase, and goes on when asked again.
func TestSignals_RP23(t *testing.T) {
	for _, c := range []struct {
		name    string
		signals []syscall.Signal
	}{
		{"SIGINT once", []syscall.Signal{syscall.SIGINT}},
		{"SIGTERM", []syscall.Signal{syscall.SIGTERM}},
		{"SIGHUP", []syscall.Signal{syscall.SIGHUP}},
		{"SIGINT twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	} {
		t.Run("RP-23 "+c.name, func(t *testing.T) {
			t.Parallel()
			w, story := from(t, "plan")
			undo := w.slow(t, "proposal-gen", "1h")
			tip := w.tip()
			p := w.begin(t, shared.real(t), story.args, "is writing the proposal")
			w.player(t, " replay ")
			for _, s := range c.signals {
				// A program that has ended after the first signal needs no second one.
				if err := p.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			code, said := p.end(patience)
			if code != 130 || !strings.Contains(said, "error: interrupted") {
				t.Errorf("ended with %d:\n%s", code, said)
			}
			undo()
			w.stays(t, tip)
			if full() {
				w.again(t, story)
			}
		})
	}
}

// scripted is the configuration in which a scripted agent plays every role.
func scripted(program string) string {
	return strings.NewReplacer(
		`"replay"`, `"scripted"`,
		"[agents.replay]\ncassette = \""+cassette+`"`, "[agents.scripted]\ncommand = [\""+program+"\"]\noutput = \"replay\"",
	).Replace(recorded)
}

// staged makes a world whose agents do what a script says.
func staged(t *testing.T, script string) *world {
	t.Helper()
	_, agent := shared.withHook(t)
	w, err := newWorld(shared.place(t), scripted(agent))
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Install(t, filepath.Join(w.dir, "home"), "-- call scripted --\n"+script)
	return w
}

// TestSignals_deafAgent_RP23: an agent that ignores everything, with a child that hides, is ended by the second signal.
func TestSignals_deafAgent_RP23(t *testing.T) {
	t.Parallel()
	w := staged(t, "ignore INT TERM HUP\nstart\nchild setsid deaf\nsay 'listening to nobody'\nhang\n")
	args := []string{"plan", w.id, templates.DemoDescription, "--skip-clarify", "--verbose"}
	p := w.begin(t, shared.real(t), args, "listening to nobody")
	began := time.Now()
	for range 2 {
		if err := p.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	code, said := p.end(patience)
	if took := time.Since(began); code != 130 || took > 10*time.Second {
		t.Errorf("ended with %d after %s:\n%s", code, took, said)
	}
	w.stays(t, "")
}

// TestKill_agentGoes_RP22: when the program itself is killed, the kernel asks its agent to end.
// An agent that ignores that, too, is beyond a dead program's reach.
func TestKill_agentGoes_RP22(t *testing.T) {
	t.Parallel()
	w := staged(t, "ignore INT HUP\nstart\nsay 'thinking'\nhang\n")
	args := []string{"plan", w.id, templates.DemoDescription, "--skip-clarify", "--verbose"}
	p := w.begin(t, shared.real(t), args, "thinking")
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end(patience)
	w.stays(t, "")
}
