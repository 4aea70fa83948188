package workflow

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

func usd(v float64) *float64 { return &v }

func TestBill_add_NC03(t *testing.T) {
	const minute = 60_000
	for _, tc := range []struct {
		name   string
		usage  phases.Usage
		failed bool
		want   bill
	}{
		{"a price", phases.Usage{In: 10, Out: 5, USD: usd(0.5), Millis: minute}, false, bill{usd: 0.5, tokens: 15}},
		{"cached input is part of the input", phases.Usage{In: 10, Cached: 8, Out: 5, USD: usd(0.5)}, false, bill{usd: 0.5, tokens: 15}},
		{"tokens without a price", phases.Usage{In: 10, Out: 5, Millis: minute}, false, bill{tokens: 15, silent: 1, minutes: 1}},
		{"nothing told", phases.Usage{Unknown: true, Millis: 2 * minute}, false, bill{silent: 1, minutes: 2}},
		{"a price and no tokens", phases.Usage{Unknown: true, USD: usd(2)}, false, bill{usd: 2}},
		{"nothing told, and nothing came of it", phases.Usage{Unknown: true, Millis: 2 * minute}, true, bill{usd: 0.5}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got bill
			if got.add(tc.usage, tc.failed, 0.25); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// A sum that overflows would be negative, and no cap would be reached ever again.
func TestBill_add_overflowLiftsNoCap_NC01(t *testing.T) {
	sum := bill{tokens: math.MaxInt64 - 1}
	sum.add(phases.Usage{In: 1e12, Out: 1e12}, false, 0)
	if err := (cappedBill{scope: "x", cap: config.Cap{Tokens: 100}, bill: sum}).refuses(config.UnknownStop, 0); err == nil {
		t.Errorf("%+v is allowed", sum)
	}
}

func TestCappedBill_refuses_NC01(t *testing.T) {
	for _, tc := range []struct {
		name     string
		cap      config.Cap
		bill     bill
		expected float64
		says     string // "" for a call that may be made
	}{
		{"nothing spent", config.Cap{USD: 2}, bill{}, 0, ""},
		{"room is left", config.Cap{USD: 2}, bill{usd: 1.5}, 0.5, ""},
		{"reached", config.Cap{USD: 2}, bill{usd: 2}, 0, "budget reached: $2.00 of $2.00 for x"},
		{"passed", config.Cap{USD: 2}, bill{usd: 2.5}, 0, "budget reached: $2.50 of $2.00 for x"},
		{"would not fit", config.Cap{USD: 2}, bill{usd: 1.6}, 0.5, "budget: $1.60 of $2.00 for x are spent, and the next call may cost $0.50"},
		{"tokens reached", config.Cap{USD: 2, Tokens: 100}, bill{usd: 1, tokens: 100}, 0, "budget reached: 100 of 100 tokens for x"},
		{"tokens alone ask for no price", config.Cap{Tokens: 100}, bill{tokens: 5, silent: 3}, 9, ""},
		{"nobody knows", config.Cap{USD: 2}, bill{silent: 2}, 0, "budget: 2 calls of x told no price, so nobody knows whether $2.00 are reached"},
		{"nobody needs to know", config.Cap{USD: 2}, bill{usd: 2, silent: 2}, 0, "budget reached: $2.00 of $2.00 for x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if err := (cappedBill{scope: "x", key: "per_change", cap: tc.cap, bill: tc.bill}).refuses(config.UnknownStop, tc.expected); err != nil {
				if got = err.Error(); !strings.Contains(err.Hint(), "--budget ") {
					t.Errorf("the hint is %q", err.Hint())
				}
			}
			if got != tc.says {
				t.Errorf("got %q, want %q", got, tc.says)
			}
		})
	}
}

// A hint that leads into the same refusal would be none.
func TestBudgetError_Hint_isEnough(t *testing.T) {
	for _, spent := range []bill{{usd: 2}, {usd: 5}, {usd: 1.9}} {
		over := cappedBill{scope: "x", key: "per_change", cap: config.Cap{USD: 2}, bill: spent}
		err := over.refuses(config.UnknownStop, 0.4)
		_, amount, _ := strings.Cut(err.Hint(), "--budget ")
		var flag float64
		for _, r := range strings.Fields(amount)[0] {
			if r != '.' {
				flag = flag*10 + float64(r-'0')
			}
		}
		over.cap.USD = flag / 100
		if again := over.refuses(config.UnknownStop, 0.4); again != nil {
			t.Errorf("after %q: %v", err.Hint(), again)
		}
	}
}

func TestPurse_passed_NC02(t *testing.T) {
	money := &purse{bills: []cappedBill{
		{scope: "x", cap: config.Cap{USD: 2}, bill: bill{usd: 1.5}},
		{scope: "this run", cap: config.Cap{Tokens: 1000}, bill: bill{tokens: 400}},
	}}
	for _, tc := range []struct {
		usage agents.Usage
		scope string
	}{
		{agents.Usage{In: 100, Out: 100, USD: usd(0.5), Known: true}, ""}, // all of it may be used
		{agents.Usage{In: 100, Out: 100, USD: usd(0.51), Known: true}, "x"},
		{agents.Usage{In: 500, Out: 101, Known: true}, "this run"},
		{agents.Usage{In: 500, Out: 101, Known: true}, "this run"}, // what was asked before is not added
		{agents.Usage{}, ""},
	} {
		got := ""
		if err := money.passed(tc.usage); err != nil {
			got = err.Scope
		}
		if got != tc.scope {
			t.Errorf("%+v passes %q, want %q", tc.usage, got, tc.scope)
		}
	}
}

func TestSpentCall_recordedIn(t *testing.T) {
	at := time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC)
	call := specs.CallOf("challenge", "codex/gpt-6-sol/low", phases.Usage{In: 10, Out: 5, Millis: 70, USD: usd(0.000088)}, at)
	spent := spentOf(call, config.Challenger, false)
	rounded := call
	rounded.Usage.USD = usd(0.0001)
	if !spent.recordedIn([]specs.LLMCall{rounded}) {
		t.Error("a price that was rounded made another call of it")
	}
	for name, other := range map[string]func(*specs.LLMCall){
		"another second": func(c *specs.LLMCall) { c.At = at.Add(time.Second) },
		"another step":   func(c *specs.LLMCall) { c.Step = "review" },
		"another agent":  func(c *specs.LLMCall) { c.Agent = "claude" },
		"other tokens":   func(c *specs.LLMCall) { c.Usage.In++ },
	} {
		journal := []specs.LLMCall{call}
		other(&journal[0])
		if spent.recordedIn(journal) {
			t.Errorf("%s: taken for the same call", name)
		}
	}
}

func TestParseSpent_believesWholeSaneLines(t *testing.T) {
	got := parseSpent([]byte(`{"id":"a","step":"challenge","usage":{"Unknown":true},"failed":true}
{"id":"b","step":"review","usage":{"In":5}}
{"id":"a","step":"challenge","usage":{"In":10,"USD":0.5}}
{"id":"c","usage":{"USD":-1000000}}
{"id":"d","usage":{"USD":1e308}}
{"id":"e","usage":{"In":-1}}
{"id":"e2","usage":{"Unknown":true,"Millis":13835058055282}}
no JSON
{"id":"f","step":"tasks-gen","usage":{"In":1}}
{"id":"g","step":"hal`))
	var steps []string
	for _, call := range got {
		steps = append(steps, call.Step)
	}
	if want := []string{"challenge", "review", "tasks-gen"}; !slices.Equal(steps, want) {
		t.Fatalf("got %q, want %q", steps, want)
	}
	if got[0].Failed || got[0].Usage.In != 10 {
		t.Errorf("the later line about a call does not count: %+v", got[0])
	}
}
