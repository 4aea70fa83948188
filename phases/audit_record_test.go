package phases_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

// journal is what a faithful STATE.yaml tells of the chain.
func (c *chain) journal() []phases.Transition {
	var all []phases.Transition
	for _, a := range c.state().Transitions {
		all = append(all, a.Transition)
	}
	return all
}

func TestAudit_journal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := complete(t)
		journal := c.journal()
		tells := func(h *phases.History) {
			h.Journal = journal
			h.Commits[len(h.Commits)-1].StatePhase = "complete"
		}
		if got := c.audit(phases.Policy{}, tells); got != "" {
			t.Fatalf("a faithful journal: %s", got)
		}
		i := rapid.IntRange(0, len(journal)-1).Draw(t, "which")
		switch rapid.IntRange(0, 4).Draw(t, "how") {
		case 0:
			journal[i].Agent = "somebody/else"
		case 1:
			journal[i].Verdict = phases.MajorIssues
		case 2:
			journal[i].Evidence = append(slices.Clone(journal[i].Evidence), phases.Evidence{Command: "true"})
		case 3:
			journal = slices.Delete(journal, i, i+1)
		case 4:
			journal = slices.Insert(journal, i, journal[i])
		}
		if got, want := c.audit(phases.Policy{}, tells), "state-mismatch@3"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Messages have told a price with more digits than STATE.yaml keeps.
func TestAudit_journalRoundsPrices(t *testing.T) {
	c := implementing(t)
	exact := 0.123456789
	c.review(phases.Approved, func(t *phases.Transition) { t.Usage = &phases.Usage{USD: &exact} })
	journal := c.journal()
	tells := func(h *phases.History) {
		h.Journal = journal
		h.Commits[len(h.Commits)-1].StatePhase = "complete"
	}
	last := &journal[len(journal)-1]
	last.Usage = &phases.Usage{USD: phases.Price(&exact)}
	if got := c.audit(phases.Policy{}, tells); got != "" {
		t.Errorf("the same price, rounded: %s", got)
	}
	other := 0.123458
	last.Usage = &phases.Usage{USD: &other}
	if got, want := c.audit(phases.Policy{}, tells), "state-mismatch@3"; got != want {
		t.Errorf("another price: got %q, want %q", got, want)
	}
}

