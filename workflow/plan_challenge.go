package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// validate is the gate before a challenge: tokens are spent only on a plan that the rules accept.
// What they refuse the author repairs, a limited number of times.
func (p *planning) validate(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) (next *changes.Change, repaired bool, err error) {
	problems, err := p.problemsOf(ctx, c, docs)
	if err != nil {
		return c, false, err
	}
	if !problems.HasHigh() {
		return c, false, nil
	}
	turns := 0
	for _, t := range slices.Backward(c.State.Transitions) {
		if t.Step != phases.StepValidate {
			break
		}
		turns++
	}
	if turns >= p.Config.Workflow.FormatIterations {
		return c, false, &GateError{
			Gate: "validate", Reason: fmt.Sprintf("the plan of %q breaks the rules, and its author could not repair it in %s", c.ID, plural(turns, "turn")),
			Problems: problems, Next: command("validate", c.ID),
		}
	}
	next, err = p.repair(ctx, c, problems)
	return next, true, err
}

func (p *planning) repair(ctx context.Context, c *changes.Change, problems specs.Problems) (*changes.Change, error) {
	dir, err := p.work.dir(ctx)
	if err != nil {
		return c, err
	}
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	h, err := p.take(ctx, c.ID, c, dir, turn{
		step: phases.StepValidate, role: config.Proposer, round: repairs(c) + 1, access: agents.Documents,
		doing: fmt.Sprintf("is repairing %s in the plan of %s", plural(len(problems), "problem"), c.ID),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.RepairPrompt{Change: c.ID.String(), Problems: lines, Tools: tools, Failure: failure}.Render()
		},
		check: changedPlan,
	})
	if err != nil {
		return c, err
	}
	p.report(h, fmt.Sprintf("repaired the plan of %s", c.ID))
	return p.append(ctx, c, changes.Record{
		Subject: "repaired " + plural(len(problems), "problem"), Body: bullets(lines),
		Files: planOnly(h.changedFiles()), Calls: h.calls,
		Transition: phases.Transition{
			Step: phases.StepValidate, Round: c.State.Round, Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	})
}

// repairs counts the repairs of format so far, so that each asks for an answer of its own.
func repairs(c *changes.Change) int {
	n := 0
	for _, t := range c.State.Transitions {
		if t.Step == phases.StepValidate {
			n++
		}
	}
	return n
}

// challenge lets a second agent judge the plan. ended says that the run is over, r how.
func (p *planning) challenge(ctx context.Context, c *changes.Change) (next *changes.Change, ended bool, r ActionResult, err error) {
	next, report, err := p.judgePlan(ctx, c)
	if err != nil {
		return c, true, resultOf(c, ActionProposed, ""), err
	}
	id, found := next.ID, specs.CountFindings(report.Findings)
	switch report.Verdict {
	case phases.Approved:
		r = resultOf(next, ActionChallenged, "the plan is approved")
		r.Findings, r.Next = report.Findings, command("impl", id)
		if p.req.Mode == ModeAuto {
			return next, true, r, nil
		}
		d := approvedDecision(id)
		r.Decision = &d
		if p.req.Mode == ModeInteractive {
			r.Chosen, err = p.ask(ctx, next, d)
		}
		return next, true, r, err
	case phases.VerdictRejected:
		r = p.pending(next, rejectedDecision(id))
		r.Action, r.Findings = ActionRejected, report.Findings
		return next, true, r, &RejectedError{ID: id, Reason: report.Summary}
	case phases.Unknown:
		d := unreadableDecision(id, "plan", "challenge")
		r = p.pending(next, d)
		r.Findings = report.Findings
		return next, true, r, &DecisionError{ID: id, Decision: d}
	}
	if p.req.Mode == ModeOnce {
		d := revisionDecision(id, found)
		r = p.pending(next, d)
		r.Findings = report.Findings
		return next, true, r, &DecisionError{ID: id, Decision: d}
	}
	return next, false, r, nil
}

// judgePlan runs the challenger and records its verdict, bound to the plan tree that it read.
func (p *planning) judgePlan(ctx context.Context, c *changes.Change) (*changes.Change, specs.ChallengeReport, error) {
	if err := c.State.Allows(phases.EventChallengeApproved); err != nil {
		return c, specs.ChallengeReport{}, err
	}
	dir, err := p.work.dir(ctx)
	if err != nil {
		return c, specs.ChallengeReport{}, err
	}
	verdict, err := p.challenger(ctx, c, dir)
	if err != nil {
		return c, specs.ChallengeReport{}, err
	}
	return p.recordChallenge(ctx, c, verdict)
}

