package specs

import (
	"fmt"
	"math"

	"github.com/agentd/gh-agentd/phases"
)

// Totals sums up the agent calls of a change.
type Totals struct {
	Calls               int
	TokensIn, TokensOut int64
	USD                 *float64 // of the calls whose cost is known; nil if there is none
	WithoutUsage        int      // calls that did not say what they used
	WithoutCost         int      // calls whose cost nobody knows, those without usage among them
}

// Totals adds up the calls. What is unknown stays unknown and is counted.
func (s *State) Totals() Totals {
	t := Totals{Calls: len(s.LLMCalls)}
	for _, call := range s.LLMCalls {
		if call.Usage.Unknown {
			t.WithoutUsage++
		} else {
			t.TokensIn += call.Usage.In
			t.TokensOut += call.Usage.Out
		}
		cost := phases.Price(call.Usage.USD)
		if cost == nil {
			t.WithoutCost++
			continue
		}
		sum := *cost
		if t.USD != nil {
			sum += *t.USD
		}
		sum = math.Round(sum*1e6) / 1e6
		t.USD = &sum
	}
	return t
}

// String says the cost: "$0.12", or "≥ $0.12 (2 calls without usage)" where it is only a part.
func (t Totals) String() string {
	missing := ""
	switch {
	case t.WithoutUsage > 0:
		missing = fmt.Sprintf(" (%d %s without usage)", t.WithoutUsage, plural(t.WithoutUsage, "call"))
	case t.WithoutCost > 0:
		missing = fmt.Sprintf(" (%d %s without price)", t.WithoutCost, plural(t.WithoutCost, "call"))
	}
	switch {
	case t.USD == nil && t.Calls == 0:
		return "$0.00"
	case t.USD == nil:
		return "unknown" + missing
	case missing != "":
		return fmt.Sprintf("≥ $%.2f%s", *t.USD, missing)
	default:
		return fmt.Sprintf("$%.2f", *t.USD)
	}
}
