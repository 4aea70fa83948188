package workflow

import (
	"context"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Decide records what only a person may decide: approve, reopen, abandon.
type Decide struct{ Bench *Bench }

// DecideRequest is one decision.
type DecideRequest struct {
	Change      phases.ChangeID
	Kind        phases.Decision
	Reason      string
	Tree        string // what the person saw; refused when it is no longer what stands there. "" to show and ask
	Confirmed   bool   // yes was said already
	CommitEdits bool
	Where       Where
}

// Run shows what is decided about, asks unless it was confirmed, and commits the decision.
func (d *Decide) Run(ctx context.Context, req DecideRequest) (result ActionResult, err error) {
	err = d.Bench.exclusively(ctx, req.Change, string(req.Kind), func(b *Bench) error {
		run := newImplementing(b, ImplementRequest{Change: req.Change, Where: req.Where})
		result, err = run.decided(ctx, req)
		run.account(&result)
		return err
	})
	return result, err
}

func (i *implementing) decided(ctx context.Context, req DecideRequest) (ActionResult, error) {
	if err := i.ready(ctx, req.Change); err != nil {
		return ActionResult{Change: req.Change.String()}, err
	}
	c, err := i.Store.Open(ctx, req.Change)
	if err != nil {
		return ActionResult{Change: req.Change.String()}, err
	}
	if err := c.Forward(); err != nil {
		return resultOf(c, "", ""), err
	}
	if err := waits(c); err != nil {
		return resultOf(c, "", ""), err
	}
	if err := c.State.Allows(phases.Event(req.Kind)); err != nil {
		return resultOf(c, "", ""), err
	}
	if c, err = i.commitEdits(ctx, c, req.CommitEdits); err != nil {
		return resultOf(c, "", ""), err
	}
	i.workspaceOf(gitops.ID(c.State.Base.Commit))
	record, action, err := i.decision(ctx, c, req)
	if err != nil {
		return resultOf(c, "", ""), err
	}
	if err := i.confirm(ctx, c, req, record); err != nil {
		return resultOf(c, "", ""), err
	}
	next, err := i.append(ctx, c, record)
	if err != nil {
		return resultOf(c, "", ""), err
	}
	r := resultOf(next, action, record.Subject)
	r.Next = nextCommand(next)
	return r, nil
}

// decision makes the record, after everything that could refuse it.
func (i *implementing) decision(ctx context.Context, c *changes.Change, req DecideRequest) (changes.Record, string, error) {
	record := changes.Record{
		Body: req.Reason,
		Transition: phases.Transition{
			Step: phases.Step(req.Kind), Decision: req.Kind, Actor: phases.Human,
		},
	}
	switch req.Kind {
	case phases.DecisionReopen:
		record.Subject = "a person reopens the change"
		return record, ActionReopened, nil
	case phases.DecisionAbandon:
		record.Subject = "a person abandons the change"
		return record, ActionAbandoned, nil
	case phases.DecisionApprove:
		return i.approval(ctx, c, req, record, i.evidenceHere)
	}
	return record, "", fmt.Errorf("%q is no decision", req.Kind)
}

// approval binds a person's yes to the tree that was shown.
func (i *implementing) approval(ctx context.Context, c *changes.Change, req DecideRequest, record changes.Record,
	prove func(context.Context, *changes.Change) ([]phases.Evidence, error),
) (changes.Record, string, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return record, "", err
	}
	subject := c.State.PlanTree
	if c.State.Effective == phases.Implementing {
		subject = c.State.CodeTree
	}
	if req.Tree != "" && !isPrefix(req.Tree, subject) {
		return record, "", &changes.SubjectMovedError{ID: c.ID, Read: req.Tree, Have: subject}
	}
	if c.State.Effective == phases.Proposed {
		record.Subject, record.JudgedPlan = "a person approves the plan", subject
		problems, err := i.problemsOf(ctx, c, docs)
		if err != nil {
			return record, "", err
		}
		if problems.HasHigh() {
			return record, "", &GateError{
				Gate: "validate", Reason: "the plan breaks the rules", Problems: problems, Next: command("validate", c.ID),
			}
		}
		record.Transition.Base, err = baseSeen(ctx, c)
		return record, ActionApproved, err
	}
	record.Subject, record.JudgedCode = "a person approves the code", subject
	if err := i.reviewable(ctx, c, docs); err != nil {
		return record, "", err
	}
	if record.Transition.Evidence, err = prove(ctx, c); err != nil {
		return record, "", err
	}
	if !phases.EvidencePassed(record.Transition.Evidence) {
		return record, "", &GateError{
			Gate: "evidence", Reason: "a check fails, and a failing check cannot end in complete", Next: command("impl", c.ID),
		}
	}
	return record, ActionApproved, nil
}

// evidenceHere runs the checks on the code of the change.
func (i *implementing) evidenceHere(ctx context.Context, c *changes.Change) ([]phases.Evidence, error) {
	dir, err := i.work.dir(ctx)
	if err != nil {
		return nil, err
	}
	return i.evidence(ctx, c, c.Tip, dir)
}

// confirm asks the person at the terminal; without one the command itself, with its tree or --yes, is the word.
func (i *implementing) confirm(ctx context.Context, c *changes.Change, req DecideRequest, record changes.Record) error {
	if req.Confirmed || req.Tree != "" {
		return nil
	}
	if i.Ask == nil {
		return &UnconfirmedError{ID: c.ID, Kind: req.Kind, Tree: record.JudgedPlan + record.JudgedCode}
	}
	what := fmt.Sprintf("%s %s", req.Kind, c.ID)
	if tree := record.JudgedPlan + record.JudgedCode; tree != "" {
		what += fmt.Sprintf(" (tree %.12s)", tree)
	}
	pick, err := i.Ask.Choose(ctx, Question{Title: what + "?", Options: []Option{{Label: "Yes"}, {Label: "No", Recommended: true}}})
	if err != nil {
		return err
	}
	if pick != 0 {
		return ErrDeclined
	}
	return nil
}

// UnconfirmedError says that a decision needs a yes that nobody at a terminal can give.
type UnconfirmedError struct {
	ID   phases.ChangeID
	Kind phases.Decision
	Tree string
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("%s of %q is a person's decision: --yes is required when not running interactively", e.Kind, e.ID)
}

// Hint names the exact command, bound to what stands there now.
func (e *UnconfirmedError) Hint() string {
	if e.Tree == "" {
		return "`" + command(string(e.Kind), e.ID, "--yes") + "`"
	}
	return "`" + command(string(e.Kind), e.ID, "--tree", e.Tree[:min(len(e.Tree), 12)]) + "`"
}

// isPrefix says whether a typed tree id, at least seven digits of it, names the tree.
func isPrefix(typed, tree string) bool {
	return len(typed) >= 7 && len(typed) <= len(tree) && tree[:len(typed)] == typed
}
