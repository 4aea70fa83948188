//go:build linux

package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/templates"
)

// TestTwoRuns_RP21: one writer per change. The second is told who the first is, and the lock dies with its holder.
func TestTwoRuns_RP21(t *testing.T) {
	t.Parallel()
	w, story := from(t, "plan")
	undo := w.slow(t, "proposal-gen", "1h")
	tip := w.tip()
	program := shared.real(t)
	p := w.begin(t, program, story.args, "is writing the proposal")
	w.player(t, " replay ")
	for _, args := range [][]string{{"plan", w.id}, {"abandon", w.id, "--reason", "no", "--yes"}} {
		code, said := w.run(program, args)
		if code != 1 || !strings.Contains(said, `"`+w.id+`" is locked by plan `+w.id) || !strings.Contains(said, "hint: ") {
			t.Errorf("%v beside it ended with %d:\n%s", args, code, said)
		}
	}
	if code, said := w.run(program, []string{"status", w.id}); code != 0 {
		t.Errorf("status beside it ended with %d:\n%s", code, said)
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end(patience)
	undo()
	w.stays(t, tip)
	if full() {
		w.again(t, story)
	}
}

// TestTwoChanges_RP21: two changes at once do not know of each other.
func TestTwoChanges_RP21(t *testing.T) {
	dear(t)
	w, story := from(t, "plan-new")
	w.unbind(t)
	ids := []string{"add-rate-limit", "second-change"}
	var runs []*process
	for _, id := range ids {
		p, err := w.start(shared.real(t), w.repo(), []string{"plan", id, templates.DemoDescription, "--skip-clarify"})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, p)
	}
	for i, p := range runs {
		if code, said := p.end(patience); code != 0 {
			t.Errorf("plan %s ended with %d:\n%s", ids[i], code, said)
		}
	}
	for _, id := range ids {
		one := &world{dir: w.dir, id: id}
		have, err := one.observe()
		if err != nil {
			t.Fatal(err)
		}
		for i := range have.Steps {
			have.Steps[i] = strings.ReplaceAll(have.Steps[i], id, "add-rate-limit")
		}
		if diff := cmp.Diff(story.after.Steps, have.Steps); diff != "" {
			t.Errorf("%s (-golden +this):\n%s", id, diff)
		}
		one.legal(t)
	}
	if err := w.sound(); err != nil {
		t.Error(err)
	}
}

// unbind takes the id of the change out of the recording, so that any change can be played.
func (w *world) unbind(t *testing.T) {
	t.Helper()
	path := filepath.Join(w.repo(), cassette)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "change_id: ")
	})
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRace_RP21: the same command in four linked worktrees of one clone. One works, three are refused, nothing is done twice.
func TestRace_RP21(t *testing.T) {
	t.Parallel()
	w, story := from(t, "clarify")
	var places []string
	for n := range 4 {
		place := filepath.Join(w.dir, "cache", fmt.Sprintf("place-%d", n))
		w.must(t, "worktree", "add", "--quiet", "--detach", place, "main")
		places = append(places, place)
	}
	answers := filepath.Join(w.dir, "clarifications.json")
	args := []string{"clarify", w.id, templates.DemoDescription, "--json-file", answers}
	race := func(args []string) (done int) {
		var runs []*process
		for _, place := range places {
			p, err := w.start(shared.real(t), place, args)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, p)
		}
		for _, p := range runs {
			switch code, said := p.end(patience); {
			case code == 0:
				done++
			case code == 1 && strings.Contains(said, "is locked by "):
			default:
				t.Errorf("ended with %d:\n%s", code, said)
			}
		}
		return done
	}
	if race(args) == 0 {
		t.Error("nobody succeeded")
	}
	if full() && race([]string{"plan", w.id}) == 0 {
		t.Error("nobody succeeded")
	}
	for _, place := range places {
		w.must(t, "worktree", "remove", "--force", place)
	}
	if full() {
		story = shared.goldenStory(t).chapter("plan")
	}
	w.like(t, story)
}

// TestClones_RP21: four clones begin the same change. The first push wins; the others are refused, and keep what they have.
func TestClones_RP21(t *testing.T) {
	t.Parallel()
	w, _ := from(t, "clarify")
	remote := filepath.Join(w.dir, "cache", "remote.git")
	w.must(t, "clone", "--quiet", "--bare", w.repo(), remote)
	var clones []string
	var runs []*process
	for n := range 4 {
		clone := filepath.Join(w.dir, "cache", fmt.Sprintf("clone-%d", n), "repo")
		w.must(t, "clone", "--quiet", remote, clone)
		clones = append(clones, clone)
		p, err := w.start(shared.real(t), clone, []string{
			"clarify", w.id, templates.DemoDescription + strings.Repeat("!", n), "--json-file", filepath.Join(w.dir, "clarifications.json"),
		})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, p)
	}
	for n, p := range runs {
		if code, said := p.end(patience); code != 0 {
			t.Fatalf("clone %d ended with %d:\n%s", n, code, said)
		}
	}
	pushed := 0
	for _, clone := range clones {
		if _, err := w.doIn(clone, "push", "--quiet", "origin", w.branch()); err == nil {
			pushed++
		}
	}
	if pushed != 1 {
		t.Errorf("%d of 4 clones could push", pushed)
	}
	for _, clone := range clones[1:] {
		before := w.mustIn(t, clone, "rev-parse", w.branch())
		p, err := w.start(shared.real(t), clone, []string{"plan", w.id})
		if err != nil {
			t.Fatal(err)
		}
		code, said := p.end(patience)
		if code != 11 || !strings.Contains(said, "diverged") || !strings.Contains(said, "--take") {
			t.Errorf("plan in a clone that came late ended with %d:\n%s", code, said)
		}
		if after := w.mustIn(t, clone, "rev-parse", w.branch()); after != before {
			t.Errorf("its branch moved from %s to %s", before, after)
		}
	}
}
