//go:build linux

package clis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/inbox"
)

// Each CLI, run by its documented command line and not by an adapter of ours,
// calls a tool of our server, writes and replaces a file, runs a command, and reports the usage that was counted.
// When this fails and the adapters' tests do, too, look here first: a CLI has changed.
func TestRaw_toolFilesCommandUsage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		vendor modeltest.Vendor
		model  string
		usage  func(t *testing.T, stdout string) modeltest.Usage
	}{
		{modeltest.Gemini, "gemini-3-flash-preview", geminiUsage},
		{modeltest.Codex, "gpt-5.2-codex", codexUsage}, // not in its catalog: our tools are declared by themselves
		{modeltest.Codex, "gpt-5.5", codexUsage},       // our tools are behind a search
		{modeltest.Codex, "gpt-6.1-sol", codexUsage},   // our tools are called from JavaScript
		{modeltest.Claude, "sonnet", claudeUsage},
	} {
		t.Run(string(row.vendor)+" "+row.model, func(t *testing.T) {
			t.Parallel()
			use := tools(t)
			actions := []modeltest.Action{
				modeltest.Call("create_proposal", json.RawMessage(greetingProposal)),
				modeltest.WriteFile("notes.txt", "first\nsecond\n"),
				modeltest.WriteFile("README.md", "replaced\n"),
				modeltest.Run("env > environment.txt"),
			}
			server := modeltest.Start(t, func(r modeltest.Request) modeltest.Answer {
				if len(r.Done) == len(actions) {
					return modeltest.Say("All is done.")
				}
				return modeltest.Do(actions[len(r.Done)])
			})
			got := playRaw(t, use, server, row.vendor, row.model)
			for name, want := range map[string]string{
				"run/change/proposal.md": "Nobody is greeted",
				"work/notes.txt":         "first\nsecond\n",
				"work/README.md":         "replaced\n",
				"work/environment.txt":   "HOME=",
			} {
				if data, err := os.ReadFile(filepath.Join(got.dir, name)); !strings.Contains(string(data), want) {
					t.Errorf("%s is %q, %v; want %q in it", name, data, err, want)
				}
			}
			if used, counted := row.usage(t, got.stdout), server.Used(all); used != counted {
				t.Errorf("the CLI says %+v, the server counted %+v", used, counted)
			}
			if t.Failed() {
				t.Logf("stdout:\n%s\nstderr:\n%s", got.stdout, got.stderr)
			}
		})
	}
}

// greetingProposal is one that the tool takes.
const greetingProposal = `{
	"summary": "Greet people.",
	"why": "Nobody is greeted today, and a program that greets is friendlier to its users.",
	"what_changes": ["Greet"],
	"impact": {"scope": "patch"}
}`

func all(modeltest.Exchange) bool { return true }

// rawResult is what one run of a CLI left.
type rawResult struct{ dir, stdout, stderr string }

// playRaw runs a CLI with the command line of its documentation, free to do everything.
func playRaw(t *testing.T, use *bench, server *modeltest.Server, vendor modeltest.Vendor, model string) rawResult {
	t.Helper()
	dir := t.TempDir()
	home, work, run := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "run")
	env := append(server.Install(t, home), "HOME="+home, "PATH="+os.Getenv("PATH"), "TERM=dumb")
	put(t, filepath.Join(work, "README.md"), "old\n")
	if out, err := exec.Command("git", "init", "--quiet", work).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if _, err := inbox.Create(run, inbox.Run{Change: "add-greeting", Step: "proposal-gen", Author: string(vendor), Created: time.Now()}, nil); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal([]string{"mcp", "--change", "add-greeting", "--step", "proposal-gen", "--run", run})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	switch vendor {
	case modeltest.Gemini:
		put(t, filepath.Join(work, ".gemini", "settings.json"),
			fmt.Sprintf(`{"mcpServers": {"agentd": {"command": %q, "args": %s, "trust": true}}}`, use.product, args))
		env = append(env, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true")
		words = []string{"-m", model, "--approval-mode", "yolo", "-o", "stream-json"}
	case modeltest.Codex:
		words = []string{
			"exec", "--json", "-m", model, "-s", "danger-full-access",
			"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "--disable", "plugins",
			"-c", fmt.Sprintf(`mcp_servers.agentd={command=%q,args=%s,required=true,default_tools_approval_mode="approve"}`, use.product, args), "-",
		}
	case modeltest.Claude:
		env = append(env, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		words = []string{
			"-p", "--output-format", "stream-json", "--verbose", "--model", model,
			"--permission-mode", "acceptEdits", "--allowedTools", "mcp__agentd,Bash(env *)", "--strict-mcp-config", "--mcp-config",
			fmt.Sprintf(`{"mcpServers": {"agentd": {"type": "stdio", "command": %q, "args": %s, "alwaysLoad": true}}}`, use.product, args),
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(use.clis, string(vendor)), words...)
	cmd.Dir, cmd.Env = work, env
	cmd.Stdin = strings.NewReader("You are writing the proposal of the change `add-greeting` for the project in this directory.\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", vendor, err, stderr.String())
	}
	return rawResult{dir, stdout.String(), stderr.String()}
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// lastLine decodes the last line of a stream of events.
func lastLine(t *testing.T, stdout string, into any) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), into); err != nil {
		t.Errorf("the last line is no event: %v\n%s", err, stdout)
	}
}

func geminiUsage(t *testing.T, stdout string) modeltest.Usage {
	var event struct {
		Stats struct {
			In     int64 `json:"input_tokens"`
			Out    int64 `json:"output_tokens"` // without thinking
			Cached int64 `json:"cached"`
			Total  int64 `json:"total_tokens"`
		} `json:"stats"`
	}
	lastLine(t, stdout, &event)
	s := event.Stats
	return modeltest.Usage{In: s.In, Cached: s.Cached, Out: s.Total - s.In, Thinking: s.Total - s.In - s.Out}
}

func codexUsage(t *testing.T, stdout string) modeltest.Usage {
	var event struct {
		Usage struct {
			In       int64 `json:"input_tokens"`
			Cached   int64 `json:"cached_input_tokens"`
			Out      int64 `json:"output_tokens"`
			Thinking int64 `json:"reasoning_output_tokens"`
		} `json:"usage"`
	}
	lastLine(t, stdout, &event)
	return modeltest.Usage{In: event.Usage.In, Cached: event.Usage.Cached, Out: event.Usage.Out, Thinking: event.Usage.Thinking}
}

func claudeUsage(t *testing.T, stdout string) modeltest.Usage {
	var event struct {
		Usage struct {
			In      int64 `json:"input_tokens"`
			Read    int64 `json:"cache_read_input_tokens"`
			Written int64 `json:"cache_creation_input_tokens"`
			Out     int64 `json:"output_tokens"`
			Detail  struct {
				Thinking int64 `json:"thinking_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
	}
	lastLine(t, stdout, &event)
	u := event.Usage
	return modeltest.Usage{In: u.In + u.Read + u.Written, Cached: u.Read, CacheWrite: u.Written, Out: u.Out, Thinking: u.Detail.Thinking}
}