// challenger lets the second agent look, and reads its verdict.
func (p *planning) challenger(ctx context.Context, c *changes.Change, dir string) (judged, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return judged{}, err
	}
	controls, err := p.quotedControls(ctx, c)
	if err != nil {
		return judged{}, err
	}
	known := knownFindings(docs, specs.ChallengeFile)
	round := c.State.Round
	h, err := p.take(ctx, c.ID, c, dir, turn{
		step: phases.StepChallenge, role: config.Challenger, round: round, access: agents.ReadOnly,
		subject: c.State.PlanTree, known: findingIDs(known),
		doing: fmt.Sprintf("is challenging %s (round %d)", c.ID, round),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ChallengePrompt{
				Change: c.ID.String(), Round: round, Files: planPaths(docs), Known: knownOf(known), Controls: controls, Tools: tools, Failure: failure,
			}.Render()
		},
		check: func(h *handover) string {
			// One that was tampered with is nothing to ask again for: the first one stands, or none.
			if verdict, ok, err := h.box.Verdict(); err == nil && (!ok || verdict.Challenge == nil) {
				return fmt.Sprintf("gave no verdict for %s (round %d)", c.ID, round)
			}
			return ""
		},
	})
	if err != nil {
		return judged{}, err
	}
	j, err := judgedBy(h)
	if err != nil {
		return j, err
	}
	report := j.challengeReport(c, known)
	p.report(h, fmt.Sprintf("challenged %s: %s, %s", c.ID, verdictWords(report.Verdict), plural(len(report.Findings), "finding")))
	return j, nil
}

// baseSeen is where the base stands that the judge of a plan sees:
// an archive replaces no spec that moved on the base after that.
func baseSeen(ctx context.Context, c *changes.Change) (*phases.Base, error) {
	fork, err := c.Fork(ctx)
	return &phases.Base{Branch: c.State.Base.Branch, Commit: string(fork)}, err
}

// repropose lets the author answer the challenge.
func (p *planning) repropose(ctx context.Context, c *changes.Change) (*changes.Change, error) {
	dir, err := p.work.dir(ctx)
	if err != nil {
		return c, err
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return c, err
	}
	findings := knownFindings(docs, specs.ChallengeFile)
	round := c.State.Round
	last := c.State.LastChallenge
	h, err := p.take(ctx, c.ID, c, dir, turn{
		step: phases.StepReproposal, role: config.Proposer, round: round, access: agents.ToolsOnly,
		doing: fmt.Sprintf("is revising the plan of %s (round %d)", c.ID, round),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ReproposalPrompt{
				Change: c.ID.String(), Round: round, Person: last != nil && last.Actor == phases.Human, Findings: knownOf(findings), Notes: notes(c), Tools: tools, Failure: failure,
			}.Render()
		},
		check: changedPlan,
	})
	if err != nil {
		return c, err
	}
	files := planOnly(h.changedFiles())
	p.report(h, fmt.Sprintf("revised the plan of %s: %s", c.ID, plural(len(files), "file")))
	return p.append(ctx, c, changes.Record{
		Subject: fmt.Sprintf("revised the plan for round %d", round),
		Files:   files, Calls: h.calls,
		Transition: phases.Transition{
			Step: phases.StepReproposal, Round: round, Agent: h.agentID(), Usage: &h.usage, Actor: h.actor(),
		},
	})
}

// changedPlan wants at least one document of the plan to differ.
func changedPlan(h *handover) string {
	if len(planOnly(h.changedFiles())) == 0 {
		return "no document of the plan was changed"
	}
	return ""
}

func planOnly(files map[string][]byte) map[string][]byte {
	kept := map[string][]byte{}
	for path, content := range files {
		if specs.PlanPaths(path) {
			kept[path] = content
		}
	}
	return kept
}

func planPaths(docs specs.ChangeDocs) []string {
	var paths []string
	for path := range docs.Files {
		if specs.PlanPaths(path) {
			paths = append(paths, path)
		}
	}
	return sorted(paths)
}

func findingIDs(findings []specs.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.ID)
	}
	return ids
}

func knownOf(findings []specs.Finding) []templates.Known {
	var known []templates.Known
	for _, f := range findings {
		text := f.Description
		if at := placeOf(f); at != "" {
			text = at + ": " + text
		}
		if f.Suggestion != "" {
			text += "\nSuggestion: " + f.Suggestion
		}
		known = append(known, templates.Known{ID: f.ID, Severity: f.Severity.String(), Text: text})
	}
	return known
}

// placeOf is where a finding is: a requirement, or a file with its line.
func placeOf(f specs.Finding) string {
	switch {
	case f.SpecRef != "":
		return f.SpecRef
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

func verdictWords(v phases.Verdict) string {
	switch v {
	case phases.Approved:
		return "approved"
	case phases.NeedsRevision:
		return "needs revision"
	case phases.VerdictRejected:
		return "rejected"
	case phases.NeedsChanges:
		return "needs changes"
	case phases.MajorIssues:
		return "found major issues"
	}
	return "contradicts itself"
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
