//go:build linux

package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// accident is one way to die during one command of the story.
type accident struct {
	chapter string
	how     string  // "point", "prepared", "committed", "time"
	point   string  // how = point
	n       int     // the how many-th point or transaction
	at      float64 // how = time: share of the time that the golden run took
	whom    string  // self, group, git, all
	hasty   bool    // the command is typed again at once, while orphans may still be at work
	look    bool    // the repository is examined between accident and repetition
}

func (a accident) String() string {
	switch a.how {
	case "point":
		return fmt.Sprintf("%s/%s-%d-%s", a.chapter, a.point, a.n, a.whom)
	case "time":
		return fmt.Sprintf("%s/at-%.3f-%s", a.chapter, a.at, a.whom)
	}
	return fmt.Sprintf("%s/ref-%s-%d-%s", a.chapter, a.how, a.n, a.whom)
}

// seed is printed with every run, and repeats it.
func seed(t testing.TB) uint64 {
	t.Helper()
	s := uint64(time.Now().UnixNano()) % 1_000_000
	if text := os.Getenv("AGENTD_CAMPAIGN_SEED"); text != "" {
		var err error
		if s, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("AGENTD_CAMPAIGN_SEED: %v", err)
		}
	}
	t.Logf("AGENTD_CAMPAIGN_SEED=%d", s)
	return s
}

func full() bool { return os.Getenv("AGENTD_CAMPAIGN") == "full" }

// accidents are all places of ours and all transactions of git's, and random instants.
func accidents(s *story, random *rand.Rand) []accident {
	var all []accident
	for _, c := range s.chapters {
		passed := map[string]int{}
		for i, point := range c.points {
			passed[point]++
			all = append(all, accident{chapter: c.name, how: "point", point: point, n: passed[point], whom: []string{"self", "group"}[i%2]})
		}
		for n := range c.refs {
			// Each transaction once, the first ones in both states: those make the branch and its worktree.
			if n < 4 || n%2 == 0 {
				all = append(all, accident{chapter: c.name, how: "prepared", n: n + 1, whom: []string{"group", "git"}[n/2%2]})
			}
			if n < 4 || n%2 == 1 {
				all = append(all, accident{chapter: c.name, how: "committed", n: n + 1, whom: []string{"self", "group", "git"}[n%3]})
			}
		}
	}
	for _, c := range s.chapters {
		for i := range map[string]int{"clarify": 8, "plan": 24, "plan-new": 24, "impl": 32, "archive": 40,
			"merge": 2, "conflict": 4, "continue": 6, "moved": 8, "abort": 6, "unarchive": 4}[c.name] {
			all = append(all, accident{chapter: c.name, how: "time", at: random.Float64(), whom: []string{"self", "group", "git", "all"}[i%4]})
		}
	}
	slices.SortFunc(all, func(a, b accident) int { return strings.Compare(a.String(), b.String()) })
	for i := range all {
		all[i].hasty, all[i].look = random.IntN(2) == 0, random.IntN(3) == 0
	}
	return all
}

// sample is a handful of each kind, the cheap ones before the dear ones.
func sample(all []accident, random *rand.Rand) []accident {
	kinds := map[string][]accident{}
	for _, a := range all {
		if a.chapter == "clarify" || a.chapter == "archive" {
			kinds[a.chapter+a.how] = append(kinds[a.chapter+a.how], a)
		} else if a.how == "time" || a.how == "committed" {
			kinds[a.chapter] = append(kinds[a.chapter], a)
		}
	}
	var few []accident
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		few = append(few, kinds[kind][random.IntN(len(kinds[kind]))])
	}
	return few
}

// TestKill lets the program die and be started again, RP-22: whatever the instant, the story ends as if nothing had been.
// It covers the stale locks of the dead, RP-21, and the archive that was half done, RP-19.
func TestKill_RP19_RP21_RP22(t *testing.T) {
	s := shared.goldenStory(t)
	start := seed(t)
	random := rand.New(rand.NewPCG(start, 0))
	all := accidents(s, random)
	if !full() {
		all = sample(all, random)
	}
	var hit, missed, locked atomic.Int64
	began := time.Now()
	t.Run("RP-22", func(t *testing.T) {
		for _, a := range all {
			t.Run(a.String(), func(t *testing.T) {
				t.Parallel()
				struck, waits := a.happen(t, s.chapter(a.chapter))
				if struck {
					hit.Add(1)
				} else {
					missed.Add(1)
				}
				locked.Add(int64(waits))
			})
		}
	})
	t.Logf("%d accidents, %d came too late, %d times the lock of an orphan was waited for, %s",
		hit.Load(), missed.Load(), locked.Load(), time.Since(began).Round(time.Second))
	if full() && hit.Load() < 200 {
		t.Errorf("only %d accidents: the campaign is meant to have 200", hit.Load())
	}
}

