package changes_test

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
)

func TestStore_Open_anUnknownIDNamesTheWayOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, setup, hint string }{
		{"nothing like it", "", `gh agentd plan add-oauth "<description>"`},
		{"a change of nearly that name", "git branch agentd/add-oauht", `did you mean "add-oauht"?`},
		{"it is on a remote", "git update-ref refs/remotes/origin/agentd/add-oauth main", "git branch agentd/add-oauth origin/agentd/add-oauth"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Sh(tt.setup)
			_, err := w.store.Open(t.Context(), id(t, "add-oauth"))
			wantError[*changes.NotFoundError](t, err, `change "add-oauth" not found`, tt.hint)
		})
	}
}

// A branch of the right name proves nothing.
func TestStore_Open_aBranchWithoutABeginningHasNoHistory(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(*world){
		"a person's branch": func(w *world) { w.commits("agentd/add-oauth", person("src/main.txt", "mine")) },
		"somebody copied a folder": func(w *world) {
			w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/STATE.yaml", "change_id: add-oauth\nphase: complete\n"))
		},
		"another change's commits": func(w *world) {
			w.begin(w.lock("add-search"), "add-search")
			w.Git("branch", "--force", "agentd/add-oauth", "agentd/add-search")
		},
		"the beginning was cut off": func(w *world) {
			w.commits("agentd/add-oauth", foreign{message: "agentd(add-oauth): go on\n\nAgentd-Change: add-oauth\nAgentd-Step: implement\nAgentd-From: challenged\nAgentd-Phase: implementing\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Git("branch", "agentd/add-oauth")
			setup(w)
			_, err := w.store.Open(t.Context(), id(t, "add-oauth"))
			wantError[*changes.NoHistoryError](t, err, `branch agentd/add-oauth has no history of change "add-oauth"`, "git branch -m agentd/add-oauth")
		})
	}
}

// ours is a commit message as we write it, from anybody.
func ours(trailers ...string) string {
	return "agentd(add-oauth): by hand\n\nAgentd-Change: add-oauth\n" + strings.Join(trailers, "\n") + "\n"
}

// Whoever writes our trailers by hand gets no further: the first illegal commit is named, whatever follows it.
func TestStore_Open_namesTheFirstIllegalCommit(t *testing.T) {
	t.Parallel()
	const state = "agentd/changes/add-oauth/STATE.yaml"
	w := newWorld(t)
	store := w.lock("add-oauth")
	tips := map[phases.Phase]gitops.ID{} // where the branch stood in each phase
	for _, a := range w.at(store, "add-oauth", phases.Complete).State.Transitions {
		tips[a.Phase] = gitops.ID(a.Commit)
	}
	for _, tt := range []struct {
		name  string
		phase phases.Phase
		forge foreign
		says  string
	}{
		{"a From that is not where it stood", phases.Proposed,
			foreign{message: ours("Agentd-Step: implement", "Agentd-From: challenged", "Agentd-Phase: implementing")},
			"says it comes from challenged, but the change stood at proposed"},
		{"a jump", phases.Proposed,
			foreign{message: ours("Agentd-Step: approve", "Agentd-From: proposed", "Agentd-Phase: complete", "Agentd-Decision: approve", "Agentd-Actor: human")},
			"makes an illegal transition: approve at proposed"},
		{"a phase that the step does not lead to", phases.Challenged,
			foreign{message: ours("Agentd-Step: implement", "Agentd-From: challenged", "Agentd-Phase: complete")},
			"says complete, but implement leads from challenged to implementing"},
		{"an approval of another tree", phases.Proposed,
			foreign{message: ours("Agentd-Step: challenge", "Agentd-From: proposed", "Agentd-Phase: challenged", "Agentd-Round: 1", "Agentd-Verdict: APPROVED", "Agentd-Subject: "+strings.Repeat("a", 40))},
			"it needs its own tree as subject"},
		{"an approval without evidence", phases.Implementing,
			foreign{message: ours("Agentd-Step: review", "Agentd-From: implementing", "Agentd-Phase: complete", "Agentd-Round: 1", "Agentd-Verdict: APPROVED", "Agentd-Subject: "+strings.Repeat("a", 40))},
			"says complete, but review APPROVED, evidence failed leads from implementing to implementing"},
		{"a decision of nobody", phases.Challenged,
			foreign{message: ours("Agentd-Step: reopen", "Agentd-From: challenged", "Agentd-Phase: proposed", "Agentd-Decision: reopen", "Agentd-Actor: agent:proposer")},
			"it needs a person's decision"},
		{"a step after an edit that hides the edit", phases.Challenged,
			foreign{message: ours("Agentd-Step: note", "Agentd-From: challenged", "Agentd-Phase: challenged"), files: map[string]string{"agentd/changes/add-oauth/proposal.md": "# Edited\n"}},
			"the plan approved in"},
		{"a trailer twice", phases.Proposed,
			foreign{message: ours("Agentd-Step: note", "Agentd-From: proposed", "Agentd-Phase: proposed", "Agentd-Phase: complete")},
			"has 2 Agentd-Phase trailers"},
		{"a phase that does not exist", phases.Proposed,
			foreign{message: ours("Agentd-Step: note", "Agentd-From: proposed", "Agentd-Phase: finished")},
			`has the Agentd-Phase "finished"`},
		{"a verdict that skips a round", phases.Proposed,
			foreign{message: ours("Agentd-Step: challenge", "Agentd-From: proposed", "Agentd-Phase: rejected", "Agentd-Round: 4", "Agentd-Verdict: REJECTED")},
			"is round 4, the next is 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.Git("update-ref", oauthRef, string(tips[tt.phase]))
			if tt.name == "a step after an edit that hides the edit" {
				w.commits("agentd/add-oauth", person("agentd/changes/add-oauth/proposal.md", "# Edited\n"))
			}
			culprit := w.commits("agentd/add-oauth", tt.forge)
			w.commits("agentd/add-oauth",
				person("src/later.txt", "later"),
				foreign{message: ours("Agentd-Step: archive", "Agentd-From: rejected", "Agentd-Phase: archived"), files: map[string]string{state: "phase: archived\n"}})
			c, err := store.Open(t.Context(), id(t, "add-oauth"))
			found := wantError[*phases.ReplayError](t, err, "commit "+string(culprit)[:7]+" ", "gh agentd doctor")
			if found.Commit != string(culprit) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v; want %q", err, tt.says)
			}
			if c == nil || c.Tip != w.Rev("agentd/add-oauth") || c.State.Effective != phases.None {
				t.Errorf("what could be read: %+v", c)
			}
		})
	}
}

