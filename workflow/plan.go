package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Plan brings a change to an approved plan: questions, proposal, specs, tasks, challenge, and repair until it holds.
type Plan struct{ Bench *Bench }

// PlanRequest begins a change or goes on with one.
type PlanRequest struct {
	Change      phases.ChangeID
	Description string // required for a new change; kept as a note of the person for an existing one
	Mode        Mode
	SkipClarify bool
	Continue    bool // a person's decision to go on after a limit
	CommitEdits bool // take uncommitted edits of the plan into the history without asking
	Base        string
	Where       Where
	Carry       bool // take uncommitted files along into the branch
}

// planning is one run of plan.
type planning struct {
	*Bench
	req  PlanRequest
	work *workspace
	made []string // commits of this run
	left []string
}

// account adds to a result what the run made, left alone, and worked in.
func (p *planning) account(r *ActionResult) {
	r.Commits = append(r.Commits, p.made...)
	r.Left = append(r.Left, p.left...)
	if p.work != nil {
		r.Worktree = p.work.path
	}
}

// Run goes on where the change stands. It decides by the effective phase and nothing else.
func (p *Plan) Run(ctx context.Context, req PlanRequest) (result ActionResult, err error) {
	err = p.Bench.exclusively(ctx, req.Change, "plan", func(b *Bench) error {
		run := &planning{Bench: b, req: req}
		result, err = run.run(ctx)
		run.account(&result)
		return err
	})
	return result, err
}

// greet says where the change stands, and what the person may not know: that the base is no longer what it left.
func (b *Bench) greet(ctx context.Context, c *changes.Change) {
	where := fmt.Sprintf("%s is %s", c.ID, phaseWords(c))
	if c.State.Effective == phases.Proposed {
		if docs, err := c.Docs(ctx); err == nil {
			where += b.resumes(c, docs)
		}
	}
	b.Say.Note(where)
	fork, err := c.Fork(ctx)
	if err != nil {
		return // a word to the person is no reason to fail
	}
	if tip, err := b.Repo.Resolve(ctx, "refs/heads/"+c.State.Base.Branch); err == nil && tip != fork {
		b.Say.Note(fmt.Sprintf("%s has moved on since; archive will merge, and check what comes of it", c.State.Base.Branch))
	}
}

// resumes says where in the plan a run goes on: ": resuming at spec-gen-auth (2 of 4)", "" when all of it is written.
func (b *Bench) resumes(c *changes.Change, docs specs.ChangeDocs) string {
	if path, _, open := b.openReview(c); open {
		return ": resuming at " + string(reviewStep(path))
	}
	next, missing := specs.NextArtefact(docs)
	if missing && next.Step == phases.StepProposalGen && len(next.Problems) == 0 {
		return ": resuming at " + string(next.Step)
	}
	order, problems := docs.SpecOrder()
	if !missing || len(next.Problems) > 0 || problems.HasHigh() {
		return ""
	}
	all := len(order) + 2 // the proposal comes first, the tasks last
	at := all
	if next.Spec != "" {
		at = 2 + slices.Index(order, next.Spec)
	}
	return fmt.Sprintf(": resuming at %s (%d of %d)", next.Step, at, all)
}

func (p *planning) run(ctx context.Context) (ActionResult, error) {
	if err := p.ready(ctx, p.req.Change); err != nil {
		return ActionResult{Change: p.req.Change.String()}, err
	}
	c, err := p.Store.Open(ctx, p.req.Change)
	if _, missing := errors.AsType[*changes.NotFoundError](err); missing {
		return p.begin(ctx)
	}
	if err != nil {
		return ActionResult{Change: p.req.Change.String()}, err
	}
	if err := c.Forward(); err != nil {
		return resultOf(c, "", ""), err
	}
	p.greet(ctx, c)
	p.workspaceOf(gitops.ID(c.State.Base.Commit))
	if c.State.Effective == phases.Challenged {
		// An edit makes the plan proposed again, once it is in the history.
		if c, err = p.commitEdits(ctx, c, p.req.CommitEdits); err != nil {
			return resultOf(c, ActionAlreadyChallenged, ""), err
		}
	}
	switch c.State.Effective {
	case phases.Proposed:
		return p.goOn(ctx, c)
	case phases.Rejected:
		return resultOf(c, ActionRejected, "the change is rejected"), &RejectedError{ID: c.ID, Reason: rejectionReason(c)}
	case phases.Challenged:
		if c, err = p.note(ctx, c); err != nil {
			return resultOf(c, ActionAlreadyChallenged, ""), err
		}
		r := resultOf(c, ActionAlreadyChallenged, "planning is complete")
		r.Next = command("impl", c.ID)
		return r, nil
	default:
		r := resultOf(c, ActionBeyondPlanning, fmt.Sprintf("the change is %s: beyond planning", c.Phase()))
		r.Next = nextCommand(c)
		return r, nil
	}
}

