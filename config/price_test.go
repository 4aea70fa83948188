package config

import (
	"math"
	"testing"
)

func TestConfig_Cost(t *testing.T) {
	c := load(t, `
[[agents.own.models]]
id = "a"
model = "own-1"
cost_per_1m_input = 1.0
cost_per_1m_output = 2.0
[agents.own]
command = "own"
[prices."free"]
input = 0
output = 0
[prices."gpt-5.5"]
input = 4
cached = 1
cache_write = 8
output = 20
`)
	none := math.NaN()
	tests := []struct {
		name, model string
		tokens      Tokens
		want        float64
	}{
		{"cached input is cheaper", "gpt-5.2-codex", Tokens{In: 1_000_000, Cached: 400_000, Out: 100_000}, 0.6*1.75 + 0.4*0.175 + 1.4},
		{"cache writes are dearer", "claude-sonnet-5-5", Tokens{In: 1_000_000, Cached: 200_000, CacheWrite: 300_000, Out: 0}, 0.5*2 + 0.2*0.10 + 0.3*2.50},
		{"dated name", "claude-haiku-4-5-20251001", Tokens{In: 1_000_000}, 1},
		{"price of a model entry", "own-1", Tokens{In: 1_000_000, Cached: 500_000, Out: 1_000_000}, 3},
		{"own price goes first", "gpt-5.5", Tokens{In: 2_000_000, Cached: 1_000_000, CacheWrite: 500_000}, 0.5*4 + 1 + 4},
		{"a price of 0 is a price", "free", Tokens{In: 5}, 0},
		{"nothing used", "gpt-5.5", Tokens{}, 0},
		{"unknown model", "gpt-9", Tokens{In: 5}, none},
		{"alias", "sonnet", Tokens{In: 5}, none},
		{"no model", "", Tokens{In: 5}, none},
		{"AG-25 negative count", "gpt-5.5", Tokens{In: -5}, none},
		{"AG-25 more cached than read", "gpt-5.5", Tokens{In: 5, Cached: 6}, none},
		{"AG-25 overflow", "gpt-5.5", Tokens{In: 5, Cached: math.MaxInt64, CacheWrite: math.MaxInt64}, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := c.Cost(tt.model, tt.tokens)
			switch {
			case math.IsNaN(tt.want) && got != nil:
				t.Errorf("got %v, want none", *got)
			case !math.IsNaN(tt.want) && got == nil:
				t.Errorf("got none, want %v", tt.want)
			case got != nil && math.Abs(*got-tt.want) > 1e-6:
				t.Errorf("got %v, want %v", *got, tt.want)
			}
		})
	}
}

func TestShippedPrices_areSane(t *testing.T) {
	prices, asOf, err := parseShipped(shippedTable)
	if err != nil || asOf != PricesAsOf || len(prices) != 16 {
		t.Fatalf("%d prices as of %q: %v", len(prices), asOf, err)
	}
	for model, p := range shippedPrices() {
		if p.Input <= 0 || p.Output <= p.Input || p.Cached <= 0 || p.Cached >= p.Input || p.CacheWrite < p.Input {
			t.Errorf("%s: %+v", model, p)
		}
	}
}
