package modeltest

import "encoding/json"

// Answer is what the model says to one request.
type Answer struct {
	Text string
	Do   []Action
	// Usage replaces what was measured.
	Usage *Usage
	Fault *Fault
	// Err says that the script has no answer. The test fails.
	Err error
}

// Say answers with words alone, which ends a CLI's turn.
func Say(text string) Answer { return Answer{Text: text} }

// Do answers with actions, to be carried out in this order.
func Do(actions ...Action) Answer { return Answer{Do: actions} }

// Action is something that the model wants done.
type Action struct {
	kind    actionKind
	name    string          // of a tool
	args    json.RawMessage // of a tool
	path    string          // of a file, slash-separated, relative to the CLI's directory
	content string          // of a file
	command string
}

type actionKind uint8

const (
	callTool actionKind = iota
	callForeign
	writeFile
	runCommand
)

// Call calls a tool of our MCP server by its own name.
func Call(tool string, args json.RawMessage) Action {
	return Action{kind: callTool, name: tool, args: args}
}

// CallForeign calls any tool by the name that the CLI gives it, whether it is offered or not.
func CallForeign(tool string, args json.RawMessage) Action {
	return Action{kind: callForeign, name: tool, args: args}
}

// WriteFile writes a whole file with the CLI's own tool.
func WriteFile(path, content string) Action {
	return Action{kind: writeFile, path: path, content: content}
}

// Run runs a command with the CLI's own shell.
func Run(command string) Action { return Action{kind: runCommand, command: command} }

// label names an action in the ids of tool calls.
func (a Action) label() string {
	switch a.kind {
	case writeFile:
		return "write"
	case runCommand:
		return "run"
	default:
		return a.name
	}
}

// Script says what the model answers. It is called from several goroutines at once.
type Script func(Request) Answer
