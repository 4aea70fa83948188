package changes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
)

func TestStore_Begin_makesALegalFirstCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := gitopstest.Watch(t, w.Repo)
	c := w.begin(w.lock("add-oauth"), "add-oauth")
	watch.Check(gitopstest.Moved("refs/heads/agentd/add-oauth"))

	tip := w.Rev("agentd/add-oauth")
	if c.Tip != tip || c.Where != changes.OnBranch || c.State.Effective != phases.Proposed || c.State.Recorded != phases.Proposed {
		t.Errorf("%s %v %s, want %s proposed", c.Tip, c.Where, c.State.Effective, tip)
	}
	if parent, main := w.Rev("agentd/add-oauth^"), w.Rev("main"); parent != main {
		t.Errorf("it stands on %s, want main at %s", parent, main)
	}
	want := "Agentd-Change: add-oauth\nAgentd-Step: proposal-gen\nAgentd-From: none\nAgentd-Phase: proposed\nAgentd-Round: 1\n" +
		"Agentd-Actor: agent:proposer\nAgentd-Profile: spec\nAgentd-Base: main@" + string(w.Rev("main"))
	if got := strings.TrimSpace(w.Git("log", "-1", "--format=%(trailers)", string(tip))); got != want {
		t.Errorf("trailers (-want +got):\n%s", cmp.Diff(want, got))
	}
	if got := w.Git("log", "-1", "--format=%s|%b", string(tip)); !strings.HasPrefix(got, "agentd(add-oauth): proposal|Why it is wanted.") {
		t.Errorf("message %q", got)
	}
	paths := []string{"agentd/changes/add-oauth/STATE.yaml", "agentd/changes/add-oauth/proposal.md"}
	if got := w.touched(tip); !slices.Equal(got, paths) {
		t.Errorf("it touches %q", got)
	}
	state := w.document(tip, "add-oauth")
	if state.Phase != phases.Proposed || len(state.Transitions) != 1 || !state.CreatedAt.Equal(noon()) {
		t.Errorf("STATE.yaml: %+v", state)
	}
	again := w.open(w.store, "add-oauth")
	if diff := cmp.Diff(c.State, again.State, cmp.AllowUnexported(phases.ChangeID{})); diff != "" {
		t.Errorf("opened anew it is another (-begun +opened):\n%s", diff)
	}
	if err := again.Forward(); err != nil {
		t.Error(err)
	}
}

func TestStore_Begin_thePairProfileBeginsImplementing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.beginning("fix-typo")
	b.Profile = phases.ProfilePair
	b.Record.Transition = phases.Transition{Step: phases.StepPair}
	c, err := w.lock("fix-typo").Begin(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if c.State.Effective != phases.Implementing || c.State.Profile != phases.ProfilePair {
		t.Errorf("%s in profile %s", c.State.Effective, c.State.Profile)
	}
}

// An id in use anywhere is refused, and nothing comes of the attempt.
func TestStore_Begin_refusesAnIDThatExists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		setup string
		says  string
	}{
		{"branch", "git branch agentd/add-oauth", "branch agentd/add-oauth exists"},
		{"branch in other case", "git branch agentd/Add-OAuth", "branch agentd/Add-OAuth exists"},
		{"remote-tracking branch", "git update-ref refs/remotes/origin/agentd/add-oauth main", "branch origin/agentd/add-oauth exists"},
		{"remote-tracking branch in other case", "git update-ref refs/remotes/up/agentd/ADD-OAUTH main", "branch up/agentd/ADD-OAUTH exists"},
		{"folder on the base", "mkdir -p agentd/changes/add-oauth; echo x > agentd/changes/add-oauth/notes.md; git add .; git commit -qm x", "agentd/changes/add-oauth exists on main"},
		{"folder in other case", "mkdir -p agentd/changes/Add-OAuth; echo x > agentd/changes/Add-OAuth/notes.md; git add .; git commit -qm x", "agentd/changes/Add-OAuth exists on main"},
		{"archive", "mkdir -p agentd/archive/add-oauth; echo x > agentd/archive/add-oauth/STATE.yaml; git add .; git commit -qm x", "agentd/archive/add-oauth exists on main"},
		{"archive in other case", "mkdir -p agentd/archive/ADD-oauth; echo x > agentd/archive/ADD-oauth/STATE.yaml; git add .; git commit -qm x", "agentd/archive/ADD-oauth exists on main"},
		{
			"archive on the remote's base alone",
			"mkdir -p agentd/archive/add-oauth; echo x > agentd/archive/add-oauth/STATE.yaml; git add .; git commit -qm x; git remote add origin elsewhere; git update-ref refs/remotes/origin/main main; git reset -q --hard HEAD^",
			"agentd/archive/add-oauth exists on main",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Sh(tt.setup)
			store := w.lock("add-oauth")
			before := w.objects()
			watch := gitopstest.Watch(t, w.Repo)
			_, err := store.Begin(t.Context(), w.beginning("add-oauth"))
			wantError[*changes.TakenError](t, err, `change id "add-oauth" is taken: `+tt.says, "gh agentd list --all")
			watch.Check()
			if after := w.objects(); after != before {
				t.Errorf("objects were written:\n%s\n%s", before, after)
			}
		})
	}
}

