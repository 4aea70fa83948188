package phases_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

// audit lists "rule@index", the index being that of the commit.
func (c *chain) audit(p phases.Policy, bends ...func(*phases.History)) string {
	c.t.Helper()
	h := c.history()
	for _, b := range bends {
		b(&h)
	}
	var found []string
	for _, v := range phases.Audit(h, p).Violations {
		at := "-"
		for i, commit := range c.commits {
			if commit.ID == v.Commit {
				at = string(rune('0' + i))
			}
		}
		if v.Message == "" || v.Hint == "" {
			c.t.Errorf("%+v has no message or no hint", v)
		}
		found = append(found, v.Rule+"@"+at)
	}
	return strings.Join(found, " ")
}

func TestAudit_legalHistories(t *testing.T) {
	for name, at := range map[string]func(rapid.TB) *chain{
		"proposed": proposed, "challenged": challenged, "rejected": rejected,
		"implementing": implementing, "complete": complete, "archived": archived,
	} {
		if got := at(t).audit(phases.Policy{}); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAudit_violations(t *testing.T) {
	changes := "agentd/changes/add-oauth/"
	for _, tc := range []struct {
		name  string
		build func(t *testing.T) *chain
		want  string
	}{
		{"no history", func(t *testing.T) *chain { c := newChain(t); c.push("fix\n"); return c }, "no-history@-"},
		{"nothing at all", func(t *testing.T) *chain { return newChain(t) }, "no-history@-"},
		{"illegal transition, and nothing after it is guessed", func(t *testing.T) *chain {
			c := proposed(t)
			c.add(phases.StepReview, verdict(phases.Approved))
			c.code = "x"
			c.push("fix\n")
			return c
		}, "illegal-transition@1"},
		{"code before the change begins", func(t *testing.T) *chain {
			c := newChain(t)
			c.push("fix\n").TouchesCode = true
			c.add(phases.StepProposalGen)
			return c
		}, "code-before-approval@0"},
		{"code in the first commit", func(t *testing.T) *chain {
			c := newChain(t)
			c.add(phases.StepProposalGen).TouchesCode = true
			return c
		}, "code-before-approval@0"},
		{"code in a pair's first commit", func(t *testing.T) *chain { c := newChain(t); c.add(phases.StepPair).TouchesCode = true; return c }, "profile-not-accepted@0"},
		{"code while proposed", func(t *testing.T) *chain { c := proposed(t); c.code = "x"; c.push("fix\n"); return c }, "code-before-approval@1"},
		{"code while challenged", func(t *testing.T) *chain { c := challenged(t); c.code = "x"; c.push("fix\n"); return c }, "code-before-approval@2"},
		{"code while rejected", func(t *testing.T) *chain { c := rejected(t); c.code = "x"; c.push("fix\n"); return c }, "code-before-approval@2"},
		{"code while implementing", func(t *testing.T) *chain { c := implementing(t); c.code = "x"; c.push("fix\n"); return c }, ""},
		{"code under an edited plan", func(t *testing.T) *chain {
			c := implementing(t)
			c.plan = "edited"
			c.push("edit\n")
			c.code = "x"
			c.push("fix\n")
			return c
		}, "code-before-approval@4 plan-approval-stale@1"},
		{"stale plan", func(t *testing.T) *chain { c := complete(t); c.plan = "edited"; c.push("edit\n"); return c }, "plan-approval-stale@1"},
		{"stale code", func(t *testing.T) *chain { c := complete(t); c.code = "x"; c.push("fix\n"); return c }, "code-approval-stale@3"},
		{"to be verified again", func(t *testing.T) *chain { return complete(t).rebased("main 2", false) }, "code-approval-stale@3"},
		{"torn by a rebase", func(t *testing.T) *chain { return complete(t).rebased("main 2", true) }, "code-approval-stale@3"},
		{"STATE.yaml disagrees", func(t *testing.T) *chain { c := complete(t); c.commits[3].StatePhase = "archived"; return c }, "state-mismatch@3"},
		{"reserved trailer", func(t *testing.T) *chain { c := proposed(t); c.push("x\n\nAgentd-Verdict: APPROVED\n"); return c }, "reserved-trailer@1"},
		{"another change's trailers", func(t *testing.T) *chain {
			c := proposed(t)
			c.push("x\n\nAgentd-Change: other\nAgentd-Verdict: APPROVED\n")
			return c
		}, ""},
		{"a challenger keeps to its files", func(t *testing.T) *chain {
			c := challenged(t)
			c.commits[1].TouchedPaths = []string{changes + "CHALLENGE.md", changes + "STATE.yaml"}
			return c
		}, ""},
		{"a challenger edits the plan", func(t *testing.T) *chain {
			c := challenged(t)
			c.commits[1].TouchedPaths = []string{changes + "CHALLENGE.md", changes + "tasks.md"}
			return c
		}, "reviewer-paths@1"},
		{"a reviewer writes the challenge", func(t *testing.T) *chain {
			c := complete(t)
			c.commits[3].TouchedPaths = []string{changes + "CHALLENGE.md"}
			return c
		}, "reviewer-paths@3"},
		{"a reviewer writes for another change", func(t *testing.T) *chain {
			c := complete(t)
			c.commits[3].TouchedPaths = []string{"agentd/changes/other/REVIEW.md"}
			return c
		}, "reviewer-paths@3"},
		{"code after the archive", func(t *testing.T) *chain { c := archived(t); c.code = "x"; c.push("fix\n"); return c }, "code-approval-stale@5"},
		{"the base after the archive", func(t *testing.T) *chain { c := archived(t); c.base = "main 2"; c.push("merge\n"); return c }, ""},
		{"a reviewer touches code", func(t *testing.T) *chain { c := complete(t); c.commits[3].TouchesCode = true; return c }, "reviewer-paths@3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.build(t).audit(phases.Policy{}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAudit_merges(t *testing.T) {
	c := implementing(t)
	c.push("Merge branch 'main'\n").Parents = []string{"a", "b"}
	c.push("Merge branch 'x'\n").Parents = []string{"a", "c"}
	ask := func(h *phases.History) {
		h.OtherMergeParentsOK = func(commit phases.Commit) bool { return commit.Parents[1] == "b" }
	}
	if got, want := c.audit(phases.Policy{}, ask), "foreign-merge@4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAudit_profiles(t *testing.T) {
	c := newChain(t)
	c.add(phases.StepPair)
	for _, tc := range []struct {
		accepted []phases.Profile
		want     string
	}{
		{nil, "profile-not-accepted@0"},
		{[]phases.Profile{phases.ProfileSpec}, "profile-not-accepted@0"},
		{[]phases.Profile{phases.ProfilePair}, ""},
	} {
		if got := c.audit(phases.Policy{Profiles: tc.accepted}); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.accepted, got, tc.want)
		}
	}
}

func TestAudit_diffErrors(t *testing.T) {
	c := complete(t).rebased("main 2", false)
	broken := func(h *phases.History) {
		h.Diff = func(string) (string, error) { return "", errors.New("object is missing") }
	}
	if got, want := c.audit(phases.Policy{}, broken), "unreadable@3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Audit is silent exactly where Replay succeeds, nothing is stale and no rule of its own is broken.
func TestAudit_agreesWithReplay(t *testing.T) {
	c := complete(t)
	for n := range len(c.commits) + 1 {
		h := c.history()
		h.Commits = h.Commits[:n]
		_, err := phases.Replay(h)
		if got := len(phases.Audit(h, phases.Policy{}).Violations); (got == 0) != (err == nil) {
			t.Errorf("%d commits: replay says %v, audit finds %d", n, err, got)
		}
	}
}
