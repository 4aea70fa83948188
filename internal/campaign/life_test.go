//go:build linux

package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clones are two people's clones of one remote, each in a world of its own.
type clones struct {
	dir    string
	people [2]*world
}

func (c *clones) origin() string { return filepath.Join(c.dir, "origin.git") }

// life is the place with complete changes from which every order begins.
type life struct {
	once sync.Once
	*clones
	took time.Duration
	err  error
}

var parallel life

const lifeConfig = `project_name = "life"

[review]
commands = ["` + lifeCheck + `"]
scan = "off"
`

// begun makes the place, once.
func (l *life) begun(t *testing.T) *clones {
	t.Helper()
	program, dir := shared.real(t), shared.folder(t)
	l.once.Do(func() {
		began := time.Now()
		l.clones = &clones{dir: filepath.Join(dir, "life")}
		l.err = l.begin(t, program)
		l.took = time.Since(began)
	})
	if l.err != nil {
		t.Fatal(l.err)
	}
	return l.clones
}

func (l *life) begin(t *testing.T, program string) error {
	first, second := &world{dir: filepath.Join(l.dir, "ada")}, &world{dir: filepath.Join(l.dir, "bob")}
	l.people = [2]*world{first, second}
	steps := []func() error{
		first.surroundings, second.surroundings,
		func() error { return first.write("agentd/config.toml", lifeConfig) },
		first.git_("init", "--quiet", "--initial-branch=main"),
		first.git_("add", "--all"), first.git_("commit", "--quiet", "--message", "Begin the project"),
		first.git_("clone", "--quiet", "--bare", first.repo(), l.origin()), first.git_("remote", "add", "origin", l.origin()),
	}
	for _, w := range beginnings() {
		steps = append(steps, func() error { return w.complete(t.Context(), first.repo(), first.environ()) },
			func() error { return first.program(program, 0, "archive", w.id) })
	}
	steps = append(steps, first.git_("push", "--quiet", "origin", "main"), second.git_("clone", "--quiet", l.origin(), "."))
	for i, w := range wanted() {
		if whose := l.people[i*2/len(wanted())]; !w.late() {
			if w.on != "" {
				steps = append(steps, whose.git_("fetch", "--quiet", "origin"), whose.git_("branch", "--quiet", "agentd/"+w.on, "origin/agentd/"+w.on))
			}
			steps = append(steps, func() error { return w.complete(t.Context(), whose.repo(), whose.environ()) },
				whose.git_("push", "--quiet", "origin", "agentd/"+w.id))
		}
	}
	steps = append(steps, first.git_("fetch", "--quiet", "origin"), second.git_("fetch", "--quiet", "origin"))
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// git_ is a command of git for later.
func (w *world) git_(args ...string) func() error {
	return func() error {
		_, err := w.do(args...)
		return err
	}
}

// program runs the product, and demands how it ends.
func (w *world) program(program string, want int, args ...string) error {
	if code, said := w.run(program, args); code != want {
		return fmt.Errorf("%s in %s ended with %d, not %d:\n%s", strings.Join(args, " "), filepath.Base(w.dir), code, want, said)
	}
	return nil
}

// late says that a change is planned while others are being archived already. Those that add a requirement are not:
// where it goes depends on what the plan saw.
func (w wish) late() bool {
	return slices.Contains([]string{"c08-tongues", "c11-cents", "c19-tidy"}, w.id)
}

func (c *clones) copyTo(t *testing.T, dir string) *clones {
	t.Helper()
	next := &clones{dir: dir, people: [2]*world{{dir: filepath.Join(dir, "ada")}, {dir: filepath.Join(dir, "bob")}}}
	if out, err := exec.Command("cp", "-a", c.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	for _, w := range next.people {
		w.must(t, "remote", "set-url", "origin", next.origin())
	}
	return next
}

// TestParallelLife plans and archives changes in random orders by two clones: the specs are the same in the end,
// whatever the order, and what a person has to decide is forecast before the first of two changes is archived.
func TestParallelLife(t *testing.T) {
	begun := parallel.begun(t)
	t.Logf("%d changes were made in %s", len(wanted()), parallel.took.Round(time.Millisecond))
	start := seed(t)
	orders := 2
	if full() {
		orders = 3
	}
	var mu sync.Mutex
	ends := map[string]map[string]string{}
	began := time.Now()
	t.Run("orders", func(t *testing.T) {
		for n := range orders {
			name := fmt.Sprintf("%d-%d", start, n)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o := &order{
					clones: begun.copyTo(t, shared.place(t)), random: rand.New(rand.NewPCG(start, uint64(n))), program: shared.real(t),
					archived: map[string]bool{}, forecast: map[string]bool{},
				}
				end := o.play(t)
				mu.Lock()
				defer mu.Unlock()
				ends[name] = end
			})
		}
	})
	t.Logf("%d orders took %s", orders, time.Since(began).Round(time.Millisecond))
	names := slices.Sorted(maps.Keys(ends))
	for _, name := range names {
		if diff := cmp.Diff(ends[names[0]], ends[name]); diff != "" {
			t.Errorf("other specs than in order %s (-%[1]s +%s):\n%s", names[0], name, diff)
		}
	}
}

