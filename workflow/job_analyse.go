package workflow

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// analyse lets an agent judge what the history waits for. It keeps nothing here: what it found is in the result.
func (j *jobbing) analyse(ctx context.Context) error {
	if err := j.legal(ctx); err != nil {
		return err
	}
	return j.exclusively(ctx, j.id, "job "+string(j.req.Mode), func(b *Bench) error {
		run := *j
		run.Bench = b
		return run.judge(ctx)
	})
}

func (j *jobbing) judge(ctx context.Context) error {
	c, err := j.open(ctx, j.head)
	if err != nil {
		return err
	}
	if err := j.watch(ctx, c); err != nil {
		return err
	}
	step, why, err := j.due(ctx, c)
	switch {
	case err != nil:
		return err
	case step == "":
		j.skip("%s", why)
		return nil
	case step == JobReview && j.stepped == JobChallenge:
		j.skip("%s is %s: what it waits for is a review", c.ID, c.State.Effective)
		return nil
	case step == JobReview && j.pull.Fork:
		j.skip("the code of a fork is not run here, and without its checks no review counts")
		return nil
	}
	run := newImplementing(j.Bench, ImplementRequest{Change: j.id, Mode: ModeOnce})
	if err := run.allowed(ctx, c, string(step), ""); err != nil {
		return err
	}
	if err := j.signable(ctx, c, step); err != nil {
		return err
	}
	var verdict judged
	if step == JobChallenge {
		verdict, err = run.challenger(ctx, c, "")
	} else {
		verdict, err = run.codeVerdict(ctx, c, func(context.Context) (string, error) { return "", nil })
	}
	if err != nil {
		return err
	}
	if err := j.show(ctx, c, verdict); err != nil {
		return err
	}
	return j.handOver(ctx, c, phases.Step(step), verdict)
}

// show puts a verdict into the result, for people.
func (j *jobbing) show(ctx context.Context, c *changes.Change, v judged) error {
	docs, err := c.Docs(ctx)
	if err != nil {
		return err
	}
	r := j.result
	r.Round, r.Usage = c.State.Round, UsageTotals{}
	r.Usage.add(v.usage)
	r.Evidence = evidenceLines(v.evidence)
	if v.verdict.Challenge != nil {
		report := v.challengeReport(c, knownFindings(docs, specs.ChallengeFile))
		r.Step, r.Verdict, r.Summary, r.Findings = phases.StepChallenge, report.Verdict, report.Summary, report.Findings
		return nil
	}
	report, err := v.reviewReport(ctx, c, knownFindings(docs, specs.ReviewFile))
	r.Step, r.Verdict, r.Summary, r.Findings = phases.StepReview, report.Verdict, report.Summary, report.Findings
	return err
}

// handOver writes the verdict for the job that publishes, unless it gives a secret away.
func (j *jobbing) handOver(ctx context.Context, c *changes.Change, step phases.Step, v judged) error {
	if err := j.keepsSecrets(v); err != nil {
		j.result.Summary, j.result.Findings = "", nil
		return err
	}
	places, err := j.placesOf(ctx, c)
	if err != nil {
		return err
	}
	defer places.close()
	for _, moved := range places.settle(&v.verdict) {
		j.warn("a finding is about " + moved + ", which is not in the pull request: the place stands in its words")
	}
	subject := c.State.PlanTree
	if step == phases.StepReview {
		subject = c.State.CodeTree
	}
	words, err := v.words()
	if err != nil {
		return err
	}
	out := jobVerdict{
		Version: jobVersion, Change: c.ID.String(), PullRequest: j.pull.Number, Step: string(step), Round: c.State.Round,
		Head: string(c.Tip), Subject: subject, Agent: v.agent, Usage: v.usage.String(), Evidence: evidenceLines(v.evidence), Verdict: words,
	}
	for _, sentence := range j.result.Warnings {
		if sentence == ControlsChanged {
			out.Warnings = append(out.Warnings, sentence)
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if len(data) > jobLimit {
		return &GateError{
			Gate: "result", Reason: "the verdict has more than 100 kB, which is more than one job may hand to another",
			Next: "run it again: reviewers are asked for few findings",
		}
	}
	j.result.Result = string(data)
	return nil
}

// keepsSecrets refuses a verdict that may give a secret away. What does not come out cannot be taken back.
func (j *jobbing) keepsSecrets(v judged) error {
	words, err := v.words()
	if err != nil {
		return err
	}
	texts, err := stringsIn(words)
	if err != nil {
		return err
	}
	redactor := proc.NewRedactor(valuesOf(secretsOf(j.Environ)))
	all := strings.Join(texts, "\n") // a secret may be spread over several findings
	for _, text := range append(texts, v.agent, all) {
		if why := redactor.Leak(text); why != "" {
			return &WithheldError{Why: why}
		}
	}
	return nil
}

// WithheldError says that a verdict is not passed on, because it may hold a secret.
type WithheldError struct{ Why string }

func (e *WithheldError) Error() string {
	return "output withheld: looks like a credential: " + e.Why
}

// Hint says what to do.
func (e *WithheldError) Hint() string {
	return "if what was judged holds a secret, take it out and replace it; then run the job again"
}
