package specs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

// What the older tool wrote: schema 2.0 with checksums, validations and an empty telemetry.
const olderState = `change_id: cost-tracking
schema_version: '2.0'
created_at: 2026-01-16T14:43:00.735478Z
updated_at: 2026-01-16T15:19:31.594694Z
phase: implementing
iteration: 1
last_action: issues fixed and verified
session_id: null
checksums:
  specs/_skeleton.md:
    hash: sha256:test
    validated_at: 2026-01-16T14:43:00.736683Z
validations:
- step: validate-challenge
  timestamp: 2026-01-16T14:47:29.147992Z
  rules_version: '2.0'
  rules_hash: null
  mode: normal
  result:
    valid: true
    high: 4
    medium: 3
    low: 2
    verdict: NEEDS_REVISION
    issues_parsed: 9
  errors: []
  warnings: []
telemetry: null
`

func TestParseState_schema2(t *testing.T) {
	got, problems, err := ParseState("STATE.yaml", []byte(olderState))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	want := &State{
		ChangeID: "cost-tracking", SchemaVersion: "2.0", Phase: phases.Implementing, Iteration: 1,
		LastAction: "issues fixed and verified",
		CreatedAt:  time.Date(2026, 1, 16, 14, 43, 0, 735478000, time.UTC),
		UpdatedAt:  time.Date(2026, 1, 16, 15, 19, 31, 594694000, time.UTC),
		Validations: []Validation{{
			Step: "validate-challenge", Verdict: "NEEDS_REVISION", Valid: true, High: 4, Medium: 3, Low: 2,
			At: time.Date(2026, 1, 16, 14, 47, 29, 147992000, time.UTC),
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseState_telemetry(t *testing.T) {
	src := `change_id: x
phase: complete
telemetry:
  calls:
  - {step: proposal, agentd_version: "0.1", model: gemini-flash, tokens_in: 100, tokens_out: 10, cost_usd: 0.5, duration_ms: 7, timestamp: 2026-01-16T14:43:00Z}
  - {step: challenge, tokens_in: 100, tokens_out: 10, cost_usd: 0.0}
  - {step: review, tokens_in: null, tokens_out: null, cost_usd: null}
  total_cost_usd: 99
llm_calls:
  - {step: implement, agent: claude, tokens_in: 1, tokens_cached: 1, tokens_out: 2, cost: 0.25}
`
	got, problems, err := ParseState("STATE.yaml", []byte(src))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	want := []LLMCall{
		{Step: "implement", Agent: "claude", Usage: phases.Usage{In: 1, Cached: 1, Out: 2, USD: usd(0.25)}},
		{Step: "proposal", Model: "gemini-flash", Usage: phases.Usage{In: 100, Out: 10, Millis: 7, USD: usd(0.5)}, At: time.Date(2026, 1, 16, 14, 43, 0, 0, time.UTC)},
		{Step: "challenge", Usage: phases.Usage{In: 100, Out: 10}},
		{Step: "review", Usage: phases.Usage{Unknown: true}},
	}
	if diff := cmp.Diff(want, got.LLMCalls); diff != "" {
		t.Error(diff)
	}
	if got := got.Totals().String(); got != "≥ $0.75 (1 call without usage)" {
		t.Errorf("totals: %s", got)
	}
}

func TestParseState_phases(t *testing.T) {
	tests := map[string]phases.Phase{
		"proposed": phases.Proposed, "Proposed": phases.Proposed, "drafting": phases.Proposed, "clarifying": phases.Proposed,
		"specs_generated": phases.Proposed, "tasks_generated": phases.Proposed,
		"challenged": phases.Challenged, "planned": phases.Challenged, "PLANNED": phases.Challenged,
		"implementing": phases.Implementing, "testing": phases.Implementing, "code_reviewing": phases.Implementing,
		"complete": phases.Complete, "implemented": phases.Complete, "merging": phases.Complete,
		"archived": phases.Archived, "rejected": phases.Rejected, `"archived"`: phases.Archived,
	}
	for word, want := range tests {
		got, _, err := ParseState("STATE.yaml", []byte("change_id: x\nphase: "+word+"\n"))
		if err != nil || got.Phase != want {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
}

func TestParseState_unknownPhase_DC08(t *testing.T) {
	for _, word := range []string{"chalenged", "none", "no", "~x", "010", "1_0", "[proposed]", "unknown"} {
		state, _, err := ParseState("agentd/changes/x/STATE.yaml", []byte("change_id: x\nphase: "+word+"\n"))
		if err == nil {
			t.Errorf("DC-08 %q was read as %s", word, state.Phase)
		}
	}
	_, _, err := ParseState("agentd/changes/x/STATE.yaml", []byte("change_id: x\nphase: chalenged\n"))
	const want = `agentd/changes/x/STATE.yaml:2: unknown phase "chalenged" (the phases are proposed, challenged, rejected, implementing, complete, archived)`
	if err == nil || err.Error() != want {
		t.Errorf("DC-08 got %v", err)
	}
	wrong, ok := errors.AsType[*phases.PhaseError](err)
	if !ok || wrong.Nearest() != phases.Challenged {
		t.Errorf("DC-08 the error does not name the nearest: %v", err)
	}
	for _, src := range []string{"change_id: x\n", "change_id: x\nphase:\n", "change_id: x\nphase: ''\n"} {
		if _, _, err := ParseState("STATE.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), "no phase") {
			t.Errorf("DC-08 no phase: %v", err)
		}
	}
}

func TestParseState_unreadable(t *testing.T) {
	file := "agentd/changes/x/STATE.yaml"
	tests := []struct{ name, src, want string }{
		{"DC-01 bad token", "change_id: x\nphase: proposed\niteration: @1\n", file + ":3: found character that cannot start any token"},
		{"DC-01 tab", "change_id: x\nphase: proposed\n\titeration: 1\n", "found a tab character"},
		{"DC-02 alias", "a: &a [x]\nphase: proposed\nb: *a\n", "not allowed"},
		{"DC-03 nesting", "phase: proposed\nx: " + strings.Repeat("[", 20000), file + ":"},
		{"DC-03 size", "phase: proposed\n#" + strings.Repeat("x", MaxDocument), "the limit is 262144"},
		{"DC-04 duplicate key", "phase: proposed\nphase: complete\n", `:2: key "phase" is already defined at line 1`},
		{"DC-05 two documents", "phase: proposed\n---\nphase: complete\n", "more than one YAML document"},
		{"DC-06 tag", "phase: !!binary cHJvcG9zZWQ=\n", "not allowed"},
		{"DC-06 merge key", "<<: {phase: complete}\nphase: proposed\n", "not allowed"},
		{"DC-06 octal", "phase: proposed\niteration: 010\n", "ambiguous"},
		{"DC-10 conflict", "change_id: x\n<<<<<<< ours\nphase: proposed\n=======\nphase: complete\n>>>>>>> theirs\n", "unresolved merge conflict in " + file + " lines 2–6"},
		{"empty", "", "empty"},
		{"a word", "proposed\n", "want a mapping"},
		{"a list", "- phase: proposed\n", "want a mapping"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state, _, err := ParseState(file, []byte(tt.src))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("state %v, error %v, want %q", state, err, tt.want)
			}
		})
	}
}

func TestParseState_oddValuesAreProblems(t *testing.T) {
	src := `change_id: x
schema_version: "3.0"
phase: Merging
iteration: 99999999999999999999
last_action: [a]
created_at: 2026-01-19
updated_at: 2026-01-18T00:00:00Z
session_id: abc
llm_calls:
  - {step: a, tokens_in: -5, tokens_out: 1, cost: -1}
  - {step: b, tokens_in: 5, tokens_out: 1, cost: .nan}
  - {step: c, tokens_in: 5, tokens_out: 1, cost: 1e308}
  - not a call
transitions:
  - {step: challenge, from: proposed, phase: chalenged}
  - {step: fly, from: proposed, phase: proposed}
  - {step: challenge, from: proposed, phase: proposed, verdict: "APPROVED, more"}
  - {step: note, from: proposed, phase: proposed, by: human}
`
	got, problems, err := ParseState("STATE.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	problems.Sort()
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{0, 0, 3, 4, 5, 10, 10, 11, 12, 13, 15, 16, 17}, lines); diff != "" {
		t.Errorf("%s\n%v", diff, problems)
	}
	if high, _, _ := problems.Counts(); high != 3 {
		t.Errorf("%d HIGH problems, want one per broken transition:\n%v", high, problems)
	}
	if got.Phase != phases.Complete || got.Iteration != 1 || got.LastAction != "" || got.SessionID != "abc" || len(got.Transitions) != 1 {
		t.Errorf("got %+v", got)
	}
	if total := got.Totals().String(); total != "unknown (1 call without usage)" {
		t.Errorf("AG-25 totals %s", total)
	}
}

func TestParseState_minimal(t *testing.T) {
	got, problems, err := ParseState("STATE.yaml", []byte("change_id: merge-viewer-to-mcp\nschema_version: 2.0\nphase: proposed\niteration: '4'\nlast_action: init"))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if got.SchemaVersion != "2.0" || got.Iteration != 4 || !got.CreatedAt.IsZero() {
		t.Errorf("got %+v", got)
	}
}

// A file of the older tool goes on in our form, and nothing it said of the phase is lost.
func TestParseState_olderFileIsRewritten(t *testing.T) {
	s, _, err := ParseState("STATE.yaml", []byte(olderState))
	if err != nil {
		t.Fatal(err)
	}
	once := s.YAML()
	back, problems, err := ParseState("STATE.yaml", once)
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(string(once), string(back.YAML())); diff != "" {
		t.Error(diff)
	}
}
