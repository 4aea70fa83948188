//go:build linux

package campaign

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// specStory is the second golden run: archives that merge specs, one that needs a person, and one that is taken back.
func (g *ground) specStory(t testing.TB) *story {
	t.Helper()
	program, _ := g.withHook(t)
	dir := g.folder(t)
	g.merging.Do(func() {
		tale := telling{t: t, dir: dir, program: program, story: &story{}}
		tale.tell()
		g.specs = tale.story
	})
	if g.specs.err != nil {
		t.Fatal(g.specs.err)
	}
	return g.specs
}

// telling plays the second story.
type telling struct {
	t       testing.TB
	dir     string
	program string
	n       int
	*story
}

func (l *telling) tell() {
	start, err := newWorld(l.place(), lifeConfig)
	if l.err = err; err != nil {
		return
	}
	l.complete(start, beginnings()[0])
	l.run(start, "archive", "begin-greeting")
	for _, w := range []wish{
		{id: "louder", spec: "greeting", edit: replace("Say hello.", "Say HELLO.")},
		{id: "softer", spec: "greeting", edit: replace("Say hello.", "Say hello softly.")},
		{id: "politer", spec: "greeting", edit: replace("Say goodbye.", "Say a long goodbye."), code: "politer.txt"},
	} {
		l.complete(start, w)
	}
	l.run(start, "archive", "louder")

	politer := l.chapter(&chapter{name: "merge", args: []string{"archive", "politer"}}, start)
	l.complete(politer, wish{id: "wave", spec: "greeting", edit: func(text string) string { return text + "\n" + demand("R7", "Wave", "Wave.") }})
	l.run(politer, "archive", "wave")
	l.chapter(&chapter{name: "unarchive", args: []string{"unarchive", "politer"}}, politer)

	softer := l.chapter(&chapter{name: "conflict", args: []string{"archive", "softer"}, code: 11}, start)
	if l.err == nil {
		l.err = resolve(filepath.Join(softer.dir, "repo-agentd", "softer.archive", "agentd", "specs", "greeting.md"), true)
	}
	l.chapter(&chapter{name: "continue", args: []string{"archive", "softer", "--continue"}}, softer)
	l.chapter(&chapter{name: "abort", args: []string{"archive", "softer", "--abort"}, over: "no archive of softer waits on its branch"}, softer)
	moved := l.copy(softer)
	l.complete(moved, wish{id: "loudest", spec: "greeting", edit: replace("Say HELLO.", "Shout HELLO.")})
	l.run(moved, "archive", "loudest")
	l.chapter(&chapter{name: "moved", args: []string{"archive", "softer", "--continue"}, code: 11}, moved)
}

func (l *telling) place() string {
	l.n++
	return filepath.Join(l.dir, fmt.Sprintf("specs-%d", l.n))
}

func (l *telling) complete(w *world, want wish) {
	if l.err == nil {
		l.err = want.complete(l.t.Context(), w.repo(), w.environ())
	}
}

func (l *telling) run(w *world, args ...string) {
	if l.err == nil {
		l.err = w.program(l.program, 0, args...)
	}
}

func (l *telling) copy(w *world) *world {
	if l.err != nil {
		return w
	}
	next, err := w.copyTo(l.place())
	l.err = err
	return next
}

// chapter plays a command in a copy of a world, and returns that.
func (l *telling) chapter(c *chapter, before *world) *world {
	if l.err != nil {
		return before
	}
	c.judged = true
	after, err := c.play(&world{dir: before.dir, id: c.args[1]}, l.place(), l.program)
	if err != nil {
		l.err = fmt.Errorf("%s: %w", c.name, err)
		return before
	}
	l.chapters = append(l.chapters, c)
	return after
}

// TestKill_specs_RP19 lets archives die that merge specs, that ask a person, that go on with what the person wrote, or give it up,
// and one that is taken back. Nothing of what the person wrote is lost.
func TestKill_specs_RP19(t *testing.T) {
	s := shared.specStory(t)
	if text := s.chapter("moved").after.Decided["greeting.md.outdated"]; !strings.Contains(text, "Say hello softly.") {
		t.Errorf("what the person wrote is not beside the spec that moved:\n%s", text)
	}
	start := seed(t)
	random := rand.New(rand.NewPCG(start, 0))
	all := accidents(s, random)
	if !full() {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:3]
	}
	t.Run("RP-19", func(t *testing.T) {
		for _, a := range all {
			t.Run(a.String(), func(t *testing.T) {
				t.Parallel()
				a.happen(t, s.chapter(a.chapter))
			})
		}
	})
	t.Logf("%d accidents", len(all))
}