// A second beginning ends the walk, so nothing before it counts, and nothing is gained by it.
func TestStore_Open_aSecondBeginningStartsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	w.at(store, "add-oauth", phases.Complete)
	w.commits("agentd/add-oauth", foreign{message: ours("Agentd-Step: proposal-gen", "Agentd-From: none", "Agentd-Phase: proposed", "Agentd-Profile: spec", "Agentd-Base: main@"+string(w.Rev("main")))})
	c := w.open(store, "add-oauth")
	if c.State.Effective != phases.Proposed || c.State.CodeApproval != nil {
		t.Errorf("at %s", c.State.Effective)
	}
	err := c.Forward()
	wantError[*phases.MismatchError](t, err, "STATE.yaml says complete, the commits say proposed", "gh agentd doctor add-oauth --fix")
}

// Where STATE.yaml and the commits disagree the commits are right, and nothing moves.
func TestChange_Forward_refusesAWrongState_DC09(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content, says string
		mode                string
	}{
		{"another phase", "change_id: add-oauth\nschema_version: \"2.0\"\nphase: complete\n", "STATE.yaml says complete, the commits say challenged", ""},
		{"unreadable", "phase: [\n", "STATE.yaml", ""},
		{"missing", "", "no STATE.yaml", ""},
		{"a symbolic link", "../../../README.md", "STATE.yaml", "120000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := w.lock("add-oauth")
			w.at(store, "add-oauth", phases.Challenged)
			w.commits("agentd/add-oauth", foreign{message: "By hand", mode: tt.mode, files: map[string]string{"agentd/changes/add-oauth/STATE.yaml": tt.content}})
			c := w.open(store, "add-oauth")
			if c.State.Effective != phases.Challenged {
				t.Errorf("the history says %s", c.State.Effective)
			}
			wantError[*phases.MismatchError](t, c.Forward(), tt.says, "gh agentd doctor add-oauth --fix")
			watch := gitopstest.Watch(t, w.Repo)
			if _, _, err := c.Append(t.Context(), implemented()); err == nil {
				t.Error("it went on")
			}
			watch.Check()
		})
	}
}

