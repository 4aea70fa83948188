package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/internal/proc"
)

// server is an MCP server as an agent's configuration describes it.
type server struct {
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
}

// tool calls one tool of our server and prints the events of it.
func (a *agent) tool(words []string) error {
	arguments, err := a.script.file(words[1])
	if err != nil {
		return err
	}
	if !json.Valid(arguments) {
		return fmt.Errorf("section %q is no JSON; nonsense sends what is none", words[1])
	}
	wantRefusal := len(words) > 2 && words[2] == "refused"
	process, err := a.startServer()
	if err != nil {
		return err
	}
	answer, ok, err := callTool(process, words[0], arguments)
	if closeErr := process.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, process.Stderr())
	}
	a.toolCalls++
	id := a.toolCalls
	if err := errors.Join(a.tell(a.format.use(words[0], id, arguments)), a.tell(a.format.used(words[0], id, ok, answer))); err != nil {
		return err
	}
	if ok == wantRefusal {
		return fmt.Errorf("the tool answered, with ok %v: %s", ok, answer)
	}
	return nil
}

func callTool(process *proc.Process, name string, arguments []byte) (answer string, ok bool, err error) {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "scripted-agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: process.Stdout, Writer: process.Stdin}, nil)
	if err != nil {
		return "", false, fmt.Errorf("connect to the tool server: %w", err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		// An agent shows its model a protocol error as it shows a tool's refusal.
		return err.Error(), false, nil
	}
	for _, content := range result.Content {
		if text, isText := content.(*mcp.TextContent); isText {
			answer += text.Text
		}
	}
	return answer, !result.IsError, nil
}

// nonsense sends bytes that no client would send, and keeps what comes back.
func (a *agent) nonsense(words []string) error {
	data, err := a.script.file(words[0])
	if err != nil {
		return err
	}
	process, err := a.startServer()
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(a.record, "nonsense.out"))
	if err != nil {
		return errors.Join(err, process.Close())
	}
	answers := &firstWrite{w: out, came: make(chan struct{})}
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(answers, process.Stdout)
		read <- err
	}()
	_, err = process.Stdin.Write(data)
	select { // a server may leave at the end of input without a word
	case <-answers.came:
	case <-time.After(2 * time.Second):
	}
	_ = process.Stdin.Close()
	return errors.Join(err, <-read, out.Close(), ignoreExit(process.Close()))
}

// firstWrite tells when something has come.
type firstWrite struct {
	w    io.Writer
	came chan struct{}
	once sync.Once
}

func (f *firstWrite) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.once.Do(func() { close(f.came) })
	return n, err
}

func ignoreExit(err error) error {
	if _, ended := errors.AsType[*proc.ExitError](err); ended {
		return nil
	}
	return err
}

func (a *agent) startServer() (*proc.Process, error) {
	s, err := a.findServer()
	if err != nil {
		return nil, err
	}
	path, err := proc.Look(s.Command, a.env.get("PATH"))
	if err != nil {
		return nil, err
	}
	return proc.Start(context.Background(), proc.Cmd{Path: path, Args: s.Args, Env: a.serverEnv(s)})
}

// serverEnv is what the real programs give a server: codex next to nothing, the others all they have.
func (a *agent) serverEnv(s server) []string {
	env := slices.Clone([]string(a.env))
	if a.name == "codex" {
		env = slices.DeleteFunc(env, func(entry string) bool {
			name, _, _ := strings.Cut(entry, "=")
			return !slices.Contains([]string{"HOME", "PATH", "TERM", "LANG", "TMPDIR", "USER", "SHELL"}, name)
		})
	}
	for name, value := range s.Env {
		env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		env = append(env, name+"="+value)
	}
	return env
}

// findServer looks where the real programs look: codex in -c mcp_servers.NAME={…},
// claude in --mcp-config, gemini in .gemini/settings.json, replay in --tool-command and --tool-arg,
// any other in an argument that is a file of the same kind.
func (a *agent) findServer() (server, error) {
	var fromFlags server
	for i, arg := range a.args {
		if command, ok := strings.CutPrefix(arg, "--tool-command="); ok {
			fromFlags.Command = command
			continue
		}
		if word, ok := strings.CutPrefix(arg, "--tool-arg="); ok {
			fromFlags.Args = append(fromFlags.Args, word)
			continue
		}
		if _, table, ok := strings.Cut(arg, "mcp_servers."); ok {
			return codexServer(table)
		}
		if i > 0 && a.args[i-1] == "--mcp-config" && strings.HasPrefix(arg, "{") {
			return jsonServer([]byte(arg))
		}
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if data, err := os.ReadFile(arg); err == nil && strings.Contains(string(data), "mcpServers") {
			return jsonServer(data)
		}
	}
	if fromFlags.Command != "" {
		return fromFlags, nil
	}
	if data, err := os.ReadFile(filepath.Join(".gemini", "settings.json")); err == nil {
		return jsonServer(data)
	}
	return server{}, errors.New("this agent was not told of a tool server")
}

func jsonServer(data []byte) (server, error) {
	var settings struct {
		Servers map[string]server `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return server{}, fmt.Errorf("read the tool server's description: %w", err)
	}
	return only(settings.Servers)
}

// codexServer reads NAME={…} or NAME.command="…", as the value of one -c.
func codexServer(text string) (server, error) {
	var servers map[string]server
	if _, err := toml.Decode(text, &servers); err != nil {
		return server{}, fmt.Errorf("read the tool server's description: %w", err)
	}
	return only(servers)
}

func only(servers map[string]server) (server, error) {
	s, ok := servers["agentd"]
	if !ok {
		return server{}, fmt.Errorf("there is no tool server agentd among %d", len(servers))
	}
	return s, nil
}

// submit hands in a document as an agent without MCP does.
func (a *agent) submit(words []string) error {
	data, err := a.script.file(words[1])
	if err != nil {
		return err
	}
	file := filepath.Join(a.record, "submit.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	bin := a.env.get("AGENTD_BIN")
	if bin == "" {
		return errors.New("AGENTD_BIN is not set")
	}
	err = a.run([]string{bin, "submit", words[0], "--json-file", file})
	_, refused := errors.AsType[*proc.ExitError](err)
	if wantRefusal := len(words) > 2 && words[2] == "refused"; refused == wantRefusal && (err == nil || refused) {
		return nil
	}
	if err == nil {
		return errors.New("the submission was taken")
	}
	return err
}
