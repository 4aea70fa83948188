package agents_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
)

func TestCommand_fillsWordByWord(t *testing.T) {
	r := request(t)
	r.Task, r.Model = "1.1; rm -rf $HOME", `m "1" {task}`
	agent, err := agents.Command{
		Name: "mine", Command: []string{executable(t), "behave", "say", "--task={task}", "{effort}", "--both={effort}{step}", `{"json":1}`, "two words"},
		Model: "--model={model}", Effort: "--effort={effort}", Session: "--resume={session}",
		Env: map[string]string{"MINE_CHANGE": "{change}", "MINE_EFFORT": "{effort}"},
	}.Agent()
	if err != nil {
		t.Fatal(err)
	}
	result, err := agent.Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "--task=1.1; rm -rf $HOME\n--both=proposal-gen\n{\"json\":1}\ntwo words\n--model=m \"1\" {task}\n"
	if diff := cmp.Diff(want, result.Text); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestCommand_namesOurTools(t *testing.T) {
	r := request(t)
	r.Tools = &agents.ToolServer{Command: "/bin/gh-agentd", Args: []string{"mcp", "--step", "challenge"}, Env: []string{"A=1"}}
	agent, err := agents.Command{Name: "mine", Command: []string{executable(t), "behave", "say", "{tools}"}}.Agent()
	if err != nil {
		t.Fatal(err)
	}
	result, err := agent.Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(strings.TrimSpace(result.Text))
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(data, &got),
		json.Unmarshal([]byte(`{"mcpServers":{"agentd":{"command":"/bin/gh-agentd","args":["mcp","--step","challenge"],"env":{"A":"1"}}}}`), &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCommand_readsTheLastLine(t *testing.T) {
	for _, row := range []struct {
		name, last, kind string
		text, session    string
	}{
		{"a result", `{"type":"result","result":"PASS","sessionId":"s","usage":{"input_tokens":5,"output_tokens":2}}`, "", "PASS", "s"},
		{"an error", `{"is_error":true,"result":"credit too low"}`, "failed", "credit too low", ""},
		{"no JSON", `bye`, "bad-output", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			agent, err := agents.Command{Name: "mine", Command: []string{executable(t), "behave", "say", "noise", row.last}, Output: "jsonl-last"}.Agent()
			if err != nil {
				t.Fatal(err)
			}
			result, err := agent.Run(t.Context(), request(t), nil)
			kind := ""
			if failed, ok := errors.AsType[*agents.Error](err); ok {
				kind = failed.Kind.String()
			}
			if kind != row.kind || result.Text != row.text || result.Session.ID != row.session || result.Usage.Known != (row.kind == "") {
				t.Errorf("kind %q, result %+v", kind, result)
			}
		})
	}
}

func TestCommand_Agent_refuses(t *testing.T) {
	good := agents.Command{Name: "mine", Command: []string{"prog"}}
	for _, row := range []struct {
		name string
		edit func(*agents.Command)
		want string
	}{
		{"no command", func(c *agents.Command) { c.Command = nil }, "command is empty"},
		{"program from a placeholder", func(c *agents.Command) { c.Command = []string{"{task}"} }, "is a placeholder"},
		{"unknown placeholder", func(c *agents.Command) { c.Command = append(c.Command, "{modle}") }, "unknown placeholder {modle}"},
		{"prompt as an argument unasked", func(c *agents.Command) { c.Command = append(c.Command, "{prompt}") }, `prompt = "arg"`},
		{"unknown prompt", func(c *agents.Command) { c.Prompt = "mail" }, `prompt is "mail"`},
		{"unknown output", func(c *agents.Command) { c.Output = "xml" }, `output is "xml"`},
		{"a token to set", func(c *agents.Command) { c.Env = map[string]string{"GH_TOKEN": "x"} }, "GH_TOKEN never reaches an agent"},
		{"a token to let through", func(c *agents.Command) { c.Keys = []string{"GITHUB_TOKEN"} }, "GITHUB_TOKEN never reaches an agent"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := good
			row.edit(&c)
			_, err := c.Agent()
			failed, ok := errors.AsType[*agents.Error](err)
			if !ok || failed.Kind != agents.Config || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error = %v, want %q", err, row.want)
			}
		})
	}
}

func TestErrorKind_roundTrip(t *testing.T) {
	for kind := agents.Failed; kind <= agents.BadOutput; kind++ {
		back, err := agents.ParseErrorKind(kind.String())
		if err != nil || back != kind {
			t.Errorf("%d → %q → %d, %v", kind, kind, back, err)
		}
		if (&agents.Error{Kind: kind, Agent: "a"}).Hint() == "" {
			t.Errorf("%s has no hint", kind)
		}
	}
	if _, err := agents.ParseErrorKind("nonsense"); err == nil {
		t.Error("nonsense is a kind")
	}
	if agents.Write.String() != "write" {
		t.Error("access has no name")
	}
}

// What an agent called its session becomes a word of its next command line.
func TestCommand_sessionIsNoOption_AG26(t *testing.T) {
	agent, err := agents.Command{Name: "own", Command: []string{executable(t), "behave", "say"}, Session: "{session}"}.Agent()
	if err != nil {
		t.Fatal(err)
	}
	r := request(t)
	r.Session = &agents.Session{Agent: "own", ID: "--dangerously-allow-all"}
	if _, failed := failure(t, agent, r); failed.Kind != agents.SessionGone {
		t.Errorf("error = %v", failed)
	}
}
