//go:build linux

package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// meeting is a world with two specs, and two changes that edit the same in both: louder is archived, softer is not.
func meeting(t *testing.T) *world {
	t.Helper()
	w, err := newWorld(shared.place(t), lifeConfig)
	if err != nil {
		t.Fatal(err)
	}
	all := beginnings()
	w.make(t, all[0], all[1])
	w.agentd(t, 0, "archive", "begin-greeting")
	w.agentd(t, 0, "archive", "begin-billing")
	w.make(t,
		wish{id: "louder", spec: "greeting", edit: replace("Say hello.", "Say HELLO."),
			beside: &wish{spec: "billing", edit: replace("Taxes are told.", "TAXES are told.")}},
		wish{id: "softer", spec: "greeting", edit: replace("Say hello.", "Say hello softly."),
			beside: &wish{spec: "billing", edit: replace("Taxes are told.", "Taxes are whispered.")}},
	)
	w.agentd(t, 0, "archive", "louder")
	w.id = "softer"
	return w
}

func (w *world) make(t *testing.T, wishes ...wish) {
	t.Helper()
	for _, want := range wishes {
		if err := want.complete(t.Context(), w.repo(), w.environ()); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) agentd(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, said := w.run(shared.real(t), args)
	if code != want {
		t.Fatalf("%s ended with %d, not %d:\n%s", strings.Join(args, " "), code, want, said)
	}
	return said
}

// deciding is a file of the worktree in which the person decides about specs.
func (w *world) deciding(name string) string {
	return filepath.Join(w.dir, "repo-agentd", w.id+".archive", "agentd", "specs", name)
}

func (w *world) decide(t *testing.T, name string) {
	t.Helper()
	if err := resolve(w.deciding(name), true); err != nil {
		t.Fatal(err)
	}
}

// holds checks what files say.
func holds(t *testing.T, path string, words ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range words {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q:\n%s", path, want, text)
		}
	}
}

// archived checks that main holds what was decided, and explains it.
func (w *world) archived(t *testing.T) {
	t.Helper()
	holds(t, filepath.Join(w.repo(), "agentd/specs/greeting.md"), "Say hello softly.")
	holds(t, filepath.Join(w.repo(), "agentd/specs/billing.md"), "Taxes are whispered.")
	w.agentd(t, 0, "check", w.must(t, "rev-list", "--max-parents=0", "main")+"..main")
	w.agentd(t, 0, "doctor")
	if trees := w.must(t, "worktree", "list"); strings.Contains(trees, ".archive") {
		t.Errorf("a worktree is left:\n%s", trees)
	}
}

// TestResolution_elsewhere: what was decided goes through where main moves elsewhere in the same specs. Nobody is asked again.
func TestResolution_elsewhere(t *testing.T) {
	dear(t)
	w := meeting(t)
	w.make(t, wish{id: "politer", spec: "greeting", edit: replace("Say goodbye.", "Say a long goodbye.")})
	w.agentd(t, 11, "archive", "softer")
	w.decide(t, "greeting.md")
	w.decide(t, "billing.md")
	w.agentd(t, 0, "archive", "politer")
	w.agentd(t, 0, "archive", "softer", "--continue")
	holds(t, filepath.Join(w.repo(), "agentd/specs/greeting.md"), "Say a long goodbye.")
	w.archived(t)
}

// TestResolution_again: where main moves in the same place, what was decided is kept beside the spec that is asked about again,
// and what was decided about another spec stays decided.
func TestResolution_again(t *testing.T) {
	dear(t)
	w := meeting(t)
	w.agentd(t, 11, "archive", "softer")
	w.decide(t, "greeting.md")
	w.decide(t, "billing.md")
	w.make(t, wish{id: "loudest", spec: "greeting", edit: replace("Say HELLO.", "Shout HELLO.")})
	w.agentd(t, 0, "archive", "loudest")
	main := w.must(t, "rev-parse", "main")
	said := w.agentd(t, 11, "archive", "softer", "--continue")
	if !strings.Contains(said, "is beside it with the ending .outdated") || w.must(t, "rev-parse", "main") != main {
		t.Errorf("archive said, with main at %s:\n%s", w.must(t, "rev-parse", "main"), said)
	}
	holds(t, w.deciding("greeting.md"), "<<<<<<<", "Shout HELLO.", "Say hello softly.")
	holds(t, w.deciding("greeting.md.outdated"), "Say hello softly.")
	holds(t, w.deciding("billing.md"), "Taxes are whispered.")
	if said := w.agentd(t, 11, "archive", "softer", "--continue"); !strings.Contains(said, "a marker of a conflict is left in it") {
		t.Errorf("archive said:\n%s", said)
	}
	w.decide(t, "greeting.md")
	w.agentd(t, 0, "archive", "softer", "--continue")
	w.archived(t)
}

