package inbox

import (
	"fmt"
	"strings"
)

// ToolError is a refusal whose text is meant for the model that called the tool:
// it says what was wrong with the call and what to do instead.
// Every other error of [Box.Call] is a fault of the machine and not the model's business.
type ToolError struct {
	Tool string
	Text string
}

func (e *ToolError) Error() string { return e.Text }

// refuse makes a ToolError; the tool's name is filled in by the call.
func refuse(format string, args ...any) error {
	return &ToolError{Text: fmt.Sprintf(format, args...)}
}

// refuseAll makes one ToolError of several reasons, one line each.
func refuseAll(reasons []string) error {
	if len(reasons) == 1 {
		return &ToolError{Text: reasons[0]}
	}
	return &ToolError{Text: "- " + strings.Join(reasons, "\n- ")}
}

// VerdictError says that the verdict of a run cannot be believed: the folder is within the agent's reach.
type VerdictError struct {
	File   string // verdict.json
	Reason string
}

func (e *VerdictError) Error() string {
	return fmt.Sprintf("the verdict does not count: %s: %s", e.File, e.Reason)
}

// Hint names a way to a verdict that does.
func (e *VerdictError) Hint() string {
	return "nothing was committed: see what the agent did in its log beside the file, or give its role to another agent, then run the command again"
}
