package modeltest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/modeltest"
)

const tape = `version: 1
calls:
  - step: spec-review-greeting
    round: 2
    tools:
      - name: read_file
        arguments: {path: specs/greeting.md}
      - name: edit_file
        arguments: {path: specs/greeting.md, old: Hi, new: Hello}
    write: [{path: notes.txt, content: "seen\n"}]
    say: [Repaired., And noted.]
`

// The recording is played one action a turn, and an edit gets the hash that was read.
func TestPlay_oneActionATurnThenTheWords(t *testing.T) {
	cassette, err := agents.ParseCassette("tape.yaml", []byte(tape))
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.Start(t, modeltest.Play(cassette))
	got := converse(t, server, "You are looking again at `specs/greeting.md` of the change `add-greeting`, which you wrote (look 2 of at most 3).")
	want := []string{
		`mcp__agentd__read_file {"path":"specs/greeting.md"}`,
		`mcp__agentd__edit_file {"hash":"cafe1234","new":"Hello","old":"Hi","path":"specs/greeting.md"}`,
		`Read {"file_path":"notes.txt"}`,
		`Write {"content":"seen\n","file_path":"notes.txt"}`,
		"Repaired.\nAnd noted.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(server.Exchanges()); n != 4 {
		t.Errorf("%d requests, want 4: a file that has to be read first is one turn", n)
	}
}

// converse plays Claude's part without streaming: it carries out every call and sends the results back.
func converse(t *testing.T, server *modeltest.Server, prompt string) (said []string) {
	t.Helper()
	messages := []any{map[string]any{"role": "user", "content": prompt}}
	for range 20 {
		body, err := json.Marshal(map[string]any{"model": "sonnet", "messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/messages", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Content []struct {
				Type, Text, ID, Name string
				Input                json.RawMessage
			}
		}
		mustDecode(t, read(t, response), &answer)
		var results []any
		for _, block := range answer.Content {
			if block.Type == "text" {
				said = append(said, block.Text)
				continue
			}
			said = append(said, block.Name+" "+string(block.Input))
			result := "done"
			if strings.HasSuffix(block.Name, "read_file") {
				result = "path: specs/greeting.md\nhash: cafe1234\n\nHi"
			}
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": block.ID, "content": result})
		}
		if results == nil {
			return said
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": answer.Content}, map[string]any{"role": "user", "content": results})
	}
	t.Fatal("the conversation does not end")
	return nil
}
