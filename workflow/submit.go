package workflow

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/phases"
)

// Submit is the write path of agents without MCP: the same tools, the same checks, one call.
type Submit struct{ Bench *Bench }

// SubmitRequest is one hand-over.
type SubmitRequest struct {
	RunDir string          // of the run that the agent works for, from its environment; "" outside a run
	Change phases.ChangeID // required outside a run
	Tool   string          // "" for the one writing tool of the step
	Step   string          // required outside a run; in one, for a plain error message when the agent confuses its step
	JSON   []byte
}

// Run hands the data to the run's inbox and returns the tool's answer.
// The run that holds the change validates it again and commits; this never does.
func (s *Submit) Run(ctx context.Context, req SubmitRequest) (string, error) {
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

// Alone takes the whole step outside a run: the data stands in for the agent that would have been called,
// and everything else is as in any other step, the lock, the checks and the commit.
func (s *Submit) Alone(ctx context.Context, req SubmitRequest) (ActionResult, error) {
	none := ActionResult{Change: req.Change.String(), Commits: []string{}}
	step := phases.Step(req.Step)
	command := map[string]string{
		"create_proposal": "proposal", "create_spec": "proposal", "create_tasks": "proposal",
		"append_review": "challenge", "create_review": "review",
	}[writingTool(step)]
	if command == "" || req.Change.IsZero() {
		return none, &OutsideRunError{Step: req.Step}
	}
	bench := *s.Bench
	hand := &byHand{tool: writingTool(step), json: req.JSON}
	bench.Agent = func(string) (agents.Agent, error) { return hand, nil }
	bench.Config.Workflow.SelfReviewIterations = 0 // whoever submits has looked already
	request := StepRequest{Change: req.Change, Step: command}
	if command == "proposal" {
		request.Artefact = step
		request.Description = summaryIn(req.JSON)
	}
	steps := Steps{Bench: &bench}
	return steps.Run(ctx, request)
}

// summaryIn is what a proposal says it is about: the description of a change that begins with it.
func summaryIn(proposal []byte) string {
	var said struct {
		Summary string `json:"summary"`
	}
	_ = json.Unmarshal(proposal, &said) // the tool says what is wrong with it
	return said.Summary
}

// byHand plays the agent of a step with an answer that is there already.
type byHand struct {
	tool string
	json []byte
}

func (*byHand) Name() string                { return "submit" }
func (*byHand) Check(context.Context) error { return nil }

func (h *byHand) Run(ctx context.Context, r agents.Request, _ func(agents.Event)) (agents.Result, error) {
	box, err := inbox.Open(r.RunDir)
	if err != nil {
		return agents.Result{}, err
	}
	if _, err := box.Call(ctx, h.tool, h.json); err != nil {
		return agents.Result{}, fmt.Errorf("%s does not take this answer:\n%w", h.tool, err)
	}
	return agents.Result{Usage: agents.Usage{Known: true, USD: new(0.0)}}, nil // nobody was asked
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

// OutsideRunError says that what was to be submitted outside a run is no step that can be taken so.
type OutsideRunError struct{ Step string }

func (e *OutsideRunError) Error() string {
	switch {
	case e.Step == "":
		return "no run is under way here (AGENTD_RUN is not set), so submit needs the step and the change"
	case writingTool(phases.Step(e.Step)) == "":
		return fmt.Sprintf("step %q takes no answer that could be submitted", e.Step)
	}
	return fmt.Sprintf("no run is under way here (AGENTD_RUN is not set), so submit cannot take step %q by itself", e.Step)
}

// Hint names what a person types instead.
func (e *OutsideRunError) Hint() string {
	if e.Step == string(phases.StepClarify) {
		return "`gh agentd clarify <id> --json-file FILE`"
	}
	return "`gh agentd submit challenge --change <id> --json-file FILE` takes the step by itself, as do proposal-gen, spec-gen-<spec>, tasks-gen and review"
}
