package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// dayLock is the name of the lock under which a day's cap is looked at and taken from. No change is called so: it has a dot.
const dayLock = "budget.day"

// reserve refuses a call that no cap has room for, as [Bench.afford] does, and notes one that begins.
// Both are one step: runs of other changes take from the same day.
func (b *Bench) reserve(ctx context.Context, id phases.ChangeID, c *changes.Change, t turn, p player) (*spending, error) {
	unlock, err := b.lockDay(ctx)
	if err != nil {
		return nil, fmt.Errorf("add up what was spent: %w", err)
	}
	defer unlock()
	purse, err := b.afford(ctx, id, c, t.role)
	if err != nil {
		return nil, err
	}
	return b.beginSpending(id, t, p, purse), nil
}

// lockDay waits until nobody else looks at the day's cap. Who does is done in the time that git takes for a walk.
func (b *Bench) lockDay(ctx context.Context) (unlock func(), err error) {
	if b.Config.Budget.PerDay.IsZero() {
		return func() {}, nil
	}
	for {
		lock, err := b.Repo.Lock(ctx, dayLock, "a look at the budget")
		if err == nil {
			return func() { _ = lock.Unlock() }, nil // the kernel takes it back at the latest with our end
		}
		if _, taken := errors.AsType[*gitops.LockedError](err); !taken {
			return nil, err
		}
	}
}

// usualFor is how far back an estimate looks.
const usualFor = 30 * 24 * time.Hour

// estimate says what a role's next call will cost by what its calls cost on the change, or else on others in this clone;
// and what is likely where the role has made none yet: what any role's calls cost. 0 is where nobody knows.
func (b *Bench) estimate(c *changes.Change, role config.Role) (expected, likely float64, err error) {
	if c != nil {
		if expected = usualCost(c.State.Transitions, role); expected > 0 {
			return expected, expected, nil
		}
	}
	remembered, err := b.rememberedAnywhere(b.Now().Add(-usualFor))
	if err != nil {
		return 0, 0, err
	}
	var its, all []float64
	for _, calls := range remembered {
		for _, call := range calls {
			if call.Open || call.Failed || call.Usage.USD == nil {
				continue
			}
			all = append(all, *call.Usage.USD)
			if call.Role == role {
				its = append(its, *call.Usage.USD)
			}
		}
	}
	if len(its) > 0 {
		return mean(its), mean(its), nil
	}
	return 0, mean(all), nil
}

// usualCost is the mean of what a role's steps on the change cost, 0 where none told.
func usualCost(all []phases.Applied, role config.Role) float64 {
	var told []float64
	for _, t := range all {
		if t.Usage != nil && t.Usage.USD != nil && t.Actor == phases.ByAgent(string(role)) {
			told = append(told, *t.Usage.USD)
		}
	}
	return mean(told)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// tally are steps that were added up, with the time of theirs that no remembered call has been found for yet:
// the time of a step is the sum over its calls.
type tally []tallied

type tallied struct {
	change phases.ChangeID
	millis int64
}

func tallyOf(steps []phases.Transition) tally {
	var t tally
	for _, step := range steps {
		if step.Usage != nil && step.Step != phases.StepArchive {
			t = append(t, tallied{step.Change, step.Usage.Millis})
		}
	}
	return t
}

// without leaves out the calls that a step of the tally tells of.
// Steps of one call are looked for first, so that a step of several is not used up by another's.
func (t tally) without(id phases.ChangeID, calls []spentCall, journal []specs.LLMCall) []spentCall {
	for _, fits := range []func(step, call int64) bool{
		func(step, call int64) bool { return step == call },
		func(step, call int64) bool { return step >= call },
	} {
		calls = slices.DeleteFunc(calls, func(call spentCall) bool {
			if !call.recordedIn(journal) {
				return false
			}
			i := slices.IndexFunc(t, func(step tallied) bool { return step.change == id && fits(step.millis, call.Usage.Millis) })
			if i >= 0 {
				t[i].millis -= call.Usage.Millis
			}
			return i >= 0
		})
	}
	return calls
}
