package workflow

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// judged is a verdict as it was handed over, with all that its commit says of it.
// Asking for one and recording it are apart: in GitHub Actions they are two jobs, of which only the second may write.
type judged struct {
	verdict  inbox.Verdict
	agent    string // as the record names who judged
	actor    phases.Actor
	usage    phases.Usage
	calls    []specs.LLMCall
	evidence []phases.Evidence // of a review
}

// judgedBy takes the verdict out of what an agent handed over.
func judgedBy(h *handover) (judged, error) {
	verdict, _, err := h.box.Verdict()
	return judged{verdict: verdict, agent: h.agentID(), actor: h.actor(), usage: h.usage, calls: h.calls}, err
}

// words are the verdict as the tool of its step takes it.
func (j judged) words() (json.RawMessage, error) {
	if j.verdict.Challenge != nil {
		return json.Marshal(j.verdict.Challenge)
	}
	return json.Marshal(j.verdict.Review)
}

// challengeReport is a verdict on the plan as readers see it. known are the findings of the rounds before.
func (j judged) challengeReport(c *changes.Change, known []specs.Finding) specs.ChallengeReport {
	return j.verdict.Challenge.Report(c.ID.String(), c.State.Round, c.State.PlanTree, j.agent, findingIDs(known))
}

// reviewReport is a verdict on the code as readers see it. known are the findings of the rounds before.
func (j judged) reviewReport(ctx context.Context, c *changes.Change, known []specs.Finding) (specs.ReviewReport, error) {
	diff, err := c.Diff(ctx)
	if err != nil {
		return specs.ReviewReport{}, err
	}
	report := j.verdict.Review.Report(c.ID.String(), c.State.Round, c.State.CodeTree, diff, j.agent, findingIDs(known))
	report.Evidence = j.evidence
	return report, nil
}

// recordChallenge commits a verdict on the plan, bound to the plan tree that was read.
func (p *planning) recordChallenge(ctx context.Context, c *changes.Change, j judged) (*changes.Change, specs.ChallengeReport, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return c, specs.ChallengeReport{}, err
	}
	report := j.challengeReport(c, knownFindings(docs, specs.ChallengeFile))
	found := specs.CountFindings(report.Findings)
	base, err := baseSeen(ctx, c)
	if err != nil {
		return c, report, err
	}
	next, err := p.append(ctx, c, changes.Record{
		Subject: fmt.Sprintf("challenge %s in round %d", verdictWords(report.Verdict), report.Round),
		Body:    report.Summary,
		Files:   map[string][]byte{specs.ChallengeFile: report.Markdown()},
		Calls:   j.calls, JudgedPlan: report.Subject,
		Transition: phases.Transition{
			Step: phases.StepChallenge, Round: report.Round, Verdict: report.Verdict, Findings: &found, Base: base,
			Agent: j.agent, Usage: &j.usage, Actor: j.actor,
		},
	})
	return next, report, err
}

// recordReview commits a verdict on the code with the evidence, bound to the code tree that was read.
func (i *implementing) recordReview(ctx context.Context, c *changes.Change, j judged) (*changes.Change, specs.ReviewReport, error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return c, specs.ReviewReport{}, err
	}
	report, err := j.reviewReport(ctx, c, knownFindings(docs, specs.ReviewFile))
	if err != nil {
		return c, report, err
	}
	found := specs.CountFindings(report.Findings)
	next, err := i.append(ctx, c, changes.Record{
		Subject: reviewSubject(report),
		Body:    report.Summary,
		Files:   map[string][]byte{specs.ReviewFile: report.Markdown()},
		Calls:   j.calls, JudgedCode: report.Subject,
		Transition: phases.Transition{
			Step: phases.StepReview, Round: report.Round, Verdict: report.Verdict, Findings: &found, Evidence: j.evidence,
			Agent: j.agent, Usage: &j.usage, Actor: j.actor,
		},
	})
	return next, report, err
}

// report is the file with the words of a verdict, as the commit of the verdict writes it.
func (j judged) report(ctx context.Context, c *changes.Change) (file string, content []byte, err error) {
	docs, err := c.Docs(ctx)
	if err != nil {
		return "", nil, err
	}
	if j.verdict.Challenge != nil {
		return specs.ChallengeFile, j.challengeReport(c, knownFindings(docs, specs.ChallengeFile)).Markdown(), nil
	}
	report, err := j.reviewReport(ctx, c, knownFindings(docs, specs.ReviewFile))
	return specs.ReviewFile, report.Markdown(), err
}