func TestAudit_stateEditedByHand(t *testing.T) {
	edited := func(t *testing.T) *chain {
		c := complete(t)
		c.push("polish\n")
		for i := range c.commits {
			c.commits[i].StateID = "state " + c.commits[min(i, 3)].ID
		}
		c.commits[4].StateID, c.commits[4].StatePhase = "by hand", "complete"
		return c
	}
	if got, want := edited(t).audit(phases.Policy{}), "state-mismatch@4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Run("a repair makes it right", func(t *testing.T) {
		c := edited(t)
		c.add(phases.StepRepair).StatePhase = "complete"
		if got := c.audit(phases.Policy{}); got != "" {
			t.Error(got)
		}
	})
	t.Run("another record on top does not", func(t *testing.T) {
		c := edited(t)
		c.add(phases.StepNote).StatePhase = "complete"
		if got, want := c.audit(phases.Policy{}), "state-mismatch@5"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAudit_verdictContent(t *testing.T) {
	c := complete(t)
	c.commits[1].ReportFault = "CHALLENGE.md says no verdict"
	if got, want := c.audit(phases.Policy{}), "verdict-content@1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	high := proposed(t)
	high.add(phases.StepChallenge, verdict(phases.Approved), func(t *phases.Transition) { t.Findings = &phases.Findings{High: 1, Set: "00000000"} })
	if got, want := high.audit(phases.Policy{}), "verdict-content@1"; got != want {
		t.Errorf("an approval with a HIGH finding: got %q, want %q", got, want)
	}
}

func TestAudit_foreignRecord(t *testing.T) {
	specced := func(c *chain) func(*phases.History) {
		return func(h *phases.History) { h.ForeignPath, h.ForeignCommit = "agentd/specs/x.md", c.commits[1].ID }
	}
	c := complete(t)
	if got, want := c.audit(phases.Policy{}, specced(c)), "foreign-record@1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	done := archived(t)
	if got, want := done.audit(phases.Policy{}, specced(done)), "foreign-record@1"; got != want {
		t.Errorf("archived on its branch: got %q, want %q", got, want)
	}
}

func TestAudit_sameAgent(t *testing.T) {
	by := func(agent string) bend { return func(t *phases.Transition) { t.Agent = agent } }
	history := func(author, challenger, implementer, reviewer string) *chain {
		c := newChain(t)
		c.add(phases.StepProposalGen, by(author))
		c.add(phases.StepChallenge, verdict(phases.Approved), by(challenger))
		c.code = "work"
		c.add(phases.StepImplement, by(implementer))
		c.add(phases.StepReview, verdict(phases.Approved), by(reviewer))
		return c
	}
	for _, tc := range []struct {
		name, want string
		chain      *chain
	}{
		{"distinct", "", history("gemini/x", "codex/x", "claude/x", "codex/x")},
		{"who wrote the code may judge the plan", "", history("gemini/x", "claude/x", "claude/x", "gemini/x")},
		{"the plan's author", "same-agent@1", history("codex/y", "codex/x", "claude/x", "gemini/x")},
		{"the code's author, with another model", "same-agent@3", history("gemini/x", "codex/x", "claude/x", "claude/y")},
	} {
		if got := tc.chain.audit(phases.Policy{DistinctReviewer: true}); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		if got := tc.chain.audit(phases.Policy{}); got != "" {
			t.Errorf("%s, where nobody asks: %q", tc.name, got)
		}
	}
}

func TestAudit_signers(t *testing.T) {
	c := complete(t)
	c.add(phases.StepReopen)
	policy := phases.Policy{VerdictSigners: []string{"SHA256:a", "SHA256:b"}, DecisionSigners: []string{"SHA256:c"}}
	signed := func(keys map[int]string) func(*phases.History) {
		return func(h *phases.History) {
			h.SignedBy = func(commit string) ([]string, error) {
				for i, key := range keys {
					if h.Commits[i].ID == commit {
						return []string{key}, nil
					}
				}
				return nil, nil
			}
		}
	}
	for _, tc := range []struct {
		name, want string
		keys       map[int]string
	}{
		{"all", "", map[int]string{1: "SHA256:a", 3: "SHA256:b", 4: "SHA256:c"}},
		{"nobody", "unsigned@1 unsigned@3 unsigned@4", nil},
		{"who may judge may not decide", "unsigned@4", map[int]string{1: "SHA256:a", 3: "SHA256:b", 4: "SHA256:a"}},
		{"another key", "unsigned@3", map[int]string{1: "SHA256:a", 3: "SHA256:ab", 4: "SHA256:c"}},
	} {
		if got := c.audit(policy, signed(tc.keys)); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	if got, want := c.audit(policy), "unsigned@1 unsigned@3 unsigned@4"; got != want {
		t.Errorf("nobody to ask: got %q, want %q", got, want)
	}
	broken := func(h *phases.History) {
		h.SignedBy = func(string) ([]string, error) { return nil, errors.New("no gpg") }
	}
	if got, want := c.audit(policy, broken), "unsigned@1 unsigned@3 unsigned@4"; got != want {
		t.Errorf("unreadable is no: got %q, want %q", got, want)
	}
}

func TestAudit_counts(t *testing.T) {
	c := complete(t)
	c.push("polish\n")
	got := phases.Audit(c.history(), phases.Policy{})
	if got.Commits != 5 || got.Transitions != 4 || got.Verdicts != 2 || got.State.Recorded != phases.Complete {
		t.Errorf("got %d commits, %d transitions, %d verdicts, %s", got.Commits, got.Transitions, got.Verdicts, got.State.Recorded)
	}
}

// Approvals survive what gives commits another id, and nothing else.
func TestApprovals(t *testing.T) {
	c := complete(t)
	had := phases.Approvals(c.history())
	if len(had) != 2 || had[0].Commit != c.commits[1].ID || had[1].Commit != c.commits[3].ID {
		t.Fatalf("got %+v", had)
	}
	moved := slices.Clone(c.commits)
	for i := range moved {
		moved[i].ID = treeOf("moved", moved[i].ID)
	}
	have := phases.Approvals(phases.History{Change: c.id, Commits: moved})
	for _, a := range had {
		if !slices.ContainsFunc(have, a.Same) {
			t.Errorf("the approval in %s is lost by a rebase", a.Commit)
		}
	}
	if slices.ContainsFunc(phases.Approvals(phases.History{Change: c.id, Commits: moved[:3]}), had[1].Same) {
		t.Error("an approval that was dropped is found")
	}
}

func TestRules_areNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range phases.Rules() {
		if seen[r.Name] || r.Wants == "" || r.On == "" {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
	}
}
