package workflow

import (
	"context"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Implement brings an approved plan to approved code: task by task, then evidence, review, and repair until it holds.
type Implement struct{ Bench *Bench }

// ImplementRequest goes on with a change.
type ImplementRequest struct {
	Change      phases.ChangeID
	Mode        Mode
	Continue    bool // a person's decision to go on after a limit or after major issues
	Again       bool // review once more although the code is approved
	CommitEdits bool
	Where       Where
	Carry       bool
}

// implementing is one run of impl.
type implementing struct {
	planning
	req ImplementRequest
}

// Run goes on where the change stands.
func (i *Implement) Run(ctx context.Context, req ImplementRequest) (result ActionResult, err error) {
	err = i.Bench.exclusively(ctx, req.Change, "impl", func(b *Bench) error {
		run := newImplementing(b, req)
		result, err = run.run(ctx)
		run.account(&result)
		return err
	})
	return result, err
}

func newImplementing(b *Bench, req ImplementRequest) *implementing {
	shared := PlanRequest{Change: req.Change, Mode: req.Mode, Where: req.Where, Carry: req.Carry}
	return &implementing{planning: planning{Bench: b, req: shared}, req: req}
}

func (i *implementing) run(ctx context.Context) (ActionResult, error) {
	none := ActionResult{Change: i.req.Change.String(), Commits: []string{}}
	if err := i.ready(ctx, i.req.Change); err != nil {
		return none, err
	}
	c, err := i.Store.Open(ctx, i.req.Change)
	if err != nil {
		return none, err
	}
	if err := c.Forward(); err != nil {
		return resultOf(c, "", ""), err
	}
	i.greet(ctx, c)
	if c, err = i.commitEdits(ctx, c, i.req.CommitEdits); err != nil {
		return resultOf(c, "", ""), err
	}
	i.workspaceOf(gitops.ID(c.State.Base.Commit))
	switch c.Phase() {
	case phases.Challenged, phases.Implementing:
	case phases.Complete:
		if i.req.Again {
			if err := waits(c); err != nil {
				return resultOf(c, "", ""), err
			}
			return i.once(ctx, c)
		}
		r := resultOf(c, ActionAlreadyComplete, "the change is complete: nothing to do")
		r.Next = nextCommand(c)
		return r, nil
	default:
		return resultOf(c, "", ""), &NotReadyError{ID: c.ID, Phase: c.State.Effective, Stale: c.State.StalePlan}
	}
	if i.req.Continue {
		if c, err = i.append(ctx, c, continueRecord("implementation")); err != nil {
			return resultOf(c, ActionImplementing, ""), err
		}
	}
	return i.loop(ctx, c)
}

// once reviews approved code again.
func (i *implementing) once(ctx context.Context, c *changes.Change) (ActionResult, error) {
	next, ended, r, err := i.review(ctx, c)
	if ended || err != nil {
		return r, err
	}
	return i.loop(ctx, next)
}

// loop takes one step after the other until the code holds or a person must decide.
func (i *implementing) loop(ctx context.Context, c *changes.Change) (ActionResult, error) {
	for {
		if err := ctx.Err(); err != nil {
			return resultOf(c, ActionImplementing, ""), err
		}
		if c.State.AwaitsDecision {
			return i.major(ctx, c)
		}
		open, err := i.openTasks(ctx, c)
		if err != nil {
			return resultOf(c, ActionImplementing, ""), err
		}
		if len(open) > 0 || c.State.Effective == phases.Challenged {
			if err := i.castBoth(ctx, config.Implementer, config.Reviewer, c); err != nil {
				return resultOf(c, ActionImplementing, ""), err
			}
			if c, err = i.implement(ctx, c, open); err != nil {
				return resultOf(c, ActionImplementing, ""), err
			}
			continue
		}
		switch c.State.Need() {
		case phases.NeedReverify:
			next, same, err := i.reverify(ctx, c)
			if err != nil {
				return resultOf(c, ActionImplementing, ""), err
			}
			if c = next; same {
				return i.complete(c, nil), nil
			}
		case phases.NeedResolve:
			stop, r, err := i.decideRepair(ctx, c)
			if stop || err != nil {
				return r, err
			}
			if err := i.castBoth(ctx, config.Implementer, config.Reviewer, c); err != nil {
				return resultOf(c, ActionImplementing, ""), err
			}
			if c, err = i.resolve(ctx, c); err != nil {
				return resultOf(c, ActionImplementing, ""), err
			}
		case phases.NeedNothing:
			return i.complete(c, nil), nil
		default:
			next, ended, r, err := i.review(ctx, c)
			if ended || err != nil {
				return r, err
			}
			c = next
		}
	}
}

func (i *implementing) complete(c *changes.Change, d *Decision) ActionResult {
	r := resultOf(c, ActionComplete, "the code is approved")
	r.Next, r.Decision = command("archive", c.ID), d
	return r
}

// major stops for the decision that only a person can make.
func (i *implementing) major(ctx context.Context, c *changes.Change) (ActionResult, error) {
	d := majorDecision(c.ID)
	r := i.pending(c, d)
	if i.req.Mode != ModeInteractive {
		return r, &DecisionError{ID: c.ID, Decision: d}
	}
	choice, err := i.ask(ctx, c, d)
	if err != nil {
		return r, err
	}
	if choice != "continue" {
		r.Chosen = choice
		return r, nil
	}
	next, err := i.append(ctx, c, continueRecord("implementation"))
	if err != nil {
		return r, err
	}
	return i.loop(ctx, next)
}

// decideRepair stops before a resolve where a limit, the person or the mode says so.
func (i *implementing) decideRepair(ctx context.Context, c *changes.Change) (stop bool, r ActionResult, err error) {
	found := findingsOf(c.State.LastReview)
	limit := i.Config.Workflow.ImplementationIterations
	reason := ""
	if c.State.Repairs >= limit {
		reason = fmt.Sprintf("%d of %d repairs are used up and the review still asks for more (%s)", c.State.Repairs, limit, countText(found))
	} else if stall, stalled := c.State.Stalled(); stalled {
		reason = stall.Reason
	}
	if reason != "" {
		d := reviewLimitDecision(c.ID, reason)
		if i.req.Mode != ModeInteractive {
			return true, i.pending(c, d), &LimitError{ID: c.ID, Reason: reason, Decision: d}
		}
		choice, err := i.ask(ctx, c, d)
		if err != nil || choice != "continue" {
			r = i.pending(c, d)
			r.Chosen = choice
			return true, r, err
		}
		next, err := i.append(ctx, c, continueRecord("implementation"))
		if err != nil {
			return true, i.pending(c, d), err
		}
		*c = *next
		return false, r, nil
	}
	if i.req.Mode == ModeInteractive && !i.answeredReview(c) {
		d := changesDecision(c.ID, c.State.LastReview)
		choice, err := i.ask(ctx, c, d)
		if err != nil || choice != "resolve" {
			r = i.pending(c, d)
			r.Chosen = choice
			return true, r, err
		}
	}
	return false, r, nil
}

// answeredReview says that running impl again after a verdict of an earlier run is itself the answer: go on.
func (i *implementing) answeredReview(c *changes.Change) bool {
	for _, commit := range i.made {
		if c.State.LastReview != nil && commit == c.State.LastReview.Commit {
			return false
		}
	}
	return true
}
