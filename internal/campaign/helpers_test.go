//go:build linux

package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// from is a copy of the world as it was before a command of the story.
func from(t *testing.T, name string) (*world, *chapter) {
	t.Helper()
	c := shared.goldenStory(t).chapter(name)
	if c == nil {
		c = shared.specStory(t).chapter(name)
	}
	w, err := c.before.copyTo(shared.place(t))
	if err != nil {
		t.Fatal(err)
	}
	return w, c
}

// dear is for tests that play a chapter to its end or more than once: they belong to the whole campaign.
func dear(t *testing.T) {
	t.Helper()
	if !full() && !inCI() {
		t.Skip("AGENTD_CAMPAIGN=full")
	}
	t.Parallel()
}

// inCI is where nothing may be left out.
func inCI() bool { return os.Getenv("CI") == "true" }

// cannot leaves a test out for what this machine lacks. In CI that is a failure.
func cannot(t *testing.T, why string) {
	t.Helper()
	if inCI() {
		t.Fatal(why)
	}
	t.Skip(why)
}

const cassette = "agentd/demo/cassette.yaml"

// slow lets the agent think for a while before it answers the first call of a step; the returned function undoes it.
func (w *world) slow(t *testing.T, step, duration string) (undo func()) {
	t.Helper()
	path := filepath.Join(w.repo(), cassette)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := "  - step: " + step + "\n"
	slowed := strings.Replace(string(text), line, line+"    sleep: "+duration+"\n", 1)
	if slowed == string(text) {
		t.Fatalf("no step %s in the cassette", step)
	}
	if err := os.WriteFile(path, []byte(slowed), 0o666); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// begin starts the program, and waits until it says something.
func (w *world) begin(t *testing.T, program string, args []string, said string, env ...string) *process {
	t.Helper()
	p, err := w.start(program, w.repo(), args, env...)
	if err != nil {
		t.Fatal(err)
	}
	p.await(t, said)
	return p
}

// await waits until the process has said something.
func (p *process) await(t *testing.T, said string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(p.said(), said) {
			return
		}
		select {
		case <-p.done:
			if !strings.Contains(p.said(), said) {
				t.Fatalf("%v ended before it said %q:\n%s", p.Args, said, p.said())
			}
			return
		default:
		}
	}
	t.Fatalf("%v never said %q:\n%s", p.Args, said, p.said())
}

// player waits until an agent of the world is alive.
func (w *world) player(t *testing.T, mark string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, line := range w.living() {
			if strings.Contains(line, mark) {
				return
			}
		}
	}
	t.Fatalf("no process %q in %v", mark, w.living())
}

// again runs the command of a chapter, and compares the end with the golden run.
func (w *world) again(t *testing.T, c *chapter) {
	t.Helper()
	if code, said := w.run(shared.real(t), c.args); code != c.code {
		t.Fatalf("the same command again ended with %d:\n%s", code, said)
	}
	w.like(t, c)
}

// git runs git as the person would, and fails the test where that fails.
func (w *world) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := w.do(args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (w *world) mustIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := w.doIn(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (w *world) branch() string { return "refs/heads/agentd/" + w.id }

// tip is where the branch stands, "" if there is none.
func (w *world) tip() string {
	out, err := w.do("rev-parse", "--verify", "--quiet", w.branch())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// stays checks that nothing came of a run: the branch is where it was, nobody is left, git is content.
func (w *world) stays(t *testing.T, tip string) {
	t.Helper()
	if err := w.gone(5 * time.Second); err != nil {
		t.Error(err)
	}
	if have := w.tip(); have != tip {
		t.Errorf("the branch moved from %q to %q", tip, have)
	}
	if err := w.touched(); err != nil {
		t.Error(err)
	}
	if err := w.sound(); err != nil {
		t.Error(err)
	}
}