// goOn takes up a proposed change: edits and notes first, then the steps.
func (p *planning) goOn(ctx context.Context, c *changes.Change) (ActionResult, error) {
	c, err := p.commitEdits(ctx, c, p.req.CommitEdits)
	if err != nil {
		return resultOf(c, ActionProposed, ""), err
	}
	if c, err = p.note(ctx, c); err != nil {
		return resultOf(c, ActionProposed, ""), err
	}
	if p.req.Continue {
		if c, err = p.append(ctx, c, continueRecord("planning")); err != nil {
			return resultOf(c, ActionProposed, ""), err
		}
	}
	return p.loop(ctx, c)
}

// loop takes one step after the other until the plan holds, is rejected, or a person must decide.
func (p *planning) loop(ctx context.Context, c *changes.Change) (ActionResult, error) {
	for {
		docs, err := c.Docs(ctx)
		if err != nil {
			return resultOf(c, ActionProposed, ""), err
		}
		if p.unwritten(c, docs) {
			if err := p.castBoth(ctx, config.Proposer, config.Challenger, c); err != nil {
				return resultOf(c, ActionProposed, ""), err
			}
		}
		next, done, err := p.artefacts(ctx, c, docs)
		if err != nil {
			return resultOf(next, ActionProposed, ""), err
		}
		if !done {
			c = next
			continue
		}
		switch need := c.State.Need(); need {
		case phases.NeedReproposal:
			stop, r, err := p.decide(ctx, c)
			if stop || err != nil {
				return r, err
			}
			if err := p.castBoth(ctx, config.Proposer, config.Challenger, c); err != nil {
				return resultOf(c, ActionProposed, ""), err
			}
			if c, err = p.repropose(ctx, c); err != nil {
				return resultOf(c, ActionProposed, ""), err
			}
		default:
			next, repaired, err := p.validate(ctx, c, docs)
			if err != nil {
				return resultOf(next, ActionProposed, ""), err
			}
			if c = next; repaired {
				continue
			}
			var ended bool
			var r ActionResult
			if c, ended, r, err = p.challenge(ctx, c); ended || err != nil {
				return r, err
			}
		}
	}
}

// decide stops before a repair where a limit, the person or the mode says so.
func (p *planning) decide(ctx context.Context, c *changes.Change) (stop bool, r ActionResult, err error) {
	found := findingsOf(c.State.LastChallenge)
	limit := p.Config.Workflow.PlanningIterations
	reason := ""
	if c.State.Repairs >= limit {
		reason = fmt.Sprintf("%d of %d revisions are used up and the challenge still asks for more (%s)", c.State.Repairs, limit, countText(found))
	} else if stall, stalled := c.State.Stalled(); stalled {
		reason = stall.Reason
	}
	if reason == "" {
		if p.req.Mode == ModeInteractive && !p.answered(c) {
			return p.askRevision(ctx, c, found)
		}
		return false, ActionResult{}, nil
	}
	decision := limitDecision(c.ID, reason, found)
	if p.req.Mode == ModeInteractive {
		return p.askLimit(ctx, c, decision)
	}
	r = p.pending(c, decision)
	return true, r, &LimitError{ID: c.ID, Reason: reason, Decision: decision}
}

// answered says that running plan again after a verdict of an earlier run is itself the answer: go on.
func (p *planning) answered(c *changes.Change) bool {
	last := c.State.LastChallenge
	for _, commit := range p.made {
		if last != nil && commit == last.Commit {
			return false
		}
	}
	return true
}

func (p *planning) askRevision(ctx context.Context, c *changes.Change, found phases.Findings) (bool, ActionResult, error) {
	decision := revisionDecision(c.ID, found)
	choice, err := p.ask(ctx, c, decision)
	if err != nil {
		return true, p.pending(c, decision), err
	}
	if choice == "revise" {
		return false, ActionResult{}, nil
	}
	r := p.pending(c, decision)
	r.Chosen = choice
	return true, r, nil
}

