package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/agentd/gh-agentd/phases"
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
	if _, err := c.keep(ctx, selfReviewFile, in); err != nil {
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
	if _, err := c.keep(ctx, questionsFile, in); err != nil {
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
// The file says that there is one already, and so does the log of calls: taking the file away takes nothing back.
func (c *call) keepOnce(ctx context.Context, name, what string, result any) error {
	calls, err := c.earlier()
	if err != nil {
		return explain(err)
	}
	_, err = c.results.ReadFile(name, maxFile)
	if err == nil || len(keptBy(calls, c.tool)) > 0 {
		return refuse("%s already recorded for this run; the first one stands", what)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return explain(err)
	}
	data, err := c.keep(ctx, name, result)
	if err == nil {
		c.kept = digest(data)
	}
	return err
}

// keep writes a result into inbox/, in the place of an earlier one, and returns what it wrote.
func (c *call) keep(ctx context.Context, name string, result any) ([]byte, error) {
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data = append(data, '\n')
	return data, explain(c.results.WriteFile(name, data))
}

// digest names the content of a result.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keptBy are the digests of the results that a tool kept for good, one for each call that was answered.
func keptBy(calls []CallRecord, tools ...string) []string {
	var digests []string
	for _, call := range calls {
		if call.OK && slices.Contains(tools, call.Tool) {
			digests = append(digests, call.Kept)
		}
	}
	return digests
}

// ReadVerdict judges the arguments of a step's verdict as a call of its tool does, for who got them without a run.
// The error is a [*ToolError] that says what is wrong with them.
func ReadVerdict(change, step string, args json.RawMessage) (Verdict, error) {
	tool := map[string]string{string(phases.StepChallenge): toolAppendReview, string(phases.StepReview): toolCreateReview}[step]
	if tool == "" {
		return Verdict{}, refuse("step %q has no verdict", clip(step, 80))
	}
	arguments, err := prepare(change, step, []string{tool}, tool, args)
	if err != nil {
		return Verdict{}, named(tool, err)
	}
	if tool == toolAppendReview {
		in, err := input[specs.ChallengeInput](arguments)
		return Verdict{Challenge: &in, Contradiction: in.Contradiction()}, named(tool, err)
	}
	in, err := input[specs.ReviewInput](arguments)
	return Verdict{Review: &in, Contradiction: in.Contradiction()}, named(tool, err)
}
