package agents

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Agent is a program that does one step's work when asked.
type Agent interface {
	// Name is the word used in configuration and in the record, such as "codex".
	Name() string
	// Check says whether the agent can be started at all; its error is an [*Error] with a hint.
	Check(ctx context.Context) error
	// Run gives the agent one request and waits for its end, reporting events on the way.
	// on may be nil; it is called from one goroutine at a time.
	// The Result is filled as far as it is known, also beside an error. The error is an [*Error].
	Run(ctx context.Context, r Request, on func(Event)) (Result, error)
}

// Access says what an agent may look at and change.
type Access uint8

// What an agent may do to files.
const (
	ReadOnly  Access = iota // look only
	ToolsOnly               // look, and write through our tools only
	Write                   // write in the working directory
	Documents               // look and write through our tools only: not even the project is read
)

// String is the name of the access as configuration writes it.
func (a Access) String() string {
	switch a {
	case ToolsOnly:
		return "tools-only"
	case Write:
		return "write"
	case Documents:
		return "documents"
	default:
		return "read-only"
	}
}

// Request is one call of an agent.
type Request struct {
	Role   string
	Step   string // required
	Round  int
	Task   string
	Change string

	// Prompt reaches the agent through its standard input, or through a file that it is told of.
	Prompt []byte // required
	// Dir is the working directory of the agent.
	Dir   string // required
	Model string
	// Effort is minimal, low, medium, high, xhigh or max; empty leaves it to the agent.
	Effort string
	// System replaces the agent's own system prompt, where it has one that can be replaced; empty leaves it.
	// It is sent with every request to the model, and the built-in ones are 6,000 to 33,000 characters.
	System string
	Access Access
	// Allow lists the commands that an agent with Access Write may run, such as "go test *".
	Allow []string
	// Tools is the MCP server that the agent is told to start.
	Tools *ToolServer
	// Session is one to resume.
	Session *Session

	Limits proc.Limits
	// ToolIdle replaces Limits.Idle while the agent waits for a tool; zero means no difference.
	ToolIdle time.Duration

	// Environ is the caller's environment; the agent gets the part of it that is allowed.
	Environ []string
	// Bin is our own program, for agents that call `submit`. Empty: Tools.Command.
	Bin string
	// RunDir is the run's folder, outside the repository. Each call gets a folder of its own in it,
	// with the prompt, both logs, and files that the agent needs.
	RunDir string // required
	// CallDir is that folder. The runner sets it, for codecs.
	CallDir string
	// Home is a folder that is the same for all calls that may go on with one another's session:
	// those of one role in one change and worktree, of which no two run at a time.
	// It is for agents that know their sessions by the working directory, and is emptied before each of their calls.
	// Empty: CallDir, and no session of such an agent can be resumed.
	Home string
	// Log receives a copy of what the agent prints, redacted. May be nil.
	Log io.Writer
	// Secrets are values that must not appear in any log, event, result or error,
	// beside the secret-looking values of Environ.
	Secrets []string
	// Force, once closed, ends a run that is being cancelled at once.
	Force <-chan struct{}
}

// PromptFile is where the runner has put the prompt.
func (r Request) PromptFile() string { return filepath.Join(r.CallDir, promptName) }

// ToolServer is an MCP server on standard input and output.
type ToolServer struct {
	Command string // required
	Args    []string
	Env     []string // variables that the server needs, beside those of the agent
	Names   []string // the tools that it offers
}

// Session is what an agent calls its memory of earlier requests.
type Session struct {
	Agent string
	ID    string
	Dir   string // some agents find a session only from the directory it was made in
	Base  Usage  // totals already counted, for agents whose usage is cumulative
}

// Result is what is known of a run.
type Result struct {
	Text    string // the agent's last words: to be shown, never to be decided by
	Usage   Usage
	Model   string
	Session Session
	Tools   []ToolCall
	Denied  []string // what the agent wanted and was not allowed
	Elapsed time.Duration
	// ExitCode is the program's exit status, or -1 if a signal ended it.
	ExitCode int
	// Skipped counts output that was not understood.
	Skipped int
	// Survivors names processes that the agent left behind, and that were ended.
	Survivors []string
}

// ToolCall is one use of a tool as the agent reported it.
type ToolCall struct {
	Name    string
	OK      bool
	Message string
}

// EventKind says what happened.
type EventKind uint8

// What an agent does while it runs.
const (
	Started  EventKind = iota // it is there; Name is the model
	Text                      // it said something
	Tool                      // it began to use the tool Name
	ToolDone                  // the tool Name answered
	Retry                     // it asks its provider again; no sign of progress
	Warning                   // something the person should know
)

// String is the kind in lower case.
func (k EventKind) String() string {
	return [...]string{"started", "text", "tool", "tool-done", "retry", "warning"}[min(int(k), 5)]
}

// Event is one step of progress. Its texts are fit for a terminal.
type Event struct {
	Kind EventKind
	Name string
	Text string
	// Why is what the provider answered, for a Retry. If nothing else comes until a limit ends the run, it is why.
	// Only codecs set it.
	Why *Error
	// Fatal says that going on is of no use: the runner stops the program and returns this error.
	// Only codecs set it; callers never see such an event.
	Fatal *Error
}