func (p *planning) askLimit(ctx context.Context, c *changes.Change, decision Decision) (bool, ActionResult, error) {
	choice, err := p.ask(ctx, c, decision)
	if err != nil {
		return true, p.pending(c, decision), err
	}
	switch choice {
	case "continue":
		next, err := p.append(ctx, c, continueRecord("planning"))
		if err != nil {
			return true, p.pending(c, decision), err
		}
		*c = *next
		return false, ActionResult{}, nil
	case "implement":
		next, err := p.append(ctx, c, approveRecord(c, "approved at the limit of rounds"))
		if err != nil {
			return true, p.pending(c, decision), err
		}
		r := resultOf(next, ActionChallenged, "you approved the plan")
		r.Chosen = choice
		return true, r, nil
	}
	r := p.pending(c, decision)
	r.Chosen = choice
	return true, r, nil
}

// pending is the result of a run that leaves a decision open.
func (p *planning) pending(c *changes.Change, d Decision) ActionResult {
	r := resultOf(c, ActionDecisionPending, d.Question)
	r.Decision = &d
	if len(d.Options) > 0 {
		r.Next = d.Options[0].Command
	}
	return r
}

// note keeps a description that is given for an existing change.
func (p *planning) note(ctx context.Context, c *changes.Change) (*changes.Change, error) {
	// The same command again, after an interruption, says nothing new.
	if p.req.Description == "" || said(c, p.req.Description) {
		return c, nil
	}
	next, err := p.append(ctx, c, changes.Record{
		Subject: "note: " + firstLine(p.req.Description), Body: p.req.Description,
		Transition: phases.Transition{Step: phases.StepNote, Actor: phases.Human},
	})
	if err != nil {
		return c, err
	}
	p.Say.Note(fmt.Sprintf("%s exists already: your description is kept as a note", c.ID))
	p.req.Description = ""
	return next, nil
}

// said says whether the change's history holds a text already, as its description or as a note.
func said(c *changes.Change, text string) bool {
	words := strings.Fields(text)
	return slices.ContainsFunc(c.State.Transitions, func(t phases.Applied) bool {
		return (t.From == phases.None || t.Step == phases.StepNote) && slices.Equal(strings.Fields(t.Body), words)
	})
}

// append writes one step and remembers its commit.
func (p *planning) append(ctx context.Context, c *changes.Change, rec changes.Record) (*changes.Change, error) {
	next, left, err := c.Append(ctx, rec)
	if err != nil {
		return c, err
	}
	p.made = append(p.made, string(next.Tip))
	p.left = append(p.left, left...)
	return next, nil
}

func (p *planning) workspaceOf(base gitops.ID) {
	p.work = &workspace{bench: p.Bench, id: p.req.Change, where: p.req.Where, carry: p.req.Carry, base: base}
}

// ask shows the person what was found and puts the decision.
func (b *Bench) ask(ctx context.Context, c *changes.Change, d Decision) (string, error) {
	if b.Ask == nil {
		return "", &DecisionError{ID: c.ID, Decision: d}
	}
	q := Question{Title: d.Question}
	for _, o := range d.Options {
		q.Options = append(q.Options, Option{Label: o.Label, Recommended: o.Recommended})
	}
	pick, err := b.Ask.Choose(ctx, q)
	if err != nil {
		return "", err
	}
	return d.Options[pick].Action, nil
}

func findingsOf(a *phases.Applied) phases.Findings {
	if a == nil || a.Findings == nil {
		return phases.Findings{}
	}
	return *a.Findings
}

func rejectionReason(c *changes.Change) string {
	for i := len(c.State.Transitions) - 1; i >= 0; i-- {
		if t := c.State.Transitions[i]; t.Phase == phases.Rejected {
			return t.Body
		}
	}
	return ""
}

func continueRecord(what string) changes.Record {
	return changes.Record{
		Subject: "a person lets " + what + " go on",
		Transition: phases.Transition{
			Step: phases.StepContinue, Decision: phases.DecisionContinue, Actor: phases.Human,
		},
	}
}

func approveRecord(c *changes.Change, reason string) changes.Record {
	return changes.Record{
		Subject: "a person approves the plan", Body: reason, JudgedPlan: c.State.PlanTree,
		Transition: phases.Transition{
			Step: phases.StepApprove, Decision: phases.DecisionApprove, Actor: phases.Human,
		},
	}
}

// known are the findings of the round before, for the prompt of the next.
func knownFindings(docs specs.ChangeDocs, file string) []specs.Finding {
	return specs.ReadFindings(docs.Files[file])
}
