package templates_test

import (
	"testing"

	"github.com/agentd/gh-agentd/agents"
)

// The cassette is one that the replay agent plays, and has a call for every request of the story.
func TestDemo_cassetteHasEveryCall(t *testing.T) {
	cassette, err := agents.ParseCassette("cassette.yaml", demoFile(t, "cassette.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	type request struct {
		step  string
		round int
		task  string
	}
	requests := []request{
		{"clarify", 1, ""}, {"proposal-gen", 1, ""}, {"proposal-review", 1, ""},
		{"spec-gen-token-bucket", 1, ""}, {"spec-review-token-bucket", 1, ""},
		{"spec-gen-owner-limiter", 1, ""}, {"spec-review-owner-limiter", 1, ""}, {"spec-review-owner-limiter", 2, ""},
		{"spec-gen-limited-shortening", 1, ""}, {"spec-review-limited-shortening", 1, ""},
		{"tasks-gen", 1, ""}, {"tasks-review", 1, ""},
		{"challenge", 1, ""}, {"reproposal", 2, ""}, {"challenge", 2, ""},
		{"implement", 1, "1.1"}, {"implement", 1, "2.1"}, {"implement", 1, "2.2"},
		{"implement", 1, "2.3"}, {"implement", 1, "3.1"}, {"implement", 1, "4.1"},
		{"review", 1, ""}, {"resolve", 2, ""}, {"review", 2, ""},
	}
	played := map[int]bool{}
	for _, r := range requests {
		call, err := cassette.Find(r.step, r.round, r.task)
		if err != nil {
			t.Error(err)
			continue
		}
		if played[call.Line] {
			t.Errorf("the call in line %d answers two requests, the second is %+v", call.Line, r)
		}
		played[call.Line] = true
	}
	if len(cassette.Calls) != len(requests) {
		t.Errorf("the cassette has %d calls for %d requests", len(cassette.Calls), len(requests))
	}
	for _, beyond := range []request{{"challenge", 3, ""}, {"review", 3, ""}, {"implement", 1, "9.9"}} {
		if call, err := cassette.Find(beyond.step, beyond.round, beyond.task); err == nil {
			t.Errorf("%+v is answered by the call in line %d, want none", beyond, call.Line)
		}
	}
}
