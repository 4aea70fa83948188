package agents_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
)

func TestClaim_Usage_AG25(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	for _, row := range []struct {
		name  string
		claim agents.Claim
		want  agents.Usage
	}{
		{"as it should be", agents.Claim{In: f(100), Cached: f(40), CacheWrite: f(10), Out: f(7), USD: f(0.25), Model: "m"},
			agents.Usage{In: 100, Cached: 40, CacheWrite: 10, Out: 7, USD: f(0.25), Known: true, Model: "m"}},
		{"AG-25 nothing said", agents.Claim{}, agents.Usage{}},
		{"AG-25 zero is known", agents.Claim{In: f(0), Out: f(0)}, agents.Usage{Known: true}},
		{"AG-25 negative", agents.Claim{In: f(-1), Out: f(5), USD: f(1)}, agents.Usage{USD: f(1)}},
		{"AG-25 not a number", agents.Claim{In: f(math.NaN()), Out: f(5)}, agents.Usage{}},
		{"AG-25 huge", agents.Claim{In: f(1e308), Out: f(5)}, agents.Usage{}},
		{"AG-25 infinite", agents.Claim{In: f(5), Out: f(math.Inf(1))}, agents.Usage{}},
		{"AG-25 more cached than there was", agents.Claim{In: f(5), Cached: f(6), Out: f(1)}, agents.Usage{}},
		{"AG-25 price negative", agents.Claim{In: f(5), USD: f(-0.1)}, agents.Usage{In: 5, Known: true}},
		{"AG-25 price not a number", agents.Claim{In: f(5), USD: f(math.NaN())}, agents.Usage{In: 5, Known: true}},
		{"AG-25 price beyond reason", agents.Claim{In: f(5), USD: f(1e308)}, agents.Usage{In: 5, Known: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, row.claim.Usage()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUsage_Sub_totalsOfASession(t *testing.T) {
	base := agents.Usage{In: 100, Cached: 10, Out: 20, Known: true, USD: new(0.5)}
	got := agents.Usage{In: 150, Cached: 30, Out: 25, Known: true, USD: new(0.75), Model: "m"}.Sub(base)
	if diff := cmp.Diff(agents.Usage{In: 50, Cached: 20, Out: 5, Known: true, USD: new(0.25), Model: "m"}, got); diff != "" {
		t.Error(diff)
	}
	if back := (agents.Usage{In: 50, Known: true}).Sub(base); back.Known {
		t.Errorf("a total that went back gives %+v", back)
	}
}

func FuzzJSONL_AG21_AG25(f *testing.F) {
	for _, seed := range []string{
		`{"type":"usage","in":-1,"out":1e308,"usd":-5}` + "\n" + `{"type":"done"}`,
		`{"type":"usage","in":1,"out":2}{"type":"done"}`, `{"type":"usage","in":"many"}`, `[1,2]`, `null`, `{"type":`, "\xff\x00", `{"type":"nobody knows"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		codec := jsonl()
		codec.Line(stream)
		result, err := codec.Finish(0, "")
		u := result.Usage
		if u.In < 0 || u.Out < 0 || u.Cached < 0 || u.In > 1e12 || u.Out > 1e12 || u.USD != nil && !(*u.USD >= 0 && *u.USD <= 1e6) {
			t.Errorf("usage = %+v", u)
		}
		if u.Known && result.Skipped > 0 {
			t.Error("usage is known although something could not be read")
		}
		if err != nil && err.Error() == "" {
			t.Error(fmt.Errorf("empty error"))
		}
	})
}

func TestJSONL_Line_AG21(t *testing.T) {
	for _, row := range []struct {
		name, line string
		events     int
		skipped    int
	}{
		{"AG-21 two objects on a line", `{"type":"text","text":"a"}{"type":"text","text":"b"}`, 2, 0},
		{"AG-21 unknown type", `{"type":"thinking","text":"a"}`, 0, 0},
		{"AG-21 no JSON", `Loading model…`, 0, 1},
		{"AG-21 cut", `{"type":"text","text":"a`, 0, 1},
		{"AG-21 object and then noise", `{"type":"text","text":"a"} what`, 1, 1},
		{"AG-21 wrong type of a field", `{"type":"usage","in":"many"}`, 0, 1},
		{"blank", "   ", 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			codec := jsonl()
			events := codec.Line([]byte(row.line))
			result, _ := codec.Finish(0, "")
			if len(events) != row.events || result.Skipped != row.skipped {
				t.Errorf("%d events, %d skipped", len(events), result.Skipped)
			}
		})
	}
}