// TestPush_moved_RP18: main moves on the remote between the build of an archive and its push. It is built anew on that, and nothing is forced.
func TestPush_moved_RP18(t *testing.T) {
	dear(t)
	w, err := newWorld(shared.place(t), strings.Replace(lifeConfig, `"true"`, `"sh ./race.sh"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	origin, other := filepath.Join(w.dir, "cache", "origin.git"), filepath.Join(w.dir, "cache", "other")
	race := `[ -d "` + other + `" ] || exit 0
cd "` + other + `" && [ ! -e theirs.txt ] || exit 0
echo theirs >theirs.txt && git add theirs.txt && git -c user.name=Theirs -c user.email=theirs@example.com commit --quiet --message Theirs && git push --quiet origin main
`
	if err := w.write("race.sh", race); err != nil {
		t.Fatal(err)
	}
	w.must(t, "add", "race.sh")
	w.must(t, "commit", "--quiet", "--message", "The check", "--", "race.sh")
	w.must(t, "clone", "--quiet", "--bare", w.repo(), origin)
	w.must(t, "remote", "add", "origin", origin)
	w.make(t, beginnings()[0])
	w.id = "begin-greeting"
	if err := w.write("main.txt", "main has moved\n"); err != nil {
		t.Fatal(err)
	}
	w.must(t, "add", "main.txt")
	w.must(t, "commit", "--quiet", "--message", "Ours", "--", "main.txt")
	w.must(t, "push", "--quiet", "origin", "main")
	w.must(t, "clone", "--quiet", origin, other)
	w.agentd(t, 0, "archive", w.id, "--push")
	if log := w.must(t, "log", "--first-parent", "--format=%s", "-3", "main"); log != "agentd(begin-greeting): archived\nTheirs\nOurs" {
		t.Errorf("main is\n%s", log)
	}
	if there := w.mustIn(t, origin, "rev-parse", "main"); there != w.must(t, "rev-parse", "main") {
		t.Errorf("main is at %s on the remote, and not here", there)
	}
	if subjects := w.must(t, "reflog", "--format=%gs", "main"); strings.Contains(subjects, "reset") {
		t.Errorf("main was forced:\n%s", subjects)
	}
	w.agentd(t, 0, "check", "main~1..main")
	if err := w.touched(); err != nil {
		t.Error(err)
	}
}

// TestStacked: what another archived change stands on is not taken back before that one, and conflicts names the lower one first.
func TestStacked(t *testing.T) {
	dear(t)
	w, err := newWorld(shared.place(t), lifeConfig)
	if err != nil {
		t.Fatal(err)
	}
	w.make(t, wish{id: "z-below", code: "below.txt"}, wish{id: "a-above", code: "above.txt", on: "z-below"})
	if said := w.agentd(t, 0, "conflicts", "--json", "changes", "--jq", "[.changes[].change] | join(\" \")"); !strings.Contains(said, "z-below a-above") {
		t.Errorf("conflicts said:\n%s", said)
	}
	if said := w.agentd(t, 11, "archive", "a-above"); !strings.Contains(said, "a-above stands on z-below, which is not archived yet") {
		t.Errorf("archive said:\n%s", said)
	}
	w.agentd(t, 0, "archive", "z-below")
	w.agentd(t, 0, "archive", "a-above")
	if said := w.agentd(t, 11, "unarchive", "z-below"); !strings.Contains(said, "a-above stands on z-below, and is archived too") {
		t.Errorf("unarchive said:\n%s", said)
	}
	w.agentd(t, 0, "unarchive", "a-above")
	w.agentd(t, 0, "unarchive", "z-below")
	w.agentd(t, 0, "check", w.must(t, "rev-list", "--max-parents=0", "main")+"..main")
	w.agentd(t, 0, "doctor")
	w.agentd(t, 0, "archive", "z-below")
	if said := w.agentd(t, 0, "status", "a-above"); !strings.Contains(said, "phase:\tcomplete") {
		t.Errorf("status said:\n%s", said)
	}
}

// TestRetired: a change that removes the last requirement of a spec removes its file, and check and why follow that, there and back.
func TestRetired(t *testing.T) {
	dear(t)
	w, err := newWorld(shared.place(t), lifeConfig)
	if err != nil {
		t.Fatal(err)
	}
	w.make(t, beginnings()[2])
	w.agentd(t, 0, "archive", "begin-legacy")
	w.make(t, wish{id: "no-fax", spec: "legacy", edit: says("## REMOVED Requirements\n\n### R1: Fax\n")})
	w.agentd(t, 0, "archive", "no-fax")
	if tree := w.must(t, "ls-tree", "-r", "--name-only", "main", "agentd/specs"); tree != "" {
		t.Errorf("main still has %s", tree)
	}
	if said := w.agentd(t, 0, "why", "legacy#R1"); !strings.Contains(said, "by change no-fax") || !strings.Contains(said, "by change begin-legacy") {
		t.Errorf("why said:\n%s", said)
	}
	first := w.must(t, "rev-list", "--max-parents=0", "main")
	w.agentd(t, 0, "check", first+"..main")
	w.agentd(t, 0, "doctor")
	before := w.must(t, "rev-parse", "main~1:agentd/specs/legacy.md")
	w.agentd(t, 0, "unarchive", "no-fax")
	if after := w.must(t, "rev-parse", "main:agentd/specs/legacy.md"); after != before {
		t.Errorf("the spec was %s, and is %s", before, after)
	}
	if said := w.agentd(t, 0, "why", "legacy#R1"); !strings.Contains(said, "by taking change no-fax back") {
		t.Errorf("why said:\n%s", said)
	}
	w.agentd(t, 0, "check", first+"..main")
	w.agentd(t, 0, "doctor")
}
