package agents_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/agenttest"
	"github.com/agentd/gh-agentd/internal/proc"
)

// TestMain makes this binary everything that a run needs beside itself:
// an agent that behaves as told, the three scripted ones under their names, the replay command, and an MCP server.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "gemini", "codex", "claude":
		os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "behave":
			os.Exit(behave(os.Args[2], os.Args[3:]))
		case "replay":
			os.Exit(replay(os.Args[2:]))
		case "toolserver":
			os.Exit(toolServer())
		}
	}
	goleak.VerifyTestMain(m)
}

func behave(behaviour string, args []string) int {
	switch behaviour {
	case "say": // each argument is a line of standard output
		for _, line := range args {
			fmt.Println(line)
		}
	case "fail": // exit status, and a line of standard error
		fmt.Fprintln(os.Stderr, args[1])
		var code int
		_, _ = fmt.Sscan(args[0], &code)
		return code
	case "stdin":
		n, _ := io.Copy(io.Discard, os.Stdin)
		fmt.Println(n)
	case "env":
		for _, entry := range os.Environ() {
			fmt.Println(entry)
		}
	case "where":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "hang":
		for _, line := range args {
			fmt.Println(line)
		}
		<-time.After(time.Hour)
	case "repeat": // a line again and again
		for {
			fmt.Println(args[0])
			<-time.After(10 * time.Millisecond)
		}
	case "slow": // lines with a pause before the last one
		for i, line := range args {
			if i == len(args)-1 {
				<-time.After(3 * time.Second)
			}
			fmt.Println(line)
		}
	case "flood": // bytes without a line feed on both streams, then a proper end
		piece := strings.Repeat("x", 64<<10)
		fmt.Print(`{"type":"text","text":"`)
		for range (50 << 20) / len(piece) {
			_, _ = os.Stdout.WriteString(piece)
			_, _ = os.Stderr.WriteString(piece)
		}
		fmt.Print("\"}\n{\"type\":\"usage\",\"in\":1,\"out\":1}\n{\"type\":\"done\"}\n")
	case "leave":
		cmd := exec.Command("sleep", "300")
		cmd.SysProcAttr = ownSession()
		if err := cmd.Start(); err != nil {
			return 1
		}
		fmt.Println("left a child")
	default:
		return 99
	}
	return 0
}

// replay is the adapter that the program's own replay command is.
func replay(args []string) int {
	var o agents.PlayOptions
	flags := flag.NewFlagSet("replay", flag.ExitOnError)
	cassette := flags.String("cassette", "", "")
	flags.StringVar(&o.Step, "step", "", "")
	flags.IntVar(&o.Round, "round", 0, "")
	flags.StringVar(&o.Task, "task", "", "")
	flags.StringVar(&o.Change, "change", "", "")
	flags.StringVar(&o.Dir, "dir", "", "")
	flags.StringVar(&o.Tools.Command, "tool-command", "", "")
	flags.Func("tool-arg", "", func(s string) error {
		o.Tools.Args = append(o.Tools.Args, s)
		return nil
	})
	_ = flags.Parse(args)
	src, err := os.ReadFile(*cassette)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o.Cassette, o.CassetteName, o.Out, o.Environ = src, *cassette, os.Stdout, os.Environ()
	err = agents.Play(context.Background(), o)
	if exit, ok := err.(*agents.PlayedExit); ok {
		return exit.Code
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// toolServer has one tool, which repeats its text and refuses the text "no".
func toolServer() int {
	type in struct {
		Text string `json:"text"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "repeat"}, func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
		if i.Text == "no" {
			return nil, nil, fmt.Errorf("%s refuses", os.Getenv("TOOL_SERVER_NAME"))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "heard " + i.Text}}}, nil, nil
	})
	fmt.Fprintln(os.Stderr, "tool server is here")
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil && err != io.EOF {
		return 1
	}
	return 0
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// behaving is an agent called gemini that is this binary; its lines are read by the codec.
func behaving(t *testing.T, codec func() agents.Codec, words ...string) *agents.Program {
	t.Helper()
	return &agents.Program{ID: "gemini", Path: executable(t), Words: append([]string{"behave"}, words...), NewCodec: codec}
}

// noArguments spares a race-built child the second that it would sleep at its end.
func noArguments(agents.Request) (agents.Invocation, error) {
	return agents.Invocation{Env: []string{"GORACE=atexit_sleep_ms=0"}}, nil
}

func plain() agents.Codec { return agents.NewPlainCodec(noArguments, nil) }
func jsonl() agents.Codec { return agents.NewJSONLCodec(noArguments) }

// request is a complete one, with short limits and folders of its own.
func request(t *testing.T) agents.Request {
	t.Helper()
	return agents.Request{
		Role: "proposer", Step: "proposal-gen", Round: 1, Change: "add-oauth",
		Prompt: []byte("Write the proposal.\n"), Dir: t.TempDir(), RunDir: t.TempDir(),
		Limits:  proc.Limits{Wall: 30 * time.Second, Grace: 100 * time.Millisecond},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()},
	}
}
