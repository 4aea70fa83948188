package specs

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

func mustID(t *testing.T, s string) phases.ChangeID {
	t.Helper()
	id, err := phases.ParseChangeID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func clock(minute int) time.Time { return time.Date(2026, 1, 19, 10, minute, 0, 0, time.UTC) }

func usd(v float64) *float64 { return &v }

const (
	treeA = "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689"
	treeB = "1234567890123456789012345678901234567890"
)

// journey is a change with a transition of every kind.
func journey(t *testing.T) *State {
	id := mustID(t, "add-oauth")
	s := NewState("add-oauth")
	s.Record(EntryOf(phases.Transition{
		Change: id, Step: phases.StepProposalGen, From: phases.None, Phase: phases.Proposed,
		Agent: "gemini/gemini-3-flash-preview", Usage: &phases.Usage{In: 15234, Out: 892, Millis: 4521, USD: usd(0.010293)},
		Actor: "agent:proposer", Profile: phases.ProfileSpec, Base: &phases.Base{Branch: "main", Commit: treeA},
		DependsOn: []phases.ChangeID{mustID(t, "add-users")},
	}, clock(30)), []LLMCall{CallOf("proposal-gen", "gemini/gemini-3-flash-preview", phases.Usage{In: 15234, Out: 892, Millis: 4521, USD: usd(0.010293)}, clock(30))}, clock(30))
	s.Record(EntryOf(phases.Transition{
		Change: id, Step: phases.StepChallenge, From: phases.Proposed, Phase: phases.Proposed, Round: 1,
		Verdict: phases.NeedsRevision, Findings: &phases.Findings{High: 2, Medium: 1, Set: "9c1b7e2f"}, Subject: treeA,
		Agent: "codex/gpt-5.2-codex/medium", Usage: &phases.Usage{Unknown: true, Millis: 8934},
	}, clock(40)), []LLMCall{CallOf("challenge", "codex/gpt-5.2-codex/medium", phases.Usage{Unknown: true, Millis: 8934}, clock(40))}, clock(40))
	s.Record(EntryOf(phases.Transition{
		Change: id, Step: phases.StepReview, From: phases.Implementing, Phase: phases.Complete, Round: 2,
		Verdict: phases.Approved, Findings: &phases.Findings{}, Subject: treeB, Diff: strings.Repeat("ab", 32),
		Agent: "codex/gpt-5.2-codex/high", Actor: "agent:reviewer", Tasks: []string{"1.1", "2.10"},
		Evidence: []phases.Evidence{
			{Exit: 0, Millis: 5210, Command: "go test ./..."},
			{Kind: phases.Scan, NotRun: true, Command: `sh -c "a: b, {c} # d"`},
		},
	}, clock(45)), nil, clock(45))
	s.Record(EntryOf(phases.Transition{
		Change: id, Step: phases.StepReopen, From: phases.Complete, Phase: phases.Proposed,
		Decision: "reopen", Subject: treeB, Actor: "human",
	}, clock(50)), nil, clock(50))
	return s
}

func TestState_YAML(t *testing.T) {
	s := journey(t)
	s.Archive = &Archive{Base: treeA, Tip: treeB, Specs: []ArchivedSpec{{ID: "auth", After: treeA}, {ID: "users", Before: treeB}}}
	want := `change_id: add-oauth
schema_version: "2.0"
phase: proposed
iteration: 2
last_action: reopen
created_at: 2026-01-19T10:30:00Z
updated_at: 2026-01-19T10:50:00Z
session_id: null
llm_calls:
  - {step: proposal-gen, agent: gemini, model: gemini-3-flash-preview, tokens_in: 15234, tokens_cached: 0, tokens_out: 892, duration_ms: 4521, cost: 0.010293, timestamp: 2026-01-19T10:30:00Z}
  - {step: challenge, agent: codex, model: gpt-5.2-codex, usage: unknown, duration_ms: 8934, timestamp: 2026-01-19T10:40:00Z}
total_cost: 0.010293
total_tokens_in: 15234
total_tokens_out: 892
transitions:
  - {step: proposal-gen, from: none, phase: proposed, agent: gemini/gemini-3-flash-preview, usage: {in: 15234, cached: 0, out: 892, ms: 4521, usd: 0.010293}, profile: spec, base: main@5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689, depends_on: [add-users], by: agent:proposer, at: 2026-01-19T10:30:00Z}
  - {step: challenge, from: proposed, phase: proposed, round: 1, verdict: NEEDS_REVISION, findings: {high: 2, medium: 1, low: 0, set: 9c1b7e2f}, subject: 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689, agent: codex/gpt-5.2-codex/medium, usage: {unknown: true, ms: 8934}, by: agent, at: 2026-01-19T10:40:00Z}
  - {step: review, from: implementing, phase: complete, round: 2, verdict: APPROVED, findings: {high: 0, medium: 0, low: 0}, subject: "1234567890123456789012345678901234567890", diff: abababababababababababababababababababababababababababababababab, agent: codex/gpt-5.2-codex/high, evidence: [{exit: 0, ms: 5210, cmd: go test ./...}, {kind: scan, not_run: true, cmd: "sh -c \"a: b, {c} # d\""}], tasks: ["1.1", "2.10"], by: agent:reviewer, at: 2026-01-19T10:45:00Z}
  - {step: reopen, from: complete, phase: proposed, subject: "1234567890123456789012345678901234567890", decision: reopen, by: human, at: 2026-01-19T10:50:00Z}
archive:
  base: 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689
  tip: "1234567890123456789012345678901234567890"
  specs:
    - {id: auth, after: 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689}
    - {id: users, before: "1234567890123456789012345678901234567890"}
`
	if diff := cmp.Diff(want, string(s.YAML())); diff != "" {
		t.Fatal(diff)
	}
	back, problems, err := ParseState("STATE.yaml", s.YAML())
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(s, back, cmp.AllowUnexported(phases.ChangeID{})); diff != "" {
		t.Errorf("read back differs:\n%s", diff)
	}
}

// The journal alone must give back what the trailers said.
func TestState_YAML_keepsEveryTransition(t *testing.T) {
	s := journey(t)
	back, _, err := ParseState("STATE.yaml", s.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range s.Transitions {
		want, err := e.Trailers()
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Transitions[i].Trailers()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("transition %d: %s", i+1, diff)
		}
	}
}

func TestState_Record_leavesCopiesAlone(t *testing.T) {
	s := journey(t)
	s.Transitions = append(make([]Entry, 0, 50), s.Transitions...) // room to append in place
	s.LLMCalls = append(make([]LLMCall, 0, 50), s.LLMCalls...)
	one, two := *s, *s
	one.Record(EntryOf(phases.Transition{Step: phases.StepNote, Phase: phases.Proposed}, clock(55)), []LLMCall{{Step: "one"}}, clock(55))
	two.Record(EntryOf(phases.Transition{Step: phases.StepEdit, Phase: phases.Proposed}, clock(56)), []LLMCall{{Step: "two"}}, clock(56))
	if one.Transitions[4].Step != phases.StepNote || one.LLMCalls[2].Step != "one" || len(s.Transitions) != 4 {
		t.Errorf("copies share their lists: %s %s %d", one.Transitions[4].Step, one.LLMCalls[2].Step, len(s.Transitions))
	}
}

func TestCallOf(t *testing.T) {
	for agent, want := range map[string][2]string{
		"codex/gpt-5.2-codex/medium":       {"codex", "gpt-5.2-codex"},
		"claude/sonnet":                    {"claude", "sonnet"},
		"replay":                           {"replay", ""},
		"own/openrouter/anthropic/claude":  {"own", "openrouter/anthropic/claude"},
		"own/openrouter/anthropic/x/xhigh": {"own", "openrouter/anthropic/x"},
	} {
		call := CallOf("review", agent, phases.Usage{}, clock(1))
		if call.Agent != want[0] || call.Model != want[1] {
			t.Errorf("%s: %q %q", agent, call.Agent, call.Model)
		}
	}
}

func TestState_Totals_AG25(t *testing.T) {
	known := LLMCall{Usage: phases.Usage{In: 100, Out: 10, USD: usd(0.1)}}
	more := LLMCall{Usage: phases.Usage{In: 100, Out: 10, USD: usd(0.02)}}
	silent := LLMCall{Usage: phases.Usage{Unknown: true}}
	unpriced := LLMCall{Usage: phases.Usage{In: 5, Out: 5}}
	free := LLMCall{Usage: phases.Usage{In: 5, Out: 5, USD: usd(0)}}
	tests := []struct {
		name  string
		calls []LLMCall
		want  string
	}{
		{"nothing yet", nil, "$0.00"},
		{"all known", []LLMCall{known, more}, "$0.12"},
		{"some silent", []LLMCall{known, silent, more, silent}, "≥ $0.12 (2 calls without usage)"},
		{"some unpriced", []LLMCall{known, more, unpriced}, "≥ $0.12 (1 call without price)"},
		{"all silent", []LLMCall{silent}, "unknown (1 call without usage)"},
		{"a price of 0 is known", []LLMCall{free}, "$0.00"},
		{"negative", []LLMCall{{Usage: phases.Usage{USD: usd(-1)}}}, "unknown (1 call without price)"},
		{"NaN", []LLMCall{{Usage: phases.Usage{USD: usd(math.NaN())}}}, "unknown (1 call without price)"},
		{"absurd", []LLMCall{{Usage: phases.Usage{USD: usd(1e308)}}, known}, "≥ $0.10 (1 call without price)"},
	}
	for _, tt := range tests {
		s := NewState("x")
		s.LLMCalls = tt.calls
		if got := s.Totals().String(); got != tt.want {
			t.Errorf("AG-25 %s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	s := NewState("x")
	s.LLMCalls = []LLMCall{silent, unpriced}
	if text := string(s.YAML()); strings.Contains(text, "cost") {
		t.Errorf("an unknown cost is written:\n%s", text)
	}
}
