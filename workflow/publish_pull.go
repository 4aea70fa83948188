package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// ensurePull opens the pull request, or brings our part of its body up to date.
// A new one begins as a draft also where the change is complete: people are called when the reviews stand there.
func (p *publishing) ensurePull(ctx context.Context) (github.EnsuredPull, error) {
	draft, err := p.pullDraft(ctx)
	if err != nil {
		return github.EnsuredPull{}, err
	}
	pull, err := p.client.EnsurePull(ctx, draft)
	if err != nil {
		return pull, err
	}
	if pull.Head != string(p.change.Tip) {
		if pull.PullRequest, err = p.caughtUp(ctx, pull.PullRequest); err != nil {
			return pull, err
		}
	}
	p.result.PullRequest = &PublishedPull{
		Number: pull.Number, URL: pull.URL, Draft: pull.Draft, Created: pull.Created, Updated: pull.Updated,
	}
	switch {
	case pull.Created:
		p.done("opened pull request #%d: %s", pull.Number, pull.URL)
	case pull.Updated:
		p.done("brought pull request #%d up to date", pull.Number)
	}
	return pull, nil
}

// caughtUp waits until a pull request shows what was pushed a moment ago: GitHub moves it a little later.
// Where its head is neither that nor what was there before, somebody else has moved it, and nothing is posted.
func (p *publishing) caughtUp(ctx context.Context, pull github.PullRequest) (github.PullRequest, error) {
	const most = 5
	for try := 1; pull.Head != string(p.change.Tip); try++ {
		if try > most || pull.Head != string(p.there) {
			return pull, &github.MovedError{Number: pull.Number, Want: string(p.change.Tip), Have: pull.Head}
		}
		if err := p.pause(ctx, github.Pause{For: gracePeriod, Why: "the pull request does not show the push yet", Try: try, Most: most}); err != nil {
			return pull, err
		}
		var err error
		if pull, err = p.client.Pull(ctx, pull.Number); err != nil {
			return pull, err
		}
	}
	return pull, nil
}

// pullDraft is the pull request as it shall be.
func (p *publishing) pullDraft(ctx context.Context) (github.PullDraft, error) {
	docs, err := p.change.Docs(ctx)
	if err != nil {
		return github.PullDraft{}, err
	}
	summary := ""
	if proposal, _, err := specs.ParseProposal(specs.ProposalPath, docs.Files[specs.ProposalPath]); err == nil {
		summary = proposal.Summary
	}
	body := p.pullBody(summary)
	if body.Collides, err = p.collisions(ctx); err != nil {
		return github.PullDraft{}, err
	}
	return github.PullDraft{
		Branch: p.req.Change.Branch(), Owner: p.owner, Base: p.change.State.Base.Branch,
		Title: pullTitle(p.req.Change, summary), Body: body.Render(), Draft: true, Again: p.req.Again,
	}, nil
}

// collisions are forecast for the pull request, with every open change that is known here.
func (p *publishing) collisions(ctx context.Context) ([]string, error) {
	if p.change.Phase() == phases.Rejected {
		return nil, nil
	}
	forecast := Conflicts{Bench: p.Bench}
	found, err := forecast.Run(ctx, ConflictsRequest{Changes: []phases.ChangeID{p.change.ID}})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, pair := range found.Pairs {
		if len(pair.Conflicts) > 0 {
			lines = append(lines, p.client.Sanitizer().Line(pair.Words(), 4*mostName))
		}
	}
	return lines, nil
}

// pullTitle is the change's id and what it is for. Once the pull request is open, its title is a person's.
func pullTitle(id phases.ChangeID, summary string) string {
	sentence, _, _ := strings.Cut(firstLine(summary), ". ")
	if sentence = strings.TrimSuffix(strings.TrimSpace(sentence), "."); sentence == "" {
		return id.String()
	}
	return id.String() + ": " + sentence
}

// pullBody is our part of the body. It tells nothing that is not in histories, so that the same ones make the same text.
func (p *publishing) pullBody(summary string) templates.PullBody {
	const most = 8_000
	c, words := p.change, p.client.Sanitizer()
	used := totalsOf(c.State.Transitions)
	body := templates.PullBody{
		Change: c.ID.String(), Branch: c.ID.Branch(), Phase: phaseWords(c),
		Summary: words.Text(summary, most), Next: nextCommand(c),
		Calls: used.Calls, In: used.In, Out: used.Out, Unknown: used.Unknown,
	}
	if used.USD != nil {
		body.USD = fmt.Sprintf("%.4f", *used.USD)
	}
	for _, t := range c.State.Transitions {
		if j, ok := judgementOf(t); ok {
			body.Verdicts = append(body.Verdicts, templates.JudgedRow{
				Kind: j.of, Round: j.round, Verdict: j.verdict, Findings: j.findings,
				By: words.Line(j.by, mostName), Commit: t.Commit, URL: p.commitURL(t.Commit),
			})
		}
	}
	return body
}

// mostName is how many bytes of an agent's name are shown.
const mostName = 120

func (p *publishing) commitURL(commit string) string { return p.target.WebURL() + "/commit/" + commit }

// judgement is what a transition says about a plan or about code: a verdict, or a person's approval.
type judgement struct {
	kind     string // of the review on GitHub: the newest of a kind outdates the others
	of       string // "plan" or "code"
	round    int    // 0 for a person's approval
	verdict  string
	findings string
	by       string
	file     string // the report with its words, "" where there is none
	there    bool   // it was said on GitHub, and sync took it into the history
}

func judgementOf(t phases.Applied) (judgement, bool) {
	j := judgement{round: t.Round, verdict: string(t.Verdict), by: t.Agent}
	plan := t.Step == phases.StepChallenge
	switch {
	case t.Step == phases.StepChallenge:
		j.file = specs.ChallengeFile
	case t.Step == phases.StepReview:
		j.file = specs.ReviewFile
	case t.Step == phases.StepApprove:
		j.round, j.verdict, j.by, plan = 0, string(phases.Approved), "a person", t.From == phases.Proposed
	default:
		return judgement{}, false
	}
	if login, _, ok := reviewOf(t.Transition); ok {
		j.by, j.there = login+" on GitHub", true
	}
	j.kind, j.of = "review", "code"
	if plan {
		j.kind, j.of = "challenge", "plan"
	}
	if t.Findings != nil {
		j.findings = countText(*t.Findings)
	}
	return j, j.verdict != ""
}
