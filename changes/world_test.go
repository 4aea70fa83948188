package changes_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// sample is what main holds when a test begins.
const sample = `
-- README.md --
hello
-- src/main.txt --
one
`

// world is a real repository and the store of its changes.
type world struct {
	*gitopstest.Repo
	t     *testing.T
	store *changes.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, gitopstest.New(t, sample))
}

func worldOf(t *testing.T, repo *gitopstest.Repo) *world {
	t.Helper()
	return &world{Repo: repo, t: t, store: &changes.Store{Repo: repo.Open(), Now: noon}}
}

// noon is the one moment at which everything happens: nothing may depend on the clock.
func noon() time.Time { return time.Date(2026, 1, 19, 12, 0, 0, 0, time.UTC) }

func id(t testing.TB, name string) phases.ChangeID {
	t.Helper()
	change, err := phases.ParseChangeID(name)
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// lock is the store that may write the change, until the test ends.
func (w *world) lock(name string) *changes.Store {
	w.t.Helper()
	locked, unlock, err := w.store.Lock(w.t.Context(), id(w.t, name), "test")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(unlock)
	return locked
}

// beginning is a first commit with a proposal, from main as it is now.
func (w *world) beginning(name string) changes.Beginning {
	w.t.Helper()
	return changes.Beginning{
		ID:      id(w.t, name),
		Base:    phases.Base{Branch: "main", Commit: string(w.Rev("main"))},
		Profile: phases.ProfileSpec,
		Record: changes.Record{
			Subject: "proposal", Body: "Why it is wanted.",
			Transition: phases.Transition{Step: phases.StepProposalGen, Actor: phases.ByAgent("proposer")},
			Files:      map[string][]byte{"proposal.md": []byte("# Proposal\n")},
		},
	}
}

func (w *world) begin(store *changes.Store, name string) *changes.Change {
	w.t.Helper()
	c, err := store.Begin(w.t.Context(), w.beginning(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) append(c *changes.Change, rec changes.Record) *changes.Change {
	w.t.Helper()
	next, left, err := c.Append(w.t.Context(), rec)
	if err != nil || len(left) > 0 {
		w.t.Fatalf("%s: %v, left %v", rec.Transition.Step, err, left)
	}
	return next
}

// open reads the change anew, with the given store.
func (w *world) open(store *changes.Store, name string) *changes.Change {
	w.t.Helper()
	c, err := store.Open(w.t.Context(), id(w.t, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// The records of a change that nobody objects to.

func tasksWritten() changes.Record {
	return changes.Record{
		Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen},
		Files: map[string][]byte{"tasks.md": []byte("# Tasks\n"), "specs/greeting.md": []byte("# Greeting\n")},
	}
}

func challenged(c *changes.Change, verdict phases.Verdict) changes.Record {
	return changes.Record{
		Subject: "challenge " + string(verdict), JudgedPlan: c.State.PlanTree,
		Transition: phases.Transition{Step: phases.StepChallenge, Verdict: verdict, Actor: phases.ByAgent("challenger")},
		Files:      map[string][]byte{"CHALLENGE.md": []byte("# Challenge\n\n" + verdict + "\n")},
	}
}

func implemented() changes.Record {
	return changes.Record{
		Subject: "task 1.1", Transition: phases.Transition{Step: phases.StepImplement, Tasks: []string{"1.1"}},
		Code: []gitops.Edit{{Path: "src/greeting.txt", Content: []byte("hello\n")}},
	}
}

func reviewed(c *changes.Change, verdict phases.Verdict) changes.Record {
	return changes.Record{
		Subject: "review " + string(verdict), JudgedCode: c.State.CodeTree,
		Transition: phases.Transition{
			Step: phases.StepReview, Verdict: verdict, Actor: phases.ByAgent("reviewer"),
			Evidence: []phases.Evidence{{Exit: 0, Millis: 12, Command: "go test ./..."}},
		},
		Files: map[string][]byte{"REVIEW.md": []byte("# Review\n\n" + verdict + "\n")},
	}
}

func decided(step phases.Step) changes.Record {
	return changes.Record{
		Subject:    string(step),
		Transition: phases.Transition{Step: step, Actor: phases.Human, Decision: step.Decision()},
	}
}

// at brings a new change to a phase by the shortest way.
func (w *world) at(store *changes.Store, name string, phase phases.Phase) *changes.Change {
	w.t.Helper()
	c := w.append(w.begin(store, name), tasksWritten())
	if phase == phases.Rejected {
		return w.append(c, challenged(c, phases.VerdictRejected))
	}
	if phase >= phases.Challenged {
		c = w.append(c, challenged(c, phases.Approved))
	}
	if phase >= phases.Implementing {
		c = w.append(c, implemented())
	}
	if phase >= phases.Complete {
		c = w.append(c, reviewed(c, phases.Approved))
	}
	if c.State.Effective != phase {
		w.t.Fatalf("%s is at %s, want %s", name, c.State.Effective, phase)
	}
	return c
}

// commits makes commits on a branch as somebody would who has it checked out elsewhere, and returns the last.
// Each has a message and the files that differ; "" removes one.
func (w *world) commits(branch string, all ...foreign) gitops.ID {
	w.t.Helper()
	var stream strings.Builder
	for i, c := range all {
		from := ""
		if i == 0 {
			from = "from refs/heads/" + branch + "^0\n"
		}
		fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Grace <grace@example.com> 1768000000 +0000\ndata %d\n%s\n%s", branch, len(c.message), c.message, from)
		for _, path := range slices.Sorted(maps.Keys(c.files)) {
			if content := c.files[path]; content == "" {
				fmt.Fprintf(&stream, "D %s\n", path)
			} else {
				mode := c.mode
				if mode == "" {
					mode = "100644"
				}
				fmt.Fprintf(&stream, "M %s inline %s\ndata %d\n%s\n", mode, path, len(content), content)
			}
		}
		stream.WriteString("\n")
	}
	w.Feed(stream.String(), "fast-import", "--quiet", "--date-format=raw")
	return w.Rev("refs/heads/" + branch)
}

// foreign is a commit that we did not make.
type foreign struct {
	message string
	files   map[string]string
	mode    string // of the files; default 100644
}

// person is a commit of somebody who writes one file.
func person(path, content string) foreign {
	return foreign{message: "By hand", files: map[string]string{path: content}}
}

// trailer is what real git reads in a commit.
func (w *world) trailer(commit gitops.ID, key string) string {
	w.t.Helper()
	return strings.TrimSpace(w.Git("log", "-1", "--format=%(trailers:key="+key+",valueonly)", string(commit)))
}

// touched are the paths in which a commit differs from its first parent.
func (w *world) touched(commit gitops.ID) []string {
	w.t.Helper()
	return strings.Fields(w.Git("diff-tree", "-r", "--name-only", "--no-commit-id", string(commit)+"^", string(commit)))
}

// document is STATE.yaml in a commit.
func (w *world) document(commit gitops.ID, name string) *specs.State {
	w.t.Helper()
	path := id(w.t, name).Dir() + "/" + specs.StateFile
	state, problems, err := specs.ParseState(path, []byte(w.Git("show", string(commit)+":"+path)+"\n"))
	if err != nil || len(problems) > 0 {
		w.t.Fatalf("%s: %v %v", path, err, problems)
	}
	return state
}

// objects counts everything that is in the repository, reachable or not.
func (w *world) objects() string { return w.Git("count-objects", "-v") }

// wantError demands a type of error, what it says, and a hint with the way out.
func wantError[T error](t testing.TB, err error, says, hint string) T {
	t.Helper()
	found, ok := errors.AsType[T](err)
	if !ok {
		t.Fatalf("got %T %v, want %T", err, err, found)
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("error %q does not say %q", err, says)
	}
	hinter, ok := any(found).(interface{ Hint() string })
	if !ok {
		t.Fatalf("%T has no hint", found)
	}
	if got := hinter.Hint(); !strings.Contains(got, hint) || got == "" {
		t.Errorf("hint %q does not say %q", got, hint)
	}
	return found
}
