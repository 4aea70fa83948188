package workflow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// ErrDeclined is returned when a person answers a question with no.
var ErrDeclined = errors.New("cancelled")

// MissingDescriptionError says that a new change needs a description.
type MissingDescriptionError struct{ ID phases.ChangeID }

func (e *MissingDescriptionError) Error() string {
	return fmt.Sprintf("change %q does not exist yet, and a new change needs a description", e.ID)
}

// Hint names the next command.
func (e *MissingDescriptionError) Hint() string {
	return fmt.Sprintf("`gh agentd plan %s \"<what should change and why>\"`, or --file FILE", e.ID)
}

// RejectedError says that the change was rejected: a person must reopen it.
type RejectedError struct {
	ID     phases.ChangeID
	Reason string
}

func (e *RejectedError) Error() string {
	text := fmt.Sprintf("change %q is rejected", e.ID)
	if e.Reason != "" {
		text += ": " + firstLine(e.Reason)
	}
	return text
}

// Hint names the next commands.
func (e *RejectedError) Hint() string {
	return fmt.Sprintf("read `gh agentd show %s challenge`, edit the plan, then `gh agentd reopen %s`", e.ID, e.ID)
}

// DecisionError says that the work stopped because a person must decide.
type DecisionError struct {
	ID       phases.ChangeID
	Decision Decision
}

func (e *DecisionError) Error() string {
	return fmt.Sprintf("change %q waits for a person: %s", e.ID, e.Decision.Question)
}

// Hint names the commands of the options, the recommended one first.
func (e *DecisionError) Hint() string {
	var commands []string
	for _, o := range e.Decision.Options {
		if o.Command != "" {
			commands = append(commands, "`"+o.Command+"`")
		}
	}
	return strings.Join(commands, ", or ")
}

// LimitError says that a limit was reached before the loop ended by itself.
type LimitError struct {
	ID       phases.ChangeID
	Reason   string
	Decision Decision
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("change %q stopped: %s", e.ID, e.Reason)
}

// Hint names the commands of the options.
func (e *LimitError) Hint() string { return (&DecisionError{Decision: e.Decision}).Hint() }

// NotReadyError is ChangeNotReady: impl needs an approved plan.
type NotReadyError struct {
	ID    phases.ChangeID
	Phase phases.Phase
	Stale bool // the plan was approved and edited since
}

func (e *NotReadyError) Error() string {
	if e.Stale {
		return fmt.Sprintf("ChangeNotReady: the plan of %q was edited after its approval, so it is proposed again; impl needs challenged", e.ID)
	}
	return fmt.Sprintf("ChangeNotReady: change %q is %s, impl needs challenged", e.ID, e.Phase)
}

// Hint names the next command.
func (e *NotReadyError) Hint() string {
	switch e.Phase {
	case phases.Rejected:
		return fmt.Sprintf("`gh agentd reopen %s`", e.ID)
	case phases.Archived:
		return fmt.Sprintf("it is archived: `gh agentd show %s`", e.ID)
	}
	return fmt.Sprintf("`gh agentd plan %s`", e.ID)
}

// NotCompleteError is ChangeNotComplete: archive needs a complete change.
type NotCompleteError struct {
	ID    phases.ChangeID
	Phase phases.Phase
	Stale bool
}

func (e *NotCompleteError) Error() string {
	if e.Stale {
		return fmt.Sprintf("ChangeNotComplete: change %q was complete, but its content moved since the approval: it is %s again", e.ID, e.Phase)
	}
	return fmt.Sprintf("ChangeNotComplete: change %q is %s, archive needs complete", e.ID, e.Phase)
}

// Hint names the next command.
func (e *NotCompleteError) Hint() string {
	switch e.Phase {
	case phases.Proposed:
		return fmt.Sprintf("`gh agentd plan %s`", e.ID)
	case phases.Rejected:
		return fmt.Sprintf("`gh agentd reopen %s`", e.ID)
	}
	return fmt.Sprintf("`gh agentd impl %s`", e.ID)
}

// GateError says that a deterministic check said no.
type GateError struct {
	Gate     string
	Reason   string
	Problems specs.Problems
	Next     string
}

func (e *GateError) Error() string {
	text := e.Gate + ": " + e.Reason
	for _, p := range e.Problems {
		if p.Severity == specs.High {
			text += "\n  " + p.String()
		}
	}
	return text
}

// Hint names the next command.
func (e *GateError) Hint() string { return e.Next }

// InsideRunError refuses a person's command inside an agent's run.
type InsideRunError struct{ Command string }

func (e *InsideRunError) Error() string {
	return fmt.Sprintf("%s is a person's command and is refused inside an agent's run", e.Command)
}

// Hint tells the agent what it may do instead.
func (e *InsideRunError) Hint() string {
	return "use the tools of the agentd MCP server, or `gh agentd submit`"
}

// TamperError says that an agent touched what only git and we may touch.
type TamperError struct {
	Agent, Step string
	What        []string // each the end of a sentence about the agent: "changed .git/config (core.hooksPath)"
}

func (e *TamperError) Error() string {
	return fmt.Sprintf("%s %s during %s; nothing was committed", e.Agent, strings.Join(e.What, ", "), e.Step)
}

// Hint names the next step.
func (e *TamperError) Hint() string {
	return "look at what it changed, undo it, and run the command again"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
