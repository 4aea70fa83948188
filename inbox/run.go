package inbox

import (
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// DefaultMaxCalls is how many calls a run may make where [Run.MaxCalls] is zero.
// A run in good order makes a dozen; a flood is an agent that lost its way, or was told to.
const DefaultMaxCalls = 200

// RoleHuman is the role of a run that hands over what a person said or decided.
// It is the only role that may answer clarifications.
const RoleHuman = "human"

// Run says what a box is for.
// It is written once, by whoever holds the change's lock, and bounds every call:
// an agent's identity is how its server was started, never what it claims in an argument.
type Run struct {
	Change string `json:"change"` // required: the id of the one change the box serves
	Step   string `json:"step"`   // phases.Step; "" serves the read-only tools
	Role   string `json:"role,omitempty"`
	Round  int    `json:"round,omitempty"`
	Task   string `json:"task,omitempty"`

	Repository string `json:"repository,omitempty"` // git's common folder; ids of changes are not unique beyond it

	Subject string    `json:"subject,omitempty"` // the tree a verdict will be about
	Created time.Time `json:"created"`           // the time that drafts are stamped with
	Author  string    `json:"author,omitempty"`  // who drafts are by, such as "gemini"

	KnownFindings []string `json:"known_findings,omitempty"` // ids of the round before
	ChangedFiles  []string `json:"changed_files,omitempty"`  // what list_changed_files answers

	Validation specs.ValidateOptions `json:"validation"`
	MaxCalls   int                   `json:"max_calls,omitempty"` // 0 means DefaultMaxCalls
	Record     bool                  `json:"record,omitempty"`    // keep what the calls were made with, for [Box.Recorded]
}

// Tools returns the names of the tools that this run may call, in a stable order.
func (r Run) Tools() []string {
	tools := ToolsFor(r.Step)
	if r.Step == string(phases.StepClarify) && r.Role == RoleHuman {
		tools = append(tools, toolCreateClarifications)
	}
	return tools
}

// maxCalls returns the budget, with the default filled in.
func (r Run) maxCalls() int {
	if r.MaxCalls > 0 {
		return r.MaxCalls
	}
	return DefaultMaxCalls
}

// check turns the strings into types once, at the door.
func (r Run) check() error {
	if _, err := phases.ParseChangeID(r.Change); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if r.Step == "" {
		return nil
	}
	if _, err := phases.ParseStep(r.Step); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}
