package modeltest

import (
	"regexp"
	"strings"
)

// Vendor is whose wire format a request came in.
type Vendor string

// The vendors, by the names of their CLIs.
const (
	Gemini Vendor = "gemini"
	Codex  Vendor = "codex"
	Claude Vendor = "claude"
)

// Request is one question to a model.
type Request struct {
	Vendor Vendor
	Model  string
	// Prompt is the last text of the person, without what the CLI puts around it.
	Prompt string
	// Step is what the prompt is for; its Name is empty if the prompt is none of ours.
	Step Step
	// Done is what the model has had done since the prompt, in order.
	Done []Done
	// Offered are the tools of our MCP server that are declared to the model, by their own names.
	// Codex declares them to some models only when searched for.
	Offered []string
	// Declared are all tools that the model is told of, as the CLI names them.
	Declared []string
	// Dir is the directory in which the CLI says that it works.
	Dir string
	// Key is the API key that the CLI signed in with.
	Key  string
	Size Size

	stream bool
	codex  codexTools
}

// Done is an action that was carried out, or refused.
type Done struct {
	Name   string // of our tool by its own name; otherwise of the CLI's tool
	Result string // what the model is told; CLIs put words of their own around it
	Failed bool   // as far as it shows; a tool of ours that refuses Codex directly does not
}

// mcpServer is the name under which the CLIs must know our MCP server.
const mcpServer = "agentd"

// turn collects what is found while a conversation is read from its beginning.
type turn struct {
	prompt     string
	recognised bool
	promptSize int
	dialogue   int // bytes since the prompt
	done       []Done
}

// heard takes up a text of the user.
// CLIs put context of their own in marks before it, and some add "please continue": a prompt of ours is not replaced by such.
func (t *turn) heard(text string, size int) {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return
	}
	_, ours := ParseStep(text)
	if t.recognised && !ours {
		t.dialogue += size
		return
	}
	*t = turn{prompt: text, recognised: ours, promptSize: size}
}

// passed counts what the model or a tool said.
func (t *turn) passed(size int) {
	if t.prompt != "" {
		t.dialogue += size
	}
}

func (t *turn) did(d Done) {
	if t.prompt != "" {
		t.done = append(t.done, d)
	}
}

// fill puts the turn into a request.
func (t *turn) fill(r *Request) {
	r.Prompt, r.Done = t.prompt, t.done
	r.Step, _ = ParseStep(t.prompt)
	r.Size.Prompt, r.Size.Dialogue = t.promptSize, t.dialogue
}

// last is the last submatch of a pattern in a text, or empty.
func last(pattern *regexp.Regexp, text string) string {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
