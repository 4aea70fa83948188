package specs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

// AG-07: whatever an agent or a person wrote, the file can be read again and says the same.
func FuzzState_roundTrip_AG07(f *testing.F) {
	for _, text := range append(attacks(), "no", "~", "0x1f", "1e3", "2026-01-19", "a: b", "a #b", "{a}", "é", "\u0085", "\ufffe", "\U0001F600", "\u200b", strings.Repeat("é", 3000), "=", "<<", "- a", "? a", "'", "12e03", ".inf") {
		f.Add(text, text, int64(1), 0.5)
	}
	f.Fuzz(func(t *testing.T, a, b string, n int64, cost float64) {
		s := NewState(a)
		s.Phase, s.LastAction, s.SessionID = phases.Proposed, b, a
		s.CreatedAt, s.UpdatedAt = time.Unix(n, 0), time.Unix(n/2, 0)
		s.LLMCalls = []LLMCall{
			{Step: a, Agent: b, Model: a, Usage: phases.Usage{In: n, Out: 1, USD: &cost}, At: time.Unix(n, 0)},
			{Step: b, Usage: phases.Usage{Unknown: true}},
		}
		s.Transitions = []Entry{{Transition: phases.Transition{
			Step: phases.Step(a), Phase: phases.Proposed, Verdict: phases.Verdict(b), Agent: a, Subject: b, Tasks: []string{a, b},
			Evidence: []phases.Evidence{{Command: a}}, Base: &phases.Base{Branch: a, Commit: b}, Actor: phases.Actor(b), Loop: a,
		}}}
		s.Archive = &Archive{Base: a, Tip: b, Specs: []ArchivedSpec{{ID: SpecID(a), Before: b}}}
		src := s.YAML()
		back, _, err := ParseState("STATE.yaml", src)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if want := strings.TrimSpace(boundedText(b)); back.LastAction != want {
			t.Errorf("last_action %q, want %q\n%s", back.LastAction, want, src)
		}
		if want := strings.TrimSpace(boundedText(a)); back.SessionID != want || back.ChangeID != want || back.LLMCalls[0].Model != want {
			t.Errorf("texts differ from %q: %q %q %q", want, back.SessionID, back.ChangeID, back.LLMCalls[0].Model)
		}
		if len(back.LLMCalls) != 2 {
			t.Errorf("%d calls", len(back.LLMCalls))
		}
		again, _, err := ParseState("STATE.yaml", back.YAML())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(back.YAML()), string(again.YAML())); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(olderState))
	f.Add([]byte("phase: proposed\ntransitions: [{step: note, from: proposed, phase: proposed}]\narchive: {specs: [{id: a}]}"))
	f.Add([]byte("phase: proposed\ntelemetry: {calls: [1, {step: []}]}\nvalidations: [{result: 3}]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, problems, err := ParseState("STATE.yaml", src)
		if err != nil {
			return
		}
		if s.Phase == phases.None {
			t.Errorf("no phase and no error: %v", problems)
		}
		if _, _, err := ParseState("STATE.yaml", s.YAML()); err != nil && len(s.YAML()) <= MaxDocument {
			t.Errorf("%v\n%s", err, s.YAML())
		}
	})
}
