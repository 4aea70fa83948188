package agents

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// decodeLine reads the objects of one line: it should be one, but some programs forget the line feed between two.
// It reports false if there is something in the line that is none.
func decodeLine[T any](line []byte, take func(T)) bool {
	for len(bytes.TrimSpace(line)) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(line))
		var value T
		if decoder.Decode(&value) != nil {
			return false
		}
		line = line[decoder.InputOffset():]
		take(value)
	}
	return true
}

// words are what an agent said since its last tool, as far as somebody may want to read it.
type words struct{ text strings.Builder }

func (w *words) add(text string) {
	const most = 256 << 10
	if w.text.Len() < most {
		w.text.WriteString(text[:min(len(text), most-w.text.Len())])
	}
}

func (w *words) reset()         { w.text.Reset() }
func (w *words) String() string { return strings.ToValidUTF8(w.text.String(), "") }

// openTools are the tools that have not answered, by the id of the call.
type openTools map[string]string

func (o *openTools) open(id, name string) {
	if *o == nil {
		*o = openTools{}
	}
	(*o)[id] = name
}

// isOpen reports whether a call was begun and has not been answered.
func (o openTools) isOpen(id string) bool {
	_, ok := o[id]
	return ok
}

// close returns the tool's name, or the id of a call that nobody has begun.
func (o openTools) close(id string) string {
	name, ok := o[id]
	if !ok {
		return id
	}
	delete(o, id)
	return name
}

// toolTimeout is how long a call of one of our tools may take. They are done in milliseconds.
const toolTimeout = time.Minute

// noTools is the failure of a run without our MCP server: whatever the agent does, nothing can come back.
func noTools(detail string) *Error {
	return &Error{
		Kind: Config, Detail: "our tools did not reach it: " + detail,
		Advice: "read stderr.log in the run folder to see why `gh agentd mcp` did not start, then run the same command again",
	}
}

// variables are entries NAME=value as a table.
func variables(environ []string) map[string]string {
	table := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		table[name] = value
	}
	return table
}

func sortedKeys[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }

func sortedValues(table map[string]string) []string {
	return slices.Sorted(maps.Values(table))
}
