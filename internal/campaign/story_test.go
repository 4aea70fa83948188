//go:build linux

package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/templates"
)

// chapter is one command of the story, and what a run of it that nobody disturbed did.
type chapter struct {
	name   string
	args   []string
	code   int    // how it ends
	over   string // what it is refused with where all of it was done before, "" where it ends as ever
	judged bool   // check has to pass in the end, for all that came to main
	before *world // as it is when the command begins
	after  facts
	took   time.Duration
	points []string // passed commit points, in order
	refs   int      // reference transactions
}

// story is the golden run: a change from the person's answers to the archive.
type story struct {
	chapters []*chapter
	err      error
}

func (s *story) chapter(name string) *chapter {
	for _, c := range s.chapters {
		if c.name == name {
			return c
		}
	}
	return nil
}

// goldenStory plays the story once, and keeps the world as it was before each command.
func (g *ground) goldenStory(t testing.TB) *story {
	t.Helper()
	program, _ := g.withHook(t)
	dir := g.folder(t)
	g.golden.Do(func() { g.story = play(dir, program) })
	if g.story.err != nil {
		t.Fatal(g.story.err)
	}
	return g.story
}

func play(dir, program string) *story {
	id, wish := templates.DemoChange, templates.DemoDescription
	s := &story{}
	start, err := newWorld(filepath.Join(dir, "golden-0"), recorded)
	if err != nil {
		s.err = err
		return s
	}
	at := start
	for i, c := range []*chapter{
		{name: "clarify", args: []string{"clarify", id, wish, "--json-file", "../clarifications.json"}},
		{name: "plan", args: []string{"plan", id}},
		{name: "impl", args: []string{"impl", id}},
		{name: "archive", args: []string{"archive", id}},
		{name: "plan-new", args: []string{"plan", id, wish, "--skip-clarify"}},
	} {
		if c.name == "plan-new" {
			at = start
		}
		next, err := c.play(at, filepath.Join(dir, fmt.Sprintf("golden-%d", i+1)), program)
		if err != nil {
			s.err = fmt.Errorf("%s: %w", c.name, err)
			return s
		}
		s.chapters = append(s.chapters, c)
		at = next
	}
	return s
}

func (c *chapter) play(before *world, dir, program string) (*world, error) {
	w, err := before.copyTo(dir)
	if err != nil {
		return nil, err
	}
	c.before = before
	trace, count := dir+".trace", dir+".refs"
	if err := w.countRefs(count); err != nil {
		return nil, err
	}
	began := time.Now()
	code, said := w.run(program, c.args, traceVariable+"="+trace)
	c.took = time.Since(began)
	if code != c.code {
		return nil, fmt.Errorf("the golden run ended with %d:\n%s", code, said)
	}
	if err := w.noHook(); err != nil {
		return nil, err
	}
	if text, err := os.ReadFile(trace); err == nil {
		c.points = strings.Fields(string(text))
	}
	if text, err := os.ReadFile(count); err == nil {
		c.refs = strings.Count(string(text), "committed")
	}
	if c.after, err = w.observe(); err != nil {
		return nil, err
	}
	return w, w.sound()
}

const refHook = "reference-transaction"

// countRefs lets git note each reference transaction.
func (w *world) countRefs(file string) error {
	return w.hook(fmt.Sprintf("#!/bin/sh\ncat >/dev/null\necho $1 >>%s\n", file))
}

// killAtRef lets git kill a process in the middle of the n-th reference transaction:
// while it is prepared, with all locks taken, or when it is committed and nobody has been told.
func (w *world) killAtRef(state string, n int, whom string) error {
	target := map[string]string{"self": "$pid", "group": "-$pid", "git": "$PPID"}[whom]
	return w.hook(fmt.Sprintf(`#!/bin/sh
cat >/dev/null
[ "$1" = %s ] || exit 0
echo >>%[2]s/refs.count
[ $(wc -l <%[2]s/refs.count) -eq %d ] || exit 0
while [ ! -s %[2]s/victim.pid ]; do sleep 0.01; done
pid=$(cat %[2]s/victim.pid)
kill -s KILL -- %[4]s
`, state, w.cache(), n, target))
}

func (w *world) hook(text string) error {
	path := filepath.Join(w.git(), "hooks", refHook)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// No fork while the file is open for writing: its child would make it busy (golang/go#22315).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o777)
}

func (w *world) noHook() error { return os.Remove(filepath.Join(w.git(), "hooks", refHook)) }