// happen plays the chapter with the accident in it, and says whether it struck before the end.
func (a accident) happen(t *testing.T, c *chapter) (struck bool, waits int) {
	w, err := c.before.copyTo(shared.place(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() { // the report of parallel tests comes only when all are over
			fmt.Fprintln(os.Stderr, "failed:", t.Name())
		}
	}()
	code, said := a.strike(t, w, c)
	if !a.hasty {
		if err := w.gone(5 * time.Second); err != nil {
			t.Errorf("after the accident: %v", err)
		}
	}
	if err := w.touched(); err != nil {
		t.Errorf("after the accident: %v", err)
	}
	if a.look {
		w.between(t)
	}
	if code == c.code && a.whom != "git" {
		t.Logf("came too late")
	}
	program := shared.real(t)
	for try := 0; ; try++ {
		again, text := w.run(program, c.args)
		if again == c.code || c.over != "" && again == 11 && strings.Contains(text, c.over) {
			break
		}
		if strings.Contains(text, "is locked by") && try < 20 {
			waits++
			time.Sleep(200 * time.Millisecond)
			continue
		}
		t.Fatalf("the same command again ended with %d:\n%s\n--- before that, the accident (exit %d):\n%s", again, text, code, said)
	}
	w.like(t, c)
	return code != c.code, waits
}

// strike runs the command until the accident.
func (a accident) strike(t *testing.T, w *world, c *chapter) (int, string) {
	t.Helper()
	program := shared.real(t)
	var env []string
	switch a.how {
	case "point":
		program, _ = shared.withHook(t)
		env = append(env, fmt.Sprintf("%s=%s:%d:%s", pointVariable, a.point, a.n, a.whom))
	case "prepared", "committed":
		if err := w.killAtRef(a.how, a.n, a.whom); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := w.noHook(); err != nil {
				t.Error(err)
			}
		}()
	}
	p, err := w.start(program, w.repo(), c.args, env...)
	if err != nil {
		t.Fatal(err)
	}
	pid := []byte(strconv.Itoa(p.Process.Pid) + "\n")
	if err := os.WriteFile(filepath.Join(w.cache(), "victim.pid"), pid, 0o666); err != nil {
		t.Fatal(err)
	}
	if a.how == "time" {
		select {
		case <-p.done:
		case <-time.After(time.Duration(a.at * float64(c.took))):
			w.kill(p, a.whom)
		}
	}
	return p.end(patience)
}

// kill is SIGKILL: for the program alone, its group, everything in the world as when the power fails, or one git of ours.
// The project's check is a git too, but how a check ends is a fact that the record rightly tells.
func (w *world) kill(p *process, whom string) {
	switch whom {
	case "self":
		_ = syscall.Kill(p.Process.Pid, syscall.SIGKILL)
	case "group":
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	case "all":
		// The program first: it must not see its children die.
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		for pid := range w.living() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	case "git":
		for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
			for pid, line := range w.living() {
				if strings.HasPrefix(filepath.Base(strings.Fields(line)[0]), "git") && !strings.Contains(line, programName) && !strings.Contains(line, strings.TrimPrefix(check, "git ")) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					return
				}
			}
		}
	}
}

// between examines the repository right after an accident: git can read all of it, and the history is legal so far.
func (w *world) between(t *testing.T) {
	t.Helper()
	if out, err := w.do("fsck", "--full", "--strict", "--no-dangling"); err != nil {
		t.Errorf("after the accident: %v\n%s", err, out)
	}
	if _, err := w.do("rev-parse", "--verify", "--quiet", "refs/heads/agentd/"+w.id); err == nil {
		w.legal(t)
	}
}

// legal asks doctor to replay the change.
func (w *world) legal(t *testing.T) {
	t.Helper()
	p, err := w.start(shared.real(t), w.repo(), []string{"doctor", w.id, "--json", "checked,transitions,findings"})
	if err != nil {
		t.Fatal(err)
	}
	code, said := p.end(patience)
	var result struct {
		Checked, Transitions int
		Findings             []map[string]any
	}
	if at := strings.IndexByte(said, '{'); at < 0 || json.Unmarshal([]byte(said[at:]), &result) != nil {
		t.Fatalf("doctor ended with %d:\n%s", code, said)
	}
	if code != 0 || result.Checked == 0 || result.Transitions == 0 || len(result.Findings) > 0 {
		t.Errorf("doctor ended with %d:\n%s", code, said)
	}
}

// like compares the world with the golden run.
func (w *world) like(t *testing.T, c *chapter) {
	t.Helper()
	if err := w.gone(5 * time.Second); err != nil {
		t.Errorf("at the end: %v", err)
	}
	if err := w.sound(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	have, err := w.observe()
	if err != nil {
		t.Fatalf("at the end: %v", err)
	}
	if diff := cmp.Diff(c.after, have); diff != "" {
		t.Errorf("not as in a run without accident (-golden +this):\n%s", diff)
	}
	if len(have.Steps) > 0 {
		w.legal(t)
	}
	if c.judged {
		first := w.must(t, "rev-list", "--max-parents=0", "main")
		if err := w.program(shared.real(t), 0, "check", first+"..main"); err != nil {
			t.Error(err)
		}
	}
}