// order is one order of planning and archiving.
type order struct {
	*clones
	random   *rand.Rand
	program  string
	said     []string // what was done, for who has to find out
	archived map[string]bool
	forecast map[string]bool // pairs that are to conflict
}

func (o *order) person() *world { return o.people[o.random.IntN(2)] }

// play archives all of them, and returns the specs of the end.
func (o *order) play(t *testing.T) map[string]string {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("what was done:\n%s", strings.Join(o.said, "\n"))
		}
	}()
	open := map[string]bool{}
	for _, w := range wanted() {
		open[w.id] = !w.late()
	}
	o.look(t)
	rest := wanted()
	for len(rest) > 0 {
		i := o.random.IntN(len(rest))
		w := rest[i]
		if !open[w.id] {
			o.plan(t, w)
			open[w.id] = true
			o.look(t)
			continue
		}
		if w.on != "" && !o.archived[w.on] {
			o.tooEarly(t, w)
			continue
		}
		o.archive(t, w)
		if t.Failed() {
			return nil
		}
		o.archived[w.id] = true
		rest = slices.Delete(rest, i, i+1)
	}
	return o.end(t)
}

func (o *order) note(w *world, words ...string) {
	o.said = append(o.said, filepath.Base(w.dir)+": "+strings.Join(words, " "))
}

// do runs the program for a person.
func (o *order) do(t *testing.T, w *world, want int, args ...string) string {
	t.Helper()
	o.note(w, args...)
	code, said := w.run(o.program, args)
	if code != want {
		t.Fatalf("%s ended with %d, not %d:\n%s", strings.Join(args, " "), code, want, said)
	}
	return said
}

// plan makes one of the late changes, on main as the remote has it by now.
func (o *order) plan(t *testing.T, want wish) {
	t.Helper()
	w := o.person()
	o.note(w, "plan", want.id)
	w.must(t, "pull", "--quiet", "--ff-only", "origin", "main")
	if err := want.complete(t.Context(), w.repo(), w.environ()); err != nil {
		t.Fatal(err)
	}
	w.must(t, "push", "--quiet", "origin", "agentd/"+want.id)
	for _, w := range o.people {
		w.must(t, "fetch", "--quiet", "origin")
	}
}

// look asks for the forecast, and keeps it.
func (o *order) look(t *testing.T) {
	t.Helper()
	w := o.person()
	w.must(t, "fetch", "--quiet", "origin")
	for _, pair := range o.conflicts(t, w).Pairs {
		if len(pair.Conflicts) > 0 {
			o.forecast[pair.Changes[0]+" "+pair.Changes[1]] = true
		}
	}
}

