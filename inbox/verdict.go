package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agentd/gh-agentd/specs"
)

// The files of inbox/.
const (
	verdictFile    = "verdict.json"
	questionsFile  = "questions.json"
	selfReviewFile = "self-review.json"
	signalFile     = "signal.json"
)

// appendReview takes the verdict of a challenge.
func (c *call) appendReview(ctx context.Context) (Reply, error) {
	in, err := input[specs.ChallengeInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	return c.keepVerdict(ctx, Verdict{Challenge: &in, Contradiction: in.Contradiction()}, in.Verdict, len(in.Findings))
}

// createReview takes the verdict of a code review.
func (c *call) createReview(ctx context.Context) (Reply, error) {
	in, err := input[specs.ReviewInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	return c.keepVerdict(ctx, Verdict{Review: &in, Contradiction: in.Contradiction()}, in.Verdict, len(in.Findings))
}

// keepVerdict records the one verdict of the run.
// A contradiction is recorded like any other: whether it counts is for the run to judge,
// and refusing it would only teach the model to leave out the finding.
func (c *call) keepVerdict(ctx context.Context, verdict Verdict, word string, findings int) (Reply, error) {
	if err := c.keepOnce(ctx, verdictFile, "verdict", verdict); err != nil {
		return Reply{}, err
	}
	text := fmt.Sprintf("verdict recorded: %s, findings: %d", word, findings)
	if verdict.Contradiction != "" {
		text = "contradiction recorded: " + verdict.Contradiction
	}
	return Reply{Text: text, Structured: map[string]any{
		"verdict": word, "findings": findings, "contradiction": verdict.Contradiction != "",
	}}, nil
}

// selfReview takes an author's judgement of its own draft; the newest one stands.
func (c *call) selfReview(ctx context.Context) (Reply, error) {
	in, err := input[specs.SelfReviewInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	if err := c.keep(ctx, selfReviewFile, in); err != nil {
		return Reply{}, err
	}
	return Reply{
		Text:       fmt.Sprintf("self-review recorded: %s, issues: %d", in.Result, len(in.Issues)),
		Structured: map[string]any{"result": in.Result, "issues": len(in.Issues)},
	}, nil
}

// proposeQuestions takes the questions for a person; none is an answer too.
func (c *call) proposeQuestions(ctx context.Context) (Reply, error) {
	in, err := input[specs.QuestionsInput](c.args)
	if err != nil {
		return Reply{}, err
	}
	if err := c.keep(ctx, questionsFile, in); err != nil {
		return Reply{}, err
	}
	return Reply{
		Text:       fmt.Sprintf("questions recorded: %d", len(in.Questions)),
		Structured: map[string]any{"questions": len(in.Questions)},
	}, nil
}

// signal takes the one signal of the turn.
func (c *call) signal(ctx context.Context) (Reply, error) {
	signal, err := decode[Signal](c.args)
	if err != nil {
		return Reply{}, err
	}
	if err := c.keepOnce(ctx, signalFile, "signal", signal); err != nil {
		return Reply{}, err
	}
	return Reply{Text: "signal recorded: " + signal.Signal, Structured: map[string]any{"signal": signal.Signal}}, nil
}

// keepOnce writes a result that a run has only one of.
func (c *call) keepOnce(ctx context.Context, name, what string, result any) error {
	_, err := c.results.ReadFile(name, maxFile)
	if err == nil {
		return refuse("%s already recorded for this run; the first one stands", what)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return explain(err)
	}
	return c.keep(ctx, name, result)
}

// keep writes a result into inbox/.
func (c *call) keep(ctx context.Context, name string, result any) error {
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return explain(c.results.WriteFile(name, append(data, '\n')))
}