// Nothing follows a link that stands in the place of a change's folder, nor one inside it.
func TestStore_Open_oddFilesAreNamed_ID18_ID19(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	w.at(store, "add-oauth", phases.Challenged)
	w.commits("agentd/add-oauth", foreign{message: "By hand", mode: "120000", files: map[string]string{"agentd/changes/add-oauth/secret.md": "/etc/passwd"}})
	_, err := w.open(store, "add-oauth").Files(t.Context())
	wantError[*changes.OddFileError](t, err, "agentd/changes/add-oauth/secret.md is a symbolic link", "git rm agentd/changes/add-oauth/secret.md")

	w.commits("agentd/add-oauth", foreign{message: "By hand", mode: "120000", files: map[string]string{"agentd/changes/add-oauth": "../../src"}})
	c := w.open(store, "add-oauth")
	wantError[*changes.OddFileError](t, c.Forward(), "agentd/changes/add-oauth is a symbolic link", "git rm")
}

// OpenAt answers as if the branch stood there, and moves nothing.
func TestStore_OpenAt_readsAnyCommitOfTheChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phases.Complete)
	want := []phases.Phase{phases.Proposed, phases.Proposed, phases.Challenged, phases.Implementing, phases.Complete}
	watch := gitopstest.Watch(t, w.Repo)
	for i, a := range c.State.Transitions {
		at, err := store.OpenAt(t.Context(), c.ID, gitops.ID(a.Commit))
		if err != nil || at.State.Effective != want[i] || at.State.Proved() != i+1 || string(at.Tip) != a.Commit {
			t.Errorf("commit %d: %+v %v", i, at, err)
		}
		if err := at.Forward(); err != nil {
			t.Error(err)
		}
	}
	watch.Check()
	if _, err := store.OpenAt(t.Context(), c.ID, w.Rev("main")); err == nil {
		t.Error("main has a history of the change")
	}
}

// Commits of people and merges of the base are part of the branch, and change no phase.
func TestStore_Open_foreignCommitsChangeNoPhase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	before := w.at(store, "add-oauth", phases.Implementing)
	w.commits("main", person("src/elsewhere.txt", "main moves"))
	w.commits("agentd/add-oauth", person("src/by-hand.txt", "mine"))
	linked := w.LinkedWorktree("agentd/add-oauth")
	linked.Git("merge", "--quiet", "--no-edit", "main")
	c := w.open(store, "add-oauth")
	if c.State.Effective != phases.Implementing || c.State.Proved() != before.State.Proved() || c.Tip != w.Rev("agentd/add-oauth") {
		t.Errorf("%s, %d transitions", c.State.Effective, c.State.Proved())
	}
	fork, err := c.Fork(t.Context())
	if err != nil || fork != w.Rev("main") {
		t.Errorf("fork %s %v", fork, err)
	}
	changed, err := c.CodeChanges(t.Context())
	if err != nil || len(changed) != 2 || changed[0].Path != "src/by-hand.txt" || changed[1].Path != "src/greeting.txt" {
		t.Errorf("changed %+v %v", changed, err)
	}
	files, err := c.Files(t.Context())
	if err != nil || string(files["tasks.md"]) != "# Tasks\n" || string(files["specs/greeting.md"]) != "# Greeting\n" {
		t.Errorf("files %q %v", files, err)
	}
}

// An approval of code holds by its diff through a rebase, and asks for the checks alone.
func TestStore_Open_aRebaseKeepsTheApprovalByItsDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	before := w.at(store, "add-oauth", phases.Complete)
	w.commits("main", person("src/elsewhere.txt", "main moves"))
	linked := w.LinkedWorktree("agentd/add-oauth")
	linked.Git("rebase", "--quiet", "main")
	c := w.open(store, "add-oauth")
	if c.Tip == before.Tip || c.State.Recorded != phases.Complete || c.State.Effective != phases.Implementing || !c.State.Reverify || c.State.StalePlan {
		t.Errorf("%s, effectively %s, reverify %t", c.State.Recorded, c.State.Effective, c.State.Reverify)
	}
	diff, err := c.Diff(t.Context())
	if err != nil || diff != before.State.CodeApproval.Diff {
		t.Errorf("diff %s, was %s, %v", diff, before.State.CodeApproval.Diff, err)
	}
	rec := reviewed(c, "")
	rec.Transition.Step, rec.Transition.Verdict, rec.Files = phases.StepReverify, "", nil
	if c = w.append(c, rec); c.State.Effective != phases.Complete {
		t.Errorf("after reverify: %s", c.State.Effective)
	}
}
