package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Steps takes exactly one step: for CI, and for agents that steer themselves.
type Steps struct{ Bench *Bench }

// StepRequest names the step.
type StepRequest struct {
	Change      phases.ChangeID
	Step        string      // proposal, challenge, reproposal, implement, review, resolve
	Artefact    phases.Step // of proposal: the one document that must be next; "" for whichever is
	Description string      // for a proposal of a new change
	CommitEdits bool
	Where       Where
	Carry       bool
}

// begins says whether the step may be the first of a new change.
func (r StepRequest) begins() bool { return r.Artefact == "" || r.Artefact == phases.StepProposalGen }

// StepNames are the steps that can be taken one by one, in the order of a change's life.
func StepNames() []string {
	return []string{"proposal", "challenge", "reproposal", "implement", "review", "resolve"}
}

// Run takes the step if the history allows it now, and refuses it otherwise.
func (s *Steps) Run(ctx context.Context, req StepRequest) (result ActionResult, err error) {
	err = s.Bench.exclusively(ctx, req.Change, req.Step, func(b *Bench) error {
		run := newImplementing(b, ImplementRequest{Change: req.Change, Mode: ModeOnce, Where: req.Where, Carry: req.Carry})
		result, err = run.step(ctx, req)
		run.account(&result)
		return err
	})
	return result, err
}

func (i *implementing) step(ctx context.Context, req StepRequest) (ActionResult, error) {
	none := ActionResult{Change: req.Change.String(), Commits: []string{}}
	if err := i.ready(ctx, req.Change); err != nil {
		return none, err
	}
	c, err := i.Store.Open(ctx, req.Change)
	if _, missing := errors.AsType[*changes.NotFoundError](err); missing && req.Step == "proposal" && req.begins() {
		return i.firstProposal(ctx, req)
	}
	if err == nil {
		err = c.Forward()
	}
	if err != nil {
		return none, err
	}
	if c, err = i.commitEdits(ctx, c, req.CommitEdits); err != nil {
		return resultOf(c, "", ""), err
	}
	i.workspaceOf(gitops.ID(c.State.Base.Commit))
	if err := i.allowed(ctx, c, req.Step, req.Artefact); err != nil {
		return resultOf(c, "", ""), err
	}
	return i.takeStep(ctx, c, req.Step)
}

// allowed refuses a step that is not the history's turn, before anything is spent.
func (i *implementing) allowed(ctx context.Context, c *changes.Change, step string, artefact phases.Step) error {
	if c.State.Effective == phases.Rejected {
		return &RejectedError{ID: c.ID, Reason: rejectionReason(c)}
	}
	event := map[string]phases.Event{
		"proposal": phases.EventPlan, "challenge": phases.EventChallengeApproved, "reproposal": phases.EventReproposal,
		"implement": phases.EventImplement, "review": phases.EventReviewApproved, "resolve": phases.EventResolve,
	}[step]
	if event == "" {
		return fmt.Errorf("unknown step %q (the steps are %v)", step, StepNames())
	}
	if err := c.State.Allows(event); err != nil {
		return err
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return err
	}
	next, missing := specs.NextArtefact(docs)
	if missing && step != "proposal" {
		if err := usable(c, next); err != nil {
			return err
		}
		return &GateError{Gate: "plan", Reason: next.Path + " is missing", Next: command("plan", c.ID)}
	}
	switch {
	case artefact != "" && !missing:
		return &GateError{Gate: "step", Reason: "the plan is whole: nothing to write", Next: command("challenge", c.ID)}
	case artefact != "" && artefact != next.Step:
		return &GateError{Gate: "step", Reason: fmt.Sprintf("%s is next, not %s", next.Step, artefact), Next: fmt.Sprintf("gh agentd submit %s --change %s --json-file FILE", next.Step, c.ID)}
	case step == "reproposal" && c.State.LastChallenge == nil:
		return &GateError{Gate: "step", Reason: "there is no challenge to answer", Next: command("challenge", c.ID)}
	case step == "resolve" && c.State.LastReview == nil:
		return &GateError{Gate: "step", Reason: "there is no review to resolve", Next: command("review", c.ID)}
	case step == "challenge":
		problems, err := i.problemsOf(ctx, c, docs)
		if err != nil {
			return err
		}
		if problems.HasHigh() {
			return &GateError{Gate: "validate", Reason: "the plan breaks the rules", Problems: problems, Next: command("validate", c.ID)}
		}
	}
	return nil
}

func (i *implementing) takeStep(ctx context.Context, c *changes.Change, step string) (ActionResult, error) {
	var err error
	switch step {
	case "proposal":
		docs, err := c.Docs(ctx)
		if err != nil {
			return resultOf(c, "", ""), err
		}
		next, done, err := i.artefacts(ctx, c, docs)
		if err != nil {
			return resultOf(next, "", ""), err
		}
		r := resultOf(next, ActionProposed, "took one step of the plan")
		if done {
			r.Message = "the plan is whole: nothing to write"
		}
		r.Next = nextCommand(next)
		return r, nil
	case "challenge":
		_, _, r, err := i.challenge(ctx, c)
		return r, err
	case "reproposal":
		c, err = i.repropose(ctx, c)
		return resultOf(c, ActionRevised, "the plan is revised"), err
	case "implement":
		open, err := i.openTasks(ctx, c)
		if err != nil {
			return resultOf(c, "", ""), err
		}
		if len(open) == 0 && c.State.Effective == phases.Implementing {
			r := resultOf(c, ActionImplementing, "every task is done")
			r.Next = command("review", c.ID)
			return r, nil
		}
		c, err = i.implement(ctx, c, open)
		return resultOf(c, ActionImplementing, "took one step of the implementation"), err
	case "review":
		_, _, r, err := i.review(ctx, c)
		return r, err
	default:
		c, err = i.resolve(ctx, c)
		return resultOf(c, ActionImplementing, "the review is resolved"), err
	}
}

// firstProposal begins a change with its proposal, unclarified.
func (i *implementing) firstProposal(ctx context.Context, req StepRequest) (ActionResult, error) {
	none := ActionResult{Change: req.Change.String(), Commits: []string{}}
	if req.Description == "" {
		return none, &MissingDescriptionError{ID: req.Change}
	}
	if err := i.Store.Free(ctx, req.Change); err != nil {
		return none, err
	}
	base, err := i.base(ctx)
	if err != nil {
		return none, err
	}
	i.workspaceOf(gitops.ID(base.Commit))
	first, err := i.proposal(ctx, nil, req.Description, nil)
	if err != nil {
		return none, err
	}
	first.Body = req.Description
	c, err := i.Store.Begin(ctx, changes.Beginning{
		ID: req.Change, Base: base, Profile: i.Config.Workflow.Profile, DependsOn: dependsOn(base), Record: first,
	})
	if err != nil {
		return none, err
	}
	i.made = append(i.made, string(c.Tip))
	r := resultOf(c, ActionProposed, "the change begins with its proposal")
	r.Next = command("plan", c.ID)
	return r, nil
}
