//go:build linux

package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person commits on the branch while an agent judges. The verdict was about one tree, and counts for no other.

// commitHere lets the person write a file in the change's worktree and commit it.
func (w *world) commitHere(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(w.tree(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	w.mustIn(t, w.tree(), "add", "--", name)
	w.mustIn(t, w.tree(), "commit", "--quiet", "--message", "By hand: "+name)
	return w.tip()
}

// pausedVerdict runs plan until the approving challenge is about to be recorded, lets the person commit, and goes on.
func pausedVerdict(t *testing.T, name string, change func(old string) string) (w *world, tip string, code int, said string) {
	t.Helper()
	w, story := from(t, "plan")
	last := 0
	for _, point := range story.points {
		if point == "before-ref" {
			last++
		}
	}
	flag := filepath.Join(w.cache(), "wait")
	if err := os.WriteFile(flag, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	program, _ := shared.withHook(t)
	p := w.begin(t, program, story.args, "waiting at", pointVariable+"="+pointOf(last))
	old, err := os.ReadFile(filepath.Join(w.tree(), filepath.FromSlash(name)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	tip = w.commitHere(t, name, change(string(old)))
	if err := os.Remove(flag); err != nil {
		t.Fatal(err)
	}
	code, said = p.end(patience)
	return w, tip, code, said
}

func pointOf(n int) string { return "before-ref:" + itoa(n) + ":wait" }

// TestMovedTip_code_DC19: code that is committed meanwhile does not change the plan: the verdict goes on top of it.
func TestMovedTip_code_DC19(t *testing.T) {
	t.Parallel()
	w, tip, code, said := pausedVerdict(t, "hand.go", func(string) string { return "package shortlink\n" })
	if code != 0 {
		t.Errorf("ended with %d:\n%s", code, said)
	}
	if parent := w.must(t, "rev-parse", w.branch()+"^"); parent != tip {
		t.Errorf("the verdict stands on %s, the person's commit is %s", parent, tip)
	}
	have, err := w.observe()
	if err != nil {
		t.Fatal(err)
	}
	if last := have.Steps[len(have.Steps)-1]; !strings.HasPrefix(last, "challenge: proposed -> challenged") {
		t.Errorf("the last step is %s", last)
	}
	if have.Branch["hand.go"] == "" {
		t.Error("the person's file is gone from the branch")
	}
	if status := w.mustIn(t, w.tree(), "status", "--porcelain"); status != "" {
		t.Errorf("the worktree is not as the branch:\n%s", status)
	}
	w.legal(t)
}

// TestMovedTip_plan_DC19: a plan that is edited meanwhile was not judged: the verdict is refused, and the plan challenged again.
func TestMovedTip_plan_DC19(t *testing.T) {
	t.Parallel()
	w, tip, code, said := pausedVerdict(t, "agentd/changes/add-rate-limit/proposal.md", func(old string) string {
		return strings.Replace(old, "## Why", "## Why\n\nA person added this line.", 1)
	})
	if code != 11 || w.tip() != tip {
		t.Errorf("ended with %d, the branch at %s, the person's commit is %s:\n%s", code, w.tip(), tip, said)
	}
	if err := w.sound(); err != nil {
		t.Error(err)
	}
	// The cassette knows round 2, and approves the plan that is there now.
	if code, said := w.run(shared.real(t), []string{"plan", w.id}); code != 0 {
		t.Errorf("the same command again ended with %d:\n%s", code, said)
	}
	if parent := w.must(t, "rev-parse", w.branch()+"^"); parent != tip {
		t.Errorf("the verdict stands on %s, the person's commit is %s", parent, tip)
	}
	w.legal(t)
}

// TestMovedTip_judgeAtWork_DC19: the same while the second agent is at work, who writes nothing: the verdict counts.
func TestMovedTip_judgeAtWork_DC19(t *testing.T) {
	dear(t)
	w, story := from(t, "impl")
	undo := w.slow(t, "review", "3s")
	p := w.begin(t, shared.real(t), story.args, "is reviewing add-rate-limit (round 1)")
	w.player(t, " replay ")
	before := w.tip()
	tip := w.commitHere(t, "agentd/changes/add-rate-limit/LETTER.md", "Not part of the plan, nor of the code.\n")
	code, said := p.end(patience)
	undo()
	if code != 0 {
		t.Errorf("ended with %d:\n%s", code, said)
	}
	log := w.must(t, "log", "--first-parent", "--format=%H", before+".."+w.branch())
	commits := strings.Fields(log)
	if len(commits) == 0 || commits[len(commits)-1] != tip {
		t.Errorf("the person's commit %s is not the first after %s:\n%s", tip, before, log)
	}
	have, err := w.observe()
	if err != nil {
		t.Fatal(err)
	}
	if last := have.Steps[len(have.Steps)-1]; !strings.Contains(last, "-> complete") {
		t.Errorf("the last step is %s", last)
	}
	w.legal(t)
}

// TestMovedTip_agentAtWork_DC19: while an agent writes code, a commit may be the agent's own. It is refused as that,
// nothing is recorded, and the same command goes on once the person has said whose the files are.
func TestMovedTip_agentAtWork_DC19(t *testing.T) {
	dear(t)
	w, story := from(t, "impl")
	undo := w.slow(t, "implement", "2s")
	p := w.begin(t, shared.real(t), story.args, "is implementing task 1.1")
	w.player(t, " replay ")
	tip := w.commitHere(t, "hand.go", "package shortlink\n")
	code, said := p.end(patience)
	undo()
	if code == 0 || w.tip() != tip {
		t.Errorf("ended with %d, the branch at %s, the person's commit is %s:\n%s", code, w.tip(), tip, said)
	}
	// The files that the agent wrote could be the person's now. The refusal says so, and what to do.
	if code, said := w.run(shared.real(t), story.args); code != 11 || !strings.Contains(said, "commit or stash them") {
		t.Fatalf("the same command again ended with %d:\n%s", code, said)
	}
	w.mustIn(t, w.tree(), "stash", "--include-untracked", "--quiet")
	if code, said := w.run(shared.real(t), story.args); code != 0 {
		t.Fatalf("the same command after the stash ended with %d:\n%s", code, said)
	}
	have, err := w.observe()
	if err != nil {
		t.Fatal(err)
	}
	if last := have.Steps[len(have.Steps)-1]; !strings.Contains(last, "-> complete") || have.Branch["hand.go"] == "" {
		t.Errorf("the last step is %s, the person's file %q", last, have.Branch["hand.go"])
	}
	w.legal(t)
}

// TestState_editedByHand_DC19: STATE.yaml that a person edits during a run is told of, and never believed.
func TestState_editedByHand_DC19(t *testing.T) {
	dear(t)
	w, story := from(t, "impl")
	undo := w.slow(t, "implement", "2s")
	p := w.begin(t, shared.real(t), story.args, "is implementing task 1.1")
	w.player(t, " replay ")
	path := filepath.Join(w.tree(), "agentd/changes/add-rate-limit/STATE.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tip := w.tip()
	const byHand = "# edited by hand"
	edited := strings.Replace(string(text), "phase: challenged", "phase: complete", 1)
	if edited == string(text) {
		t.Fatal("STATE.yaml does not say challenged")
	}
	if err := os.WriteFile(path, []byte(edited+byHand+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, said := p.end(patience)
	undo()
	if !strings.Contains(said, "STATE.yaml") {
		t.Errorf("ended with %d and said nothing of STATE.yaml:\n%s", code, said)
	}
	for _, line := range strings.Split(w.must(t, "log", "--format=%H", tip+".."+w.branch()), "\n") {
		state := w.must(t, "show", strings.TrimSpace(line)+":agentd/changes/add-rate-limit/STATE.yaml")
		if strings.Contains(state, byHand) {
			t.Errorf("the edit is in commit %s", line)
		}
	}
	w.legal(t)
}
