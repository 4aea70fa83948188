package workflow

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// run is one run of plan, impl or a step, from its lock to its end.
type run struct {
	said  map[string]bool // warnings that need no second time
	calls []spentCall     // what it has used
}

// bill is a sum of calls, as a cap looks at it.
type bill struct {
	usd     float64
	tokens  int64
	silent  int // successful calls of which nobody knows what they cost
	minutes float64
}

// add takes a call in. What failed without telling its numbers is charged by time, whatever the configuration says of others:
// most such calls were ended by us, and a budget that stops after every Ctrl-C would be turned off.
func (b *bill) add(u phases.Usage, failed bool, perMinute float64) {
	if !u.Unknown {
		b.tokens = phases.Plus(b.tokens, phases.Plus(u.In, u.Out))
	}
	switch {
	case u.USD != nil:
		b.usd += *u.USD
	case failed:
		b.usd += time.Duration(u.Millis*int64(time.Millisecond)).Minutes() * perMinute
	default:
		b.silent++
		b.minutes += time.Duration(u.Millis * int64(time.Millisecond)).Minutes()
	}
}

func (b *bill) addSpent(calls []spentCall, perMinute float64) {
	for _, c := range calls {
		if c.Open {
			b.addOpen(c)
			continue
		}
		b.add(c.Usage, c.Failed, perMinute)
	}
}

// addOpen takes a call in that is under way: it will cost what such calls cost, or more where it has told so already.
// One of which nobody knows either is as good as one that told no price.
func (b *bill) addOpen(c spentCall) {
	if c.Expected > 0 && (c.Usage.USD == nil || *c.Usage.USD < c.Expected) {
		c.Usage.USD = &c.Expected
	}
	b.add(c.Usage, false, 0)
}

// BudgetError says that the next call of an agent was not made, or that one was stopped, because of a cap.
type BudgetError struct {
	Scope    string // "add-oauth", "this run", "today"
	Key      string // of the configuration: per_change, per_run, per_day
	Cap      config.Cap
	USD      float64
	Tokens   int64
	Expected float64 // USD that the next call may cost by what such calls cost before; 0 where nobody knows
	Silent   int     // calls that told no price, where that stops
	Agent    string  // the agent that was stopped in the middle of its call, "" normally
}

func (e *BudgetError) Error() string {
	spent := fmt.Sprintf("$%.2f of $%.2f for %s", e.USD, e.Cap.USD, e.Scope)
	if e.Cap.USD == 0 || e.Cap.Tokens > 0 && e.Tokens >= e.Cap.Tokens {
		spent = fmt.Sprintf("%d of %d tokens for %s", e.Tokens, e.Cap.Tokens, e.Scope)
	}
	switch {
	case e.Silent > 0:
		return fmt.Sprintf("budget: %s of %s told no price, so nobody knows whether $%.2f are reached", plural(e.Silent, "call"), e.Scope, e.Cap.USD)
	case e.Agent != "":
		return fmt.Sprintf("budget reached: %s; %s was stopped", spent, e.Agent)
	case e.Expected > 0:
		return fmt.Sprintf("budget: %s are spent, and the next call may cost $%.2f", spent, e.Expected)
	}
	return "budget reached: " + spent
}

// Hint names what lets the work go on.
func (e *BudgetError) Hint() string {
	where := fmt.Sprintf("the cap is [budget] %s in %s", e.Key, config.FileName)
	byTokens := e.Cap.USD == 0 || e.Cap.Tokens > 0 && e.Tokens >= e.Cap.Tokens
	switch {
	case e.Silent > 0:
		return `the same command with --budget none, or [budget] unknown = "estimate" in ` + config.FileName
	case e.Key == "per_day":
		return "the same command tomorrow, or with --budget none; " + where
	case e.Key == "per_run":
		return "the same command begins another run, and --budget none has no cap; " + where
	case byTokens: // --budget is an amount of money
		return "the same command with --budget none; " + where
	}
	return fmt.Sprintf("the same command with --budget %.2f allows more this once; %s", math.Ceil(max(e.Cap.USD, e.USD+e.Expected)*150)/100, where)
}

// purse is what one call may still use: the bills at its start, with their caps.
type purse struct {
	bills  []cappedBill
	likely float64 // USD that others take it to cost while it is under way, 0 where nobody knows
}

// afford refuses a call before it starts when a cap is reached, or when it would not fit:
// a role's next call is taken to cost what its calls on this change cost on average,
// and where it has none there, what they cost on others.
func (b *Bench) afford(ctx context.Context, id phases.ChangeID, c *changes.Change, role config.Role) (*purse, error) {
	bills, err := b.bills(ctx, id, c)
	if err != nil {
		return nil, fmt.Errorf("add up what was spent: %w", err)
	}
	if len(bills) == 0 {
		return &purse{}, nil
	}
	expected, likely, err := b.estimate(c, role)
	if err != nil {
		return nil, fmt.Errorf("estimate the next call: %w", err)
	}
	for _, over := range bills {
		if err := over.refuses(b.Config.Budget.Unknown, expected); err != nil {
			return nil, err
		}
	}
	return &purse{bills: bills, likely: likely}, nil
}

