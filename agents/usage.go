package agents

import "math"

// Usage is what a run has used.
type Usage struct {
	In         int64 // input tokens, those from a cache included
	Cached     int64 // the part of In that was read from a cache
	CacheWrite int64 // the part of In that was written to a cache
	Out        int64 // output tokens, reasoning included
	Known      bool  // false: the numbers mean nothing
	USD        *float64
	Model      string // the name to look a price up by
}

// Beyond these an agent's claim is a mistake, not a bill.
const (
	mostTokens = 1e12
	mostUSD    = 1e6
)

// Claim is a usage as an agent reports it: any number, or none.
type Claim struct {
	In, Cached, CacheWrite, Out, USD *float64
	Model                            string
}

// Usage judges a claim. A count that is missing is zero, but without In or Out nothing is known;
// a count that is negative, not a number, or beyond reason makes all of them unknown;
// such a price is left out.
func (c Claim) Usage() Usage {
	u := Usage{Model: c.Model, Known: c.In != nil || c.Out != nil}
	for _, count := range []struct {
		claimed *float64
		into    *int64
	}{{c.In, &u.In}, {c.Cached, &u.Cached}, {c.CacheWrite, &u.CacheWrite}, {c.Out, &u.Out}} {
		if count.claimed == nil {
			continue
		}
		v := *count.claimed
		if !(v >= 0 && v <= mostTokens) { // also refuses NaN
			u.Known = false
			continue
		}
		*count.into = int64(math.Round(v))
	}
	if u.Cached+u.CacheWrite > u.In {
		u.Known = false
	}
	if !u.Known {
		u = Usage{Model: c.Model}
	}
	if usd := c.USD; usd != nil && *usd >= 0 && *usd <= mostUSD {
		u.USD = new(*usd)
	}
	return u
}

// sane judges a usage that did not come from a claim.
func (u Usage) sane() Usage {
	if !u.Known {
		return Claim{USD: u.USD, Model: u.Model}.Usage()
	}
	in, cached, write, out := float64(u.In), float64(u.Cached), float64(u.CacheWrite), float64(u.Out)
	return Claim{In: &in, Cached: &cached, CacheWrite: &write, Out: &out, USD: u.USD, Model: u.Model}.Usage()
}

// Sub is the usage since an earlier total, for agents that report totals of a session.
// A total that went backwards is unknown.
func (u Usage) Sub(base Usage) Usage {
	if !u.Known {
		return u
	}
	diff := Usage{
		In: u.In - base.In, Cached: u.Cached - base.Cached, CacheWrite: u.CacheWrite - base.CacheWrite, Out: u.Out - base.Out,
		Known: true, Model: u.Model, USD: u.USD,
	}
	if diff.In < 0 || diff.Cached < 0 || diff.CacheWrite < 0 || diff.Out < 0 {
		return Usage{Model: u.Model}
	}
	if u.USD != nil && base.USD != nil {
		diff.USD = nil
		if d := *u.USD - *base.USD; d >= 0 {
			diff.USD = &d
		}
	}
	return diff
}
