package workflow

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/phases"
)

// Submit is the write path of agents without MCP: the same tools, the same checks, one call.
type Submit struct{ Bench *Bench }

// SubmitRequest is one hand-over.
type SubmitRequest struct {
	RunDir string // from the environment of the run that the agent works for; required
	Tool   string // "" for the one writing tool of the step
	Step   string // for a plain error message when the agent confuses its step
	JSON   []byte
}

// Run hands the data to the run's inbox. The run that holds the change validates it again and commits; submit never does.
func (s *Submit) Run(ctx context.Context, req SubmitRequest) (string, error) {
	if req.RunDir == "" {
		return "", &OutsideRunError{}
	}
	box, err := inbox.Open(req.RunDir)
	if err != nil {
		return "", err
	}
	step := box.Run().Step
	if req.Step != "" && req.Step != step {
		return "", fmt.Errorf("this run is at step %q, not at %q", step, req.Step)
	}
	tool := req.Tool
	if tool == "" {
		if tool = writingTool(phases.Step(step)); tool == "" {
			return "", fmt.Errorf("step %q has no single tool to submit to: name one with --tool (%v)", step, box.Run().Tools())
		}
	}
	reply, err := box.Call(ctx, tool, json.RawMessage(req.JSON))
	return reply.Text, err
}

// writingTool is the tool that a step's answer goes through.
func writingTool(step phases.Step) string {
	switch step {
	case phases.StepClarify:
		return "propose_questions"
	case phases.StepProposalGen:
		return "create_proposal"
	case phases.StepTasksGen:
		return "create_tasks"
	case phases.StepChallenge:
		return "append_review"
	case phases.StepReview:
		return "create_review"
	}
	_, gen, ok := step.Spec()
	switch {
	case ok && gen:
		return "create_spec"
	case ok, step == phases.StepProposalReview, step == phases.StepTasksReview:
		return "self_review"
	}
	return ""
}

// OutsideRunError says that submit was typed outside an agent's run.
type OutsideRunError struct{}

func (*OutsideRunError) Error() string {
	return "submit hands over an agent's answer, and no run is under way here (AGENTD_RUN is not set)"
}

// Hint names what a person types instead.
func (*OutsideRunError) Hint() string {
	return "begin the step with `gh agentd step <name> <id>`, or answer questions with `gh agentd clarify <id> --json-file FILE`"
}