// passed says which cap a call that is under way has gone past; nil while it has not.
// A call may use up what there is: it was begun, and its work is worth more than what its end costs.
func (p *purse) passed(u agents.Usage) *BudgetError {
	for _, over := range p.bills {
		if u.USD != nil {
			over.bill.usd += *u.USD
		}
		over.bill.tokens = phases.Plus(over.bill.tokens, phases.Plus(u.In, u.Out))
		if over.cap.USD > 0 && over.bill.usd > over.cap.USD || over.cap.Tokens > 0 && over.bill.tokens > over.cap.Tokens {
			return over.reached()
		}
	}
	return nil
}

// cappedBill is a bill, and the cap that it is held against.
type cappedBill struct {
	scope, key string
	cap        config.Cap
	bill       bill
}

// bills are those that a cap is set for. Without any cap nothing is read.
func (b *Bench) bills(ctx context.Context, id phases.ChangeID, c *changes.Change) ([]cappedBill, error) {
	budget := b.Config.Budget
	var bills []cappedBill
	if !budget.PerChange.IsZero() {
		sum, err := b.changeBill(id, c)
		if err != nil {
			return nil, err
		}
		bills = append(bills, cappedBill{id.String(), "per_change", budget.PerChange, sum})
	}
	if !budget.PerRun.IsZero() && b.run != nil {
		var sum bill
		sum.addSpent(b.run.calls, budget.USDPerMinute)
		bills = append(bills, cappedBill{"this run", "per_run", budget.PerRun, sum})
	}
	if !budget.PerDay.IsZero() {
		sum, err := b.dayBill(ctx)
		if err != nil {
			return nil, err
		}
		bills = append(bills, cappedBill{"today", "per_day", budget.PerDay, sum})
	}
	for i := range bills {
		if budget.Unknown == config.UnknownEstimate {
			bills[i].bill.usd += bills[i].bill.minutes * budget.USDPerMinute
		}
	}
	return bills, nil
}

func (o cappedBill) refuses(unknown config.Unknown, expected float64) *BudgetError {
	err := o.reached()
	switch {
	case o.cap.USD > 0 && o.bill.usd >= o.cap.USD, o.cap.Tokens > 0 && o.bill.tokens >= o.cap.Tokens:
		return err
	case o.cap.USD > 0 && o.bill.silent > 0 && unknown == config.UnknownStop:
		err.Silent = o.bill.silent
		return err
	case o.cap.USD > 0 && o.bill.usd+expected > o.cap.USD:
		err.Expected = expected
		return err
	}
	return nil
}

func (o cappedBill) reached() *BudgetError {
	return &BudgetError{Scope: o.scope, Key: o.key, Cap: o.cap, USD: o.bill.usd, Tokens: o.bill.tokens}
}

// changeBill is what a change has cost: what its history tells, and what this clone remembers beside it.
func (b *Bench) changeBill(id phases.ChangeID, c *changes.Change) (bill, error) {
	var sum bill
	var journal []specs.LLMCall
	if c != nil {
		for _, t := range c.State.Transitions {
			sum.addStep(t.Transition)
		}
		if c.Document != nil {
			journal = c.Document.LLMCalls
		}
	}
	rest, err := b.unrecorded(id, journal)
	sum.addSpent(rest, b.Config.Budget.USDPerMinute)
	return sum, err
}

// addStep takes in what a commit tells.
func (b *bill) addStep(t phases.Transition) {
	if t.Usage != nil && t.Step != phases.StepArchive { // an archive commit repeats the sum of the change
		b.add(*t.Usage, false, 0)
	}
}

// dayBill is what all changes have cost since midnight, by the clock of this machine:
// the commits of every branch that this clone has, those of other clones among them, and what it remembers beside them.
// It is read before each call, because other runs spend at the same time.
func (b *Bench) dayBill(ctx context.Context) (bill, error) {
	now := b.Now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	var sum bill
	history, err := b.Store.UsedSince(ctx, midnight)
	if err != nil {
		return sum, err
	}
	for _, t := range history {
		sum.addStep(t)
	}
	remembered, err := b.rememberedAnywhere(midnight)
	if err != nil {
		return sum, err
	}
	added := tallyOf(history)
	for id, calls := range remembered {
		var journal []specs.LLMCall
		if c, err := b.Store.Open(ctx, id); err == nil && c.Document != nil {
			journal = c.Document.LLMCalls
		}
		// A commit may claim another day, and is not among those that were added up then.
		calls = added.without(id, calls, journal)
		sum.addSpent(calls, b.Config.Budget.USDPerMinute)
	}
	return sum, nil
}
