package workflow

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Usage sums up what changes cost, from the history alone.
type Usage struct{ Bench *Bench }

// UsageRequest says what to sum up.
type UsageRequest struct {
	Change phases.ChangeID // zero for all
	By     string          // change (default), step, role, agent, month
}

// UsageTotals is a sum over calls of agents. Tokens are of the calls that told them; nil where none did.
type UsageTotals struct {
	Calls   int      `json:"calls"`
	In      *int64   `json:"in"`
	Cached  *int64   `json:"cached"`
	Out     *int64   `json:"out"`
	Millis  int64    `json:"ms"`
	USD     *float64 `json:"usd,omitempty"` // of the calls whose price is known; absent when none is
	Unknown int      `json:"unknown_calls"` // calls that reported no usage or have no price
}

// UsageRow is one line of the report.
type UsageRow struct {
	Key string `json:"key"`
	UsageTotals
}

// UsageResult is the report.
type UsageResult struct {
	Rows  []UsageRow  `json:"rows"`
	Total UsageTotals `json:"total"`
	Lost  UsageTotals `json:"lost"` // of calls in this clone whose work was never committed; in no row
}

// UsageKeys are the ways to group.
func UsageKeys() []string { return []string{"change", "step", "role", "agent", "month"} }

func (u *UsageTotals) add(use phases.Usage) {
	u.Calls++
	if !use.Unknown {
		u.In, u.Cached, u.Out = plus(u.In, use.In), plus(u.Cached, use.Cached), plus(u.Out, use.Out)
	}
	u.Millis = phases.Plus(u.Millis, use.Millis)
	if use.USD == nil || use.Unknown {
		u.Unknown++
		return
	}
	sum := *use.USD
	if u.USD != nil {
		sum += *u.USD
	}
	u.USD = &sum
}

// plus adds a count to a sum, which is nil before its first.
func plus(sum *int64, count int64) *int64 {
	if sum != nil {
		count = phases.Plus(*sum, count)
	}
	return &count
}

// Run reads every change's history and groups its calls.
func (u *Usage) Run(ctx context.Context, req UsageRequest) (UsageResult, error) {
	ids := []phases.ChangeID{req.Change}
	if req.Change.IsZero() {
		var err error
		if ids, err = u.Bench.allIDs(ctx); err != nil {
			return UsageResult{}, err
		}
	}
	rows := map[string]*UsageTotals{}
	var result UsageResult
	for _, id := range ids {
		c, err := u.Bench.Store.Open(ctx, id)
		if err != nil {
			if req.Change.IsZero() {
				u.Bench.Say.Warn(err.Error())
				continue
			}
			return result, err
		}
		for _, t := range c.State.Transitions {
			if t.Usage == nil || t.Step == phases.StepArchive {
				continue // an archive commit repeats the sum of the change
			}
			key := usageKey(req.By, id, t)
			if rows[key] == nil {
				rows[key] = &UsageTotals{}
			}
			rows[key].add(*t.Usage)
			result.Total.add(*t.Usage)
		}
		if err := u.addLost(id, c, &result.Lost); err != nil {
			return result, err
		}
	}
	result.Rows = []UsageRow{}
	for key, totals := range rows {
		result.Rows = append(result.Rows, UsageRow{Key: key, UsageTotals: *totals})
	}
	slices.SortFunc(result.Rows, func(a, b UsageRow) int { return cmp.Compare(a.Key, b.Key) })
	return result, nil
}

func (u *Usage) addLost(id phases.ChangeID, c *changes.Change, lost *UsageTotals) error {
	if c.Document == nil {
		return nil // doctor says so
	}
	calls, err := u.Bench.unrecorded(id, c.Document.LLMCalls)
	for _, call := range calls {
		lost.add(call.Usage)
	}
	return err
}

func usageKey(by string, id phases.ChangeID, t phases.Applied) string {
	switch by {
	case "step":
		return string(t.Step)
	case "role":
		if t.Step == phases.StepClarify {
			return string(phases.ByAgent(string(config.Proposer))) // a person answered, the proposer asked
		}
		return string(t.Actor)
	case "agent":
		return t.Agent
	case "month":
		return time.Unix(t.Time, 0).UTC().Format("2006-01")
	}
	return id.String()
}

// allIDs are all changes, those on branches and those in the archive.
func (b *Bench) allIDs(ctx context.Context) ([]phases.ChangeID, error) {
	all, err := b.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	archive, err := b.Store.Archived(ctx)
	if err != nil {
		return nil, err
	}
	var ids []phases.ChangeID
	for _, s := range append(archive, all...) {
		ids = append(ids, s.ID)
	}
	slices.SortFunc(ids, func(a, b phases.ChangeID) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(ids), nil
}

// totalsOf sums up one change.
func totalsOf(all []phases.Applied) UsageTotals {
	var sum UsageTotals
	for _, t := range all {
		if t.Usage != nil && t.Step != phases.StepArchive {
			sum.add(*t.Usage)
		}
	}
	return sum
}

// sumCalls is the usage of one step: of the call, and of the one before that had to be repeated.
func sumCalls(calls []specs.LLMCall) phases.Usage {
	var sum phases.Usage
	usd, priced := 0.0, true
	for _, c := range calls {
		sum.In = phases.Plus(sum.In, c.Usage.In)
		sum.Cached = phases.Plus(sum.Cached, c.Usage.Cached)
		sum.Out = phases.Plus(sum.Out, c.Usage.Out)
		sum.Millis = phases.Plus(sum.Millis, c.Usage.Millis)
		sum.Unknown = sum.Unknown || c.Usage.Unknown
		if c.Usage.USD == nil {
			priced = false
			continue
		}
		usd += *c.Usage.USD
	}
	if priced && len(calls) > 0 {
		sum.USD = phases.Price(&usd)
	}
	if sum.Unknown {
		sum.In, sum.Cached, sum.Out = 0, 0, 0
	}
	return sum.Bounded()
}
