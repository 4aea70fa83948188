package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/agenttest"
	"github.com/agentd/gh-agentd/internal/proc"
)

// TestMain makes this binary an agent under any of their names, an MCP server, and our program's submit.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "gemini", "codex", "claude", "scripted":
		os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	case "toolserver":
		os.Exit(toolServer())
	case "gh-agentd":
		data, _ := os.ReadFile(os.Args[len(os.Args)-1])
		if strings.Contains(string(data), "bad") {
			fmt.Fprintln(os.Stderr, "refused")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// toolServer has the tool repeat, which says back a text, and whether it got AGENTD_RUN.
func toolServer() int {
	type in struct {
		Text string `json:"text"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "repeat"}, func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
		if i.Text == "no" {
			return nil, nil, errors.New("refused")
		}
		_, hasRun := os.LookupEnv("AGENTD_RUN")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("heard %s, run %v, extra %q", i.Text, hasRun, os.Getenv("EXTRA"))}}}, nil, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// stage is a home with programs and a script, and a working directory.
type stage struct {
	t        *testing.T
	home     string
	programs string
	request  agents.Request
}

func newStage(t *testing.T, script string) *stage {
	t.Helper()
	s := &stage{t: t, home: t.TempDir(), programs: programs(t)}
	agenttest.Install(t, s.home, script)
	s.request = agents.Request{
		Step: "implement", Round: 1, Change: "add-oauth", Prompt: []byte("Do it.\n"), Dir: t.TempDir(), RunDir: t.TempDir(),
		Limits:  proc.Limits{Wall: 30 * time.Second, Grace: 100 * time.Millisecond},
		Environ: []string{"PATH=" + s.programs + ":" + os.Getenv("PATH"), "HOME=" + s.home},
		Tools:   &agents.ToolServer{Command: filepath.Join(s.programs, "toolserver"), Env: []string{"EXTRA=1"}},
		Bin:     filepath.Join(s.programs, "gh-agentd"),
	}
	return s
}

// programs is a folder with this binary under all its names.
func programs(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"gemini", "codex", "claude", "scripted", "toolserver", "gh-agentd"} {
		if err := os.Symlink(exe, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// play runs an agent under the real runner. words stand after its name; output is how it is read.
func (s *stage) play(output, name string, words ...string) (agents.Result, error) {
	s.t.Helper()
	agent, err := agents.Command{
		Name: name, Command: append([]string{name}, words...), Output: output, Env: map[string]string{"GORACE": "atexit_sleep_ms=0"},
	}.Agent()
	if err != nil {
		s.t.Fatal(err)
	}
	return agent.Run(s.t.Context(), s.request, nil)
}

func (s *stage) mustPlay(output, name string, words ...string) agents.Result {
	s.t.Helper()
	result, err := s.play(output, name, words...)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.stderr())
	}
	return result
}

func (s *stage) stderr() string { return s.log("stderr.log") }
func (s *stage) stdout() string { return s.log("stdout.log") }

// log is what the newest call printed.
func (s *stage) log(name string) string {
	logs, _ := filepath.Glob(filepath.Join(s.request.RunDir, "call-*", name))
	slices.Sort(logs)
	if len(logs) == 0 {
		return ""
	}
	data, err := os.ReadFile(logs[len(logs)-1])
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s *stage) file(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.request.Dir, name))
	if err != nil {
		s.t.Error(err)
	}
	return string(data)
}
