package proc

import (
	"sync/atomic"
	"time"
)

// Pulse tells the idle limit that a program is alive, by the judgement of whoever reads its output:
// a program that prints nothing but "trying again" does not live.
// The zero value is ready; it belongs to one run.
type Pulse struct {
	beats atomic.Int64
	limit atomic.Int64
}

// Beat is a sign of life.
func (p *Pulse) Beat() { p.beats.Add(1) }

// Allow sets the idle limit from here on: a longer one while a test suite runs, say.
// Zero goes back to Limits.Idle.
func (p *Pulse) Allow(d time.Duration) { p.limit.Store(int64(d)) }

func (p *Pulse) allowed(standard time.Duration) time.Duration {
	if d := time.Duration(p.limit.Load()); d > 0 {
		return d
	}
	return standard
}

// watch compares a run with its limits each time it is asked.
type watch struct {
	limits Limits
	pulse  *Pulse
	start  time.Time
	seen   int64     // beats at the last sign of life
	alive  time.Time // when that was
}

func newWatch(limits Limits, pulse *Pulse, now time.Time) *watch {
	return &watch{limits: limits, pulse: pulse, start: now, alive: now}
}

// check returns the limit that has been reached, or nil.
func (w *watch) check(now time.Time) *LimitError {
	if beats := w.pulse.beats.Load(); beats != w.seen {
		w.seen, w.alive = beats, now
	}
	// Round strips the monotonic reading: on a machine that slept, the wall clock has gone on.
	if d := w.limits.Wall; d > 0 && max(now.Sub(w.start), now.Round(0).Sub(w.start.Round(0))) >= d {
		return &LimitError{Kind: WallLimit, Limit: d}
	}
	if d := w.pulse.allowed(w.limits.Idle); d > 0 && now.Sub(w.alive) >= d {
		return &LimitError{Kind: IdleLimit, Limit: d}
	}
	return nil
}

// interval is how often to ask: often enough to be a tenth late at most, and never a burden.
func (w *watch) interval() time.Duration {
	shortest := time.Duration(0)
	for _, d := range []time.Duration{w.limits.Wall, w.limits.Idle} {
		if d > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return min(max(shortest/10, 10*time.Millisecond), time.Second)
}
