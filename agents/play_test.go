package agents_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents"
)

// playing is what Play needs to play the calls, with this binary as the tool server.
func playing(t *testing.T, calls string) (agents.PlayOptions, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	return agents.PlayOptions{
		Cassette: []byte("version: 1\ncalls:\n" + calls), CassetteName: "demo.yaml", Step: "challenge", Round: 1, Change: "add-oauth",
		Dir: t.TempDir(), Out: &out,
		Tools:   agents.ToolServer{Command: executable(t), Args: []string{"toolserver"}, Env: []string{"TOOL_SERVER_NAME=the server"}},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"},
	}, &out
}

func TestPlay_toolsFilesAndEvents(t *testing.T) {
	o, out := playing(t, `
  - step: challenge
    tools:
      - {name: repeat, arguments: {text: hello}}
      - {name: repeat, arguments: {text: no}, expect_error: true}
    write: [{path: deep/new.txt, content: "text\n"}]
    delete: [old.txt, never-there.txt]
    say: [Two findings., Done.]
    usage: {in: 10, cached: 2, out: 3, usd: 0.25, model: m-1}
`)
	if err := os.WriteFile(filepath.Join(o.Dir, "old.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := agents.Play(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"start","session":"replay","model":"m-1"}
{"type":"tool","name":"repeat"}
{"type":"tool_done","text":"heard hello","name":"repeat","ok":true}
{"type":"tool","name":"repeat"}
{"type":"tool_done","text":"the server refuses","name":"repeat","ok":false}
{"type":"text","text":"Two findings."}
{"type":"text","text":"Done."}
{"type":"usage","model":"m-1","in":10,"cached":2,"out":3,"usd":0.25}
{"type":"done"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(o.Dir, "deep", "new.txt")); err != nil || string(text) != "text\n" {
		t.Errorf("written %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "old.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("old.txt: %v", err)
	}
	if err := agents.Play(t.Context(), o); err != nil {
		t.Errorf("played a second time: %v", err)
	}
}

func TestPlay_failsLoudly(t *testing.T) {
	for _, row := range []struct {
		name, calls string
		edit        func(*agents.PlayOptions)
		want        string
	}{
		{"a tool refuses", "  - step: challenge\n    tools: [{name: repeat, arguments: {text: 'no'}}]\n", nil, "demo.yaml:3: tool repeat refused: the server refuses (the tool server says: tool server is here)"},
		{"a tool does not refuse", "  - step: challenge\n    tools: [{name: repeat, arguments: {text: yes}, expect_error: true}]\n", nil, "demo.yaml:3: tool repeat was expected to refuse"},
		{"no such tool", "  - step: challenge\n    tools: [{name: nonsense}]\n", nil, "demo.yaml:3: tool nonsense: "},
		{"no call", "  - step: review\n", nil, "demo.yaml: no call for step challenge, round 1"},
		{"no server", "  - step: challenge\n    tools: [{name: repeat}]\n", func(o *agents.PlayOptions) { o.Tools.Command = "" }, "no tool server was given"},
		{"server is missing", "  - step: challenge\n    tools: [{name: repeat}]\n", func(o *agents.PlayOptions) { o.Tools.Command = "nobody" }, "find the tool server"},
		{"server ends at once", "  - step: challenge\n    tools: [{name: repeat}]\n", func(o *agents.PlayOptions) { o.Tools.Args = []string{"behave", "fail", "1", "no such change"} }, "no such change"},
		{"no folder", "  - step: challenge\n    delete: [x]\n", func(o *agents.PlayOptions) { o.Dir = "" }, "no folder was given"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o, out := playing(t, row.calls)
			if row.edit != nil {
				row.edit(&o)
			}
			err := agents.Play(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error = %v, want %q", err, row.want)
			}
			if !strings.Contains(out.String(), `{"type":"error"`) || strings.Contains(out.String(), `"done"`) {
				t.Errorf("events:\n%s", out)
			}
		})
	}
}

func TestPlay_exitStatus(t *testing.T) {
	o, out := playing(t, "  - step: challenge\n    exit: 7\n")
	err := agents.Play(t.Context(), o)
	if exit, ok := errors.AsType[*agents.PlayedExit](err); !ok || exit.Code != 7 || strings.Contains(out.String(), "done") {
		t.Errorf("error = %v, events %s", err, out)
	}
}

func TestPlay_sleepEndsWithTheContext(t *testing.T) {
	o, _ := playing(t, "  - step: challenge\n    sleep: 1h\n")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := agents.Play(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
}

func TestPlay_brokenOutput(t *testing.T) {
	o, _ := playing(t, "  - step: challenge\n")
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("reader is gone"))
	o.Out = w
	if err := agents.Play(t.Context(), o); err == nil || !strings.Contains(err.Error(), "reader is gone") {
		t.Errorf("error = %v", err)
	}
}

func TestReplay_Run_isARealProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.yaml")
	src := `version: 1
calls:
  - step: implement
    task: "1.1"
    tools: [{name: repeat, arguments: {text: hello}}]
    write: [{path: a.go, content: package a}]
    say: [Wrote it.]
    usage: {in: 10, out: 3, model: m-1}
  - step: implement
    task: "1.2"
    exit: 5
  - step: resolve
    tools: [{name: repeat, arguments: {text: 'no'}}]
`
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	agent := agents.NewReplay(executable(t), file)
	r := request(t)
	r.Step, r.Task = "implement", "1.1"
	r.Tools = &agents.ToolServer{Command: executable(t), Args: []string{"toolserver"}, Env: []string{"TOOL_SERVER_NAME=--the server", "GORACE=atexit_sleep_ms=0"}}

	result, err := agent.Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.Text != "Wrote it." || !result.Usage.Known || result.Usage.In != 10 || len(result.Tools) != 1 || len(result.Survivors) != 0 || agent.Name() != "replay" {
		t.Errorf("result = %+v", result)
	}
	if text, err := os.ReadFile(filepath.Join(r.Dir, "a.go")); err != nil || string(text) != "package a" {
		t.Errorf("written %q, %v", text, err)
	}
	r.Task = "1.2"
	if result, failed := failure(t, agent, r); failed.Kind != agents.Failed || result.ExitCode != 5 {
		t.Errorf("error = %v, result %+v", failed, result)
	}
	r.Step, r.Task = "resolve", ""
	if _, failed := failure(t, agent, r); failed.Kind != agents.Failed || !strings.Contains(failed.Detail, "--the server refuses") {
		t.Errorf("error = %v", failed)
	}
	if _, failed := failure(t, agents.NewReplay(executable(t), "relative.yaml"), r); failed.Kind != agents.Config {
		t.Errorf("error = %v", failed)
	}
}
