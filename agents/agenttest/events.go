package agenttest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// format is how one kind of agent prints what it does. Each method returns lines of standard output.
type format interface {
	start(model string) []any
	say(text string) []any
	use(tool string, id int, arguments json.RawMessage) []any
	used(tool string, id int, ok bool, answer string) []any
	retry(status int) (out []any, stderr string)
	done(u usage) []any
	fail(text string) []any
}

type usage struct{ in, cached, out int }

// object is a JSON object whose order does not matter.
type object = map[string]any

func formatOf(name string) format {
	switch name {
	case "gemini":
		return &geminiFormat{}
	case "codex":
		return &codexFormat{}
	case "claude":
		return &claudeFormat{}
	case "plain":
		return plainFormat{}
	default:
		return ourFormat{}
	}
}

func (a *agent) setFormat(words []string) error {
	a.format = formatOf(words[0])
	return nil
}

// tell prints lines: text as it is, everything else as JSON.
func (a *agent) tell(lines []any) error {
	for _, l := range lines {
		text, ok := l.(string)
		if !ok {
			data, err := json.Marshal(l)
			if err != nil {
				return err
			}
			text = string(data)
		}
		if err := say(a.stdout, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) retry(words []string) error {
	status, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	lines, complaint := a.format.retry(status)
	if complaint != "" {
		if err := say(a.stderr, complaint+"\n"); err != nil {
			return err
		}
	}
	return a.tell(lines)
}

func (a *agent) done(words []string) error {
	u := usage{in: 1000, cached: 0, out: 100}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		into, known := map[string]*int{"in": &u.in, "cached": &u.cached, "out": &u.out}[name]
		if err != nil || !known {
			return fmt.Errorf("%q is no usage", word)
		}
		*into = n
	}
	return a.tell(a.format.done(u))
}

// ourFormat is what agents.NewJSONLCodec reads.
type ourFormat struct{}

func (ourFormat) start(model string) []any {
	return []any{object{"type": "start", "session": sessionID, "model": model}}
}
func (ourFormat) say(text string) []any { return []any{object{"type": "text", "text": text}} }
func (ourFormat) use(tool string, _ int, _ json.RawMessage) []any {
	return []any{object{"type": "tool", "name": tool}}
}
func (ourFormat) used(tool string, _ int, ok bool, answer string) []any {
	return []any{object{"type": "tool_done", "name": tool, "ok": ok, "text": answer}}
}
func (ourFormat) retry(status int) ([]any, string) {
	return []any{object{"type": "retry", "text": fmt.Sprintf("status %d", status)}}, ""
}
func (ourFormat) done(u usage) []any {
	return []any{object{"type": "usage", "in": u.in, "cached": u.cached, "out": u.out, "model": "scripted-1"}, object{"type": "done"}}
}
func (ourFormat) fail(text string) []any { return []any{object{"type": "error", "text": text}} }

// plainFormat prints what is said and nothing else.
type plainFormat struct{}

func (plainFormat) start(string) []any                     { return nil }
func (plainFormat) say(text string) []any                  { return []any{text} }
func (plainFormat) use(string, int, json.RawMessage) []any { return nil }
func (plainFormat) used(string, int, bool, string) []any   { return nil }
func (plainFormat) retry(status int) ([]any, string) {
	return nil, fmt.Sprintf("status %d, trying again", status)
}
func (plainFormat) done(usage) []any       { return nil }
func (plainFormat) fail(text string) []any { return []any{text} }

// sessionID is the session that every scripted agent has.
const sessionID = "01a1fd1b-0000-4000-8000-000000000001"
