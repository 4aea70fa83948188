//go:build linux

package clis

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// Approving in prose or in a code block is no verdict, approving with a HIGH finding contradicts itself,
// and of two verdicts the first one stands: none of them moves the phase.
func TestVerdict_whatDoesNotApprove_AG01_AG02_AG03_AG05(t *testing.T) {
	t.Parallel()
	verdict := func(word, findings string) modeltest.Action {
		return modeltest.Call("append_review", json.RawMessage(`{"verdict": "`+word+`", "summary": "It is whole.", "findings": [`+findings+`]}`))
	}
	const high = `{"severity": "HIGH", "description": "It cannot work.", "suggestion": "Think again."}`
	turns := []struct {
		command string
		do      []modeltest.Action
		say     string
		code    int
		error   string
		verdict string // of the last commit
	}{
		{"plan", nil, "Verdict: APPROVED\n\n```yaml\nverdict: APPROVED\n```\n", 1, "gave no verdict for " + change, ""},
		{"challenge", []modeltest.Action{verdict("APPROVED", high)}, "APPROVED", 10, "the verdict contradicts its findings", "UNKNOWN"},
		{"challenge", []modeltest.Action{verdict("NEEDS_REVISION", high), verdict("APPROVED", "")}, "APPROVED", 10, "", "NEEDS_REVISION"},
	}
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			now := 0 // the turn; commands run one after the other
			w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
				if n := len(r.Done); n < len(turns[now].do) {
					return modeltest.Do(turns[now].do[n])
				}
				return modeltest.Say(turns[now].say)
			}, roles{proposer: "replay", challenger: vendor}, "[agents.replay]\ncassette = \"../cassette.yaml\"")
			put(t, filepath.Join(w.dir, "cassette.yaml"), greetingSource(t, "plan"))
			for i, turn := range turns {
				now = i
				args := []string{turn.command, change}
				if turn.command == "plan" {
					args = append(args, "Greet", "--skip-clarify")
				}
				o := w.agentd(turn.code, args...)
				if said := sentence(o.err, "error"); !strings.Contains(said, turn.error) {
					t.Errorf("turn %d: want an error with %q, got %s", i+1, turn.error, o)
				}
				record := w.record()
				type end struct{ Phase, Verdict string }
				got := end{record[len(record)-1].phase, record[len(record)-1].verdict}
				if diff := cmp.Diff(end{"proposed", turn.verdict}, got); diff != "" {
					t.Errorf("turn %d (-want +got):\n%s", i+1, diff)
				}
			}
			w.agentd(0, "doctor", change)
		})
	}
}
