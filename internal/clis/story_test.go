//go:build linux

package clis

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/templates"
)

// The steps of the demo's story, as its commits tell it.
var (
	planned = []string{
		"clarify", "proposal-gen", "proposal-review",
		"spec-gen-token-bucket", "spec-review-token-bucket",
		"spec-gen-owner-limiter", "spec-review-owner-limiter", "spec-review-owner-limiter",
		"spec-gen-limited-shortening", "spec-review-limited-shortening",
		"tasks-gen", "tasks-review",
		"challenge NEEDS_REVISION", "reproposal", "challenge APPROVED",
	}
	implemented = []string{
		"implement", "implement", "implement", "implement", "implement", "implement",
		"review NEEDS_CHANGES", "resolve", "review APPROVED",
	}
)

// A whole change: gemini proposes and codex challenges, with a round of revision;
// then claude implements and codex reviews, with a round of repair.
func TestStory_eachInItsRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Play(demo(t)), roles{})
	w.agentd(0, "clarify", change, templates.DemoDescription, "--json-file", w.answers())

	tape := filepath.Join(w.dir, "tape.yaml")
	w.agentd(0, "plan", change, templates.DemoDescription, "--record", tape)
	if diff := cmp.Diff(planned, w.steps()); diff != "" {
		t.Errorf("steps of the plan (-want +got):\n%s", diff)
	}
	if got := w.phase(); got != "challenged" {
		t.Errorf("phase after plan: %s", got)
	}
	w.accounts()
	w.report()
	w.staysInBudget()

	w.agentd(0, "impl", change, "--record", tape)
	if diff := cmp.Diff(slices.Concat(planned, implemented), w.steps()); diff != "" {
		t.Errorf("steps of all (-want +got):\n%s", diff)
	}
	if got := w.phase(); got != "complete" {
		t.Errorf("phase after impl: %s", got)
	}
	w.accounts()
	w.agentd(0, "doctor", change)
	w.secretsStaySecret()
	w.playsBack(tape)
}

// The challenger goes on in its own session, and so does the proposer: what they tell as used is of this call alone.
func TestStory_sessionsGoOn(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, modeltest.Play(greeting(t, "plan", "challenge-revises")), everyone(vendor), "[workflow]\nsession_reuse = true")
			o := w.agentd(0, "plan", change, "Greet", "--skip-clarify")
			if got, want := w.steps()[6:], []string{"challenge NEEDS_REVISION", "reproposal", "challenge APPROVED"}; !slices.Equal(got, want) {
				t.Errorf("the last steps are %q, want %q", got, want)
			}
			if strings.Contains(o.err, "is gone") {
				t.Errorf("a session was not found again:\n%s", o.err)
			}
			if one, two := w.sessionsOf("challenge"), w.sessionsOf("reproposal"); len(one) != 1 || len(two) != 1 {
				t.Errorf("two challenges in the sessions %q, the reproposal in %q", one, two)
			}
			w.accounts()
		})
	}
}

// sessionsOf are the ids of the kept sessions that the logs of a step's calls name, each once.
func (w *world) sessionsOf(step string) []string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.repo(), ".git", "agentd", "sessions", change+".json"))
	if err != nil {
		w.t.Fatal(err)
	}
	var kept map[string]struct{ ID string }
	if err := json.Unmarshal(data, &kept); err != nil {
		w.t.Fatal(err)
	}
	runs, _ := filepath.Glob(filepath.Join(w.dir, "cache", "gh-agentd", "runs", "*"))
	named := map[string]int{}
	calls := 0
	for _, run := range runs {
		about, err := os.ReadFile(filepath.Join(run, "run.json"))
		if err != nil || !strings.Contains(string(about), `"step": "`+step+`"`) {
			continue
		}
		log, err := os.ReadFile(filepath.Join(run, "agent.log"))
		if err != nil {
			w.t.Fatal(err)
		}
		calls++
		for _, session := range kept {
			if strings.Contains(string(log), session.ID) {
				named[session.ID]++
			}
		}
	}
	for id, times := range named {
		if times != calls {
			w.t.Errorf("%d of the %d calls of %s were in session %s", times, calls, step, id)
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// playsBack begins the same change anew and lets the recording of the CLIs play all roles: no model is asked,
// and the steps, the code and the documents, but for their times, are the same.
func (w *world) playsBack(tape string) {
	w.t.Helper()
	branch := "agentd/" + change
	before, code, asked := w.steps(), w.made(branch), len(w.server.Exchanges())
	w.git("worktree", "remove", "--force", filepath.Join(w.dir, "repo-agentd", change))
	w.git("branch", "--quiet", "-D", branch)
	put(w.t, filepath.Join(w.repo(), "agentd", "config.toml"), `project_name = "demo"

[roles]
proposer = "tape"
challenger = "tape"
implementer = "tape"
reviewer = "tape"

[agents.tape]
cassette = "`+tape+`"

[review]
commands = ["git diff --check main HEAD"]
scan = "off"
`)
	w.git("commit", "--quiet", "--all", "--message", "Play the recording")
	w.agentd(0, "clarify", change, templates.DemoDescription, "--json-file", w.answers())
	w.agentd(0, "plan", change, templates.DemoDescription)
	w.agentd(0, "impl", change)
	if diff := cmp.Diff(before, w.steps()); diff != "" {
		w.t.Errorf("steps of the recording (-recorded +played):\n%s", diff)
	}
	if diff := cmp.Diff(code, w.made(branch)); diff != "" {
		w.t.Errorf("what the recording makes (-recorded +played):\n%s", diff)
	}
	if now := len(w.server.Exchanges()); now != asked {
		w.t.Errorf("the recording asked models %d times", now-asked)
	}
}

// made is what a change made: its code by mode, blob and path, and its documents without times, authors and the settings.
func (w *world) made(branch string) string {
	w.t.Helper()
	var code []string
	for line := range strings.Lines(w.git("ls-tree", "-r", branch)) {
		if !strings.Contains(line, "\tagentd/") {
			code = append(code, line)
		}
	}
	documents := ""
	for _, name := range strings.Fields(w.git("ls-tree", "-r", "--name-only", branch, "--", "agentd/changes/"+change)) {
		if base := filepath.Base(name); base == "STATE.yaml" || base == "CHALLENGE.md" || base == "REVIEW.md" {
			continue // they name who said it, and when
		}
		documents += w.git("show", branch+":"+name) + "\n"
	}
	return strings.Join(code, "") + regexp.MustCompile(`(?m)^(created_at|updated_at|date|author):.*$`).ReplaceAllString(documents, "")
}

// A small change in which one CLI plays all four roles, in the home and the project of a person who has files of their own there.
func TestStory_oneCLIAlone(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, modeltest.Play(greeting(t, "plan", "challenge-approves", "implement", "review-approves")), everyone(vendor))
			before := w.personal()
			w.agentd(0, "plan", change, "Greet", "--skip-clarify")
			w.agentd(0, "impl", change)
			want := []string{
				"proposal-gen", "proposal-review", "spec-gen-greeting", "spec-review-greeting", "tasks-gen", "tasks-review",
				"challenge APPROVED", "implement", "review APPROVED",
			}
			if diff := cmp.Diff(want, w.steps()); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if got := w.git("show", "agentd/"+change+":greeting.txt"); got != "hello" {
				t.Errorf("the code is %q", got)
			}
			w.accounts()
			w.secretsStaySecret()
			w.leftAlone(before)
		})
	}
}