func TestStore_Begin_idsThatOnlyLookAlikeAreFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Sh("git branch add-oauth; git branch agentd/add-oauth-2; git tag agentd/add-oauth; git update-ref refs/remotes/origin/add-oauth main; mkdir -p agentd/specs; echo x > agentd/specs/add-oauth.md; git add .; git commit -qm x")
	w.begin(w.lock("add-oauth"), "add-oauth")
}

func TestStore_Begin_aBranchNamedAgentdIsNamed_ID10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("branch", "agentd")
	watch := gitopstest.Watch(t, w.Repo)
	_, err := w.lock("add-oauth").Begin(t.Context(), w.beginning("add-oauth"))
	wantError[*changes.PrefixTakenError](t, err, `branch "agentd" blocks`, "git branch -m agentd")
	watch.Check()
}

func TestStore_Begin_refusesAStepThatBeginsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	for _, transition := range []phases.Transition{
		{Step: phases.StepChallenge, Verdict: phases.Approved},
		{Step: phases.StepImplement},
		{Step: phases.StepReview, Verdict: phases.Approved, Evidence: []phases.Evidence{{Command: "true"}}},
		{Step: phases.StepArchive},
		{Step: phases.StepNote},
		{Step: phases.StepApprove, Actor: phases.Human, Decision: phases.DecisionApprove},
	} {
		t.Run(string(transition.Step), func(t *testing.T) {
			before := w.objects()
			watch := gitopstest.Watch(t, w.Repo)
			b := w.beginning("add-oauth")
			b.Record.Transition = transition
			c, err := store.Begin(t.Context(), b)
			if err == nil {
				t.Fatalf("the change began at %s", c.State.Effective)
			}
			watch.Check()
			if after := w.objects(); after != before {
				t.Errorf("objects were written:\n%s\n%s", before, after)
			}
		})
	}
}

func TestStore_Begin_aProfileWithoutItsStepIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	for name, b := range map[string]changes.Beginning{
		"pair begins with a plan": {Profile: phases.ProfilePair, Record: changes.Record{Transition: phases.Transition{Step: phases.StepProposalGen}}},
		"spec begins with pair":   {Profile: phases.ProfileSpec, Record: changes.Record{Transition: phases.Transition{Step: phases.StepPair}}},
	} {
		t.Run(name, func(t *testing.T) {
			watch := gitopstest.Watch(t, w.Repo)
			full := w.beginning("add-oauth")
			full.Profile, full.Record.Transition = b.Profile, b.Record.Transition
			if c, err := store.Begin(t.Context(), full); err == nil {
				t.Errorf("the change began at %s", c.State.Effective)
			}
			watch.Check()
		})
	}
}

func TestStore_Begin_unlockedStoreRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := gitopstest.Watch(t, w.Repo)
	if _, err := w.store.Begin(t.Context(), w.beginning("add-oauth")); err == nil || !strings.Contains(err.Error(), "not locked") {
		t.Errorf("%v", err)
	}
	watch.Check()
}

// Somebody else takes the id in the moment before the branch is made.
func TestStore_Begin_losesTheRaceForTheID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.AtCommit = func(point string) {
		if point == "before-ref" {
			w.Git("branch", "agentd/add-oauth", "main")
		}
	}
	_, err := w.lock("add-oauth").Begin(t.Context(), w.beginning("add-oauth"))
	if err == nil || !strings.Contains(err.Error(), "refs/heads/agentd/add-oauth is at") {
		t.Errorf("%v", err)
	}
	if got := w.Rev("agentd/add-oauth"); got != w.Rev("main") {
		t.Errorf("the other's branch was moved to %s", got)
	}
}