// outlook is what conflicts says.
type outlook struct {
	Changes []struct {
		Change    string
		Conflicts []any
	}
	Pairs []struct {
		Changes   [2]string
		Conflicts []any
	}
}

func (o *order) conflicts(t *testing.T, w *world) (all outlook) {
	t.Helper()
	said := o.do(t, w, 0, "conflicts", "--json", "changes,pairs")
	if at := strings.IndexByte(said, '{'); at < 0 || json.Unmarshal([]byte(said[at:]), &all) != nil {
		t.Fatalf("conflicts said:\n%s", said)
	}
	return all
}

// rival is the archived change that a change is forecast to collide with, "" where there is none.
func (o *order) rival(id string) string {
	for pair := range o.forecast {
		if a, b, _ := strings.Cut(pair, " "); a == id && o.archived[b] {
			return b
		} else if b == id && o.archived[a] {
			return a
		}
	}
	return ""
}

// tooEarly tries to archive a change before the one that it stands on.
func (o *order) tooEarly(t *testing.T, want wish) {
	t.Helper()
	w := o.person()
	o.branch(t, w, want.id)
	o.branch(t, w, want.on)
	if said := o.do(t, w, 11, "archive", want.id); !strings.Contains(said, "stands on "+want.on+", which is not archived yet") {
		t.Fatalf("archive said:\n%s", said)
	}
}

// branch makes the branch of a change that was fetched.
func (o *order) branch(t *testing.T, w *world, id string) {
	t.Helper()
	if _, err := w.do("rev-parse", "--verify", "--quiet", "refs/heads/agentd/"+id); err != nil {
		w.must(t, "branch", "--quiet", "agentd/"+id, "origin/agentd/"+id)
	}
}

// archive has one person archive a change, by whatever way they are used to. Where it collides, they take the side of the change
// whose name comes first: a decision that does not depend on who was first.
func (o *order) archive(t *testing.T, want wish) {
	t.Helper()
	w := o.person()
	w.must(t, "fetch", "--quiet", "origin")
	o.branch(t, w, want.id)
	args := []string{"archive", want.id, "--push"}
	here := o.random.IntN(2) == 0
	if here {
		args = args[:2]
		w.must(t, "merge", "--quiet", "--ff-only", "origin/main")
	}
	if rival := o.rival(want.id); rival != "" {
		said := o.do(t, w, 11, args...)
		if !strings.Contains(said, "conflict: "+want.spec+"#") {
			t.Fatalf("archive said:\n%s", said)
		}
		specs := filepath.Join(w.dir, "repo-agentd", want.id+".archive", "agentd", "specs")
		if err := resolve(filepath.Join(specs, want.spec+".md"), want.id < rival); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--continue")
	}
	o.do(t, w, 0, args...)
	if here {
		w.must(t, "push", "--quiet", "origin", "main")
	}
}

// end brings both clones together, and has what came out judged.
func (o *order) end(t *testing.T) map[string]string {
	t.Helper()
	for _, w := range o.people {
		w.must(t, "pull", "--quiet", "--ff-only", "origin", "main")
	}
	w := o.person()
	first := w.must(t, "rev-list", "--max-parents=0", "main")
	o.do(t, w, 0, "check", first+"..main")
	if said := o.do(t, w, 0, "doctor"); strings.Contains(said, "error") {
		t.Errorf("doctor said:\n%s", said)
	}
	if trees := w.must(t, "worktree", "list", "--porcelain"); strings.Count(trees, "worktree ") != 1 {
		t.Errorf("worktrees are left:\n%s", trees)
	}
	specs := map[string]string{}
	for name := range strings.Lines(w.must(t, "ls-tree", "-r", "--name-only", "main", "agentd/specs/")) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(filepath.Join(w.repo(), name))
		if err != nil {
			t.Fatal(err)
		}
		specs[name] = stamps.ReplaceAllString(string(text), "")
	}
	return specs
}

// stamps are the times that archiving sets.
var stamps = regexp.MustCompile(`(?m)^(created|updated|archived)_at: .*\n`)
