package modeltest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// A conversation as each CLI sends it, cut down from recordings of the pinned versions:
// context of the CLI, our prompt, a call of our tool with its result.
var conversations = map[modeltest.Vendor]struct{ path, body string }{
	modeltest.Gemini: {"/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse", `{
		"contents": [
			{"role": "user", "parts": [
				{"text": "<session_context>\n- **Workspace Directories:**\n  - /run\n  - /home/ada/project\n- **Directory Structure:**\n</session_context>"},
				{"text": "You are challenging the plan of the change ` + "`add-greeting`" + ` in round 2."}]},
			{"role": "model", "parts": [{"functionCall": {"name": "mcp_agentd_read_file", "args": {"path": "proposal.md"}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "mcp_agentd_read_file", "response": {"output": "hash: 1234abcd"}}}]}],
		"systemInstruction": {"parts": [{"text": "You are Gemini CLI."}], "role": "user"},
		"tools": [{"functionDeclarations": [{"name": "glob"}, {"name": "mcp_agentd_read_file"}]}]}`},
	modeltest.Codex: {"/v1/responses", `{
		"model": "gpt-5.2-codex", "stream": true, "instructions": "",
		"input": [
			{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "You are a coding agent."}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\n  <cwd>/home/ada/project</cwd>\n</environment_context>"}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "You are challenging the plan of the change ` + "`add-greeting`" + ` in round 2."}]},
			{"type": "function_call", "call_id": "call_1_read_file", "namespace": "mcp__agentd", "name": "read_file", "arguments": "{}"},
			{"type": "function_call_output", "call_id": "call_1_read_file", "output": "hash: 1234abcd"}],
		"tools": [{"type": "function", "name": "exec_command"},
			{"type": "namespace", "name": "mcp__agentd", "tools": [{"type": "function", "name": "read_file"}]}]}`},
	modeltest.Claude: {"/v1/messages?beta=true", `{
		"model": "claude-sonnet-5-5", "stream": true,
		"system": [{"type": "text", "text": "You are a Claude agent."}],
		"messages": [
			{"role": "user", "content": [
				{"type": "text", "text": "<system-reminder>\ngitStatus\n</system-reminder>"},
				{"type": "text", "text": "You are challenging the plan of the change ` + "`add-greeting`" + ` in round 2."}]},
			{"role": "system", "content": [{"type": "text", "text": "# Environment\n - Primary working directory: /home/ada/project\n"}]},
			{"role": "assistant", "content": [{"type": "tool_use", "id": "call_1_read_file", "name": "mcp__agentd__read_file", "input": {}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1_read_file", "content": [{"type": "text", "text": "hash: 1234abcd"}]}]}],
		"tools": [{"name": "Bash"}, {"name": "mcp__agentd__read_file"}]}`},
}

func post(t *testing.T, s *modeltest.Server, vendor modeltest.Vendor) *http.Response {
	t.Helper()
	c := conversations[vendor]
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestServer_readsEveryVendorInTheSameWords(t *testing.T) {
	for vendor, c := range conversations {
		t.Run(string(vendor), func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.Say("Hello.") })
			if body := read(t, post(t, server, vendor)); !strings.Contains(body, "Hello.") {
				t.Errorf("the answer is %q", body)
			}
			got := server.Exchanges()[0]
			type seen struct {
				Vendor   modeltest.Vendor
				Step     modeltest.Step
				Done     []modeltest.Done
				Offered  []string
				Dir, Key string
			}
			want := seen{
				vendor, modeltest.Step{Name: "challenge", Change: "add-greeting", Round: 2},
				[]modeltest.Done{{Name: "read_file", Result: "hash: 1234abcd"}}, []string{"read_file"}, "/home/ada/project", "secret",
			}
			if diff := cmp.Diff(want, seen{got.Vendor, got.Step, got.Done, got.Offered, got.Dir, got.Key}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			size := got.Size
			if size.Total != len(c.body) || size.Prompt == 0 || size.Tools == 0 || size.Dialogue == 0 ||
				size.CLISystem == 0 || size.CLITools == 0 || size.Rest() <= 0 {
				t.Errorf("of %d bytes: %+v, rest %d", len(c.body), size, size.Rest())
			}
			sent := server.Sent(func(modeltest.Exchange) bool { return true })
			if diff := cmp.Diff(size, sent); diff != "" {
				t.Errorf("one request was sent (-want +got):\n%s", diff)
			}
		})
	}
}

// What is reported in each vendor's fields is what the server counts.
func TestServer_reportsWhatItCounts(t *testing.T) {
	reported := map[modeltest.Vendor]func(body string) modeltest.Usage{
		modeltest.Gemini: func(body string) modeltest.Usage {
			var e struct {
				Meta map[string]int64 `json:"usageMetadata"`
			}
			mustDecode(t, lastData(body), &e)
			if e.Meta["totalTokenCount"] != e.Meta["promptTokenCount"]+e.Meta["candidatesTokenCount"]+e.Meta["thoughtsTokenCount"] {
				t.Errorf("the total is none: %v", e.Meta)
			}
			return modeltest.Usage{In: e.Meta["promptTokenCount"], Cached: e.Meta["cachedContentTokenCount"],
				Out: e.Meta["candidatesTokenCount"] + e.Meta["thoughtsTokenCount"], Thinking: e.Meta["thoughtsTokenCount"]}
		},
		modeltest.Codex: func(body string) modeltest.Usage {
			var e struct {
				Response struct {
					Usage struct {
						In     int64 `json:"input_tokens"`
						Out    int64 `json:"output_tokens"`
						Detail struct {
							Cached int64 `json:"cached_tokens"`
						} `json:"input_tokens_details"`
						OutDetail struct {
							Reasoning int64 `json:"reasoning_tokens"`
						} `json:"output_tokens_details"`
					} `json:"usage"`
				} `json:"response"`
			}
			mustDecode(t, lastData(body), &e)
			u := e.Response.Usage
			return modeltest.Usage{In: u.In, Cached: u.Detail.Cached, Out: u.Out, Thinking: u.OutDetail.Reasoning}
		},
		modeltest.Claude: func(body string) modeltest.Usage {
			var e struct {
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
			mustDecode(t, dataOf(body, "message_delta"), &e)
			u := e.Usage
			return modeltest.Usage{In: u.In + u.Read + u.Written, Cached: u.Read, CacheWrite: u.Written, Out: u.Out, Thinking: u.Detail.Thinking}
		},
	}
	for vendor, parse := range reported {
		t.Run(string(vendor), func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.Say("Hello.") })
			got := parse(read(t, post(t, server, vendor)))
			want := server.Used(func(modeltest.Exchange) bool { return true })
			if got != want || want.In == 0 || want.Out == 0 || want.Cached == 0 {
				t.Errorf("reported %+v, counted %+v", got, want)
			}
			if want.In != modeltest.Tokens(len(conversations[vendor].body)) {
				t.Errorf("%d tokens counted for %d bytes", want.In, len(conversations[vendor].body))
			}
		})
	}
}

// An action goes out under the name that the CLI has for it.
func TestServer_namesActionsAsTheCLIDoes(t *testing.T) {
	wanted := map[modeltest.Vendor][]string{
		modeltest.Gemini: {`"name":"mcp_agentd_create_spec"`, `"name":"write_file"`, `"file_path":"/home/ada/project/a/b.go"`, `"name":"run_shell_command"`, `"name":"nothing"`},
		modeltest.Codex:  {`"namespace":"mcp__agentd"`, `"name":"create_spec"`, `*** Add File: a/b.go\\n+package b`, `"name":"exec_command"`, `"name":"nothing"`},
		modeltest.Claude: {`"name":"mcp__agentd__create_spec"`, `"name":"Write"`, `/home/ada/project/a/b.go`, `"name":"Bash"`, `"name":"nothing"`},
	}
	for vendor, words := range wanted {
		t.Run(string(vendor), func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer {
				return modeltest.Do(modeltest.Call("create_spec", json.RawMessage(`{"id":"x"}`)), modeltest.WriteFile("a/b.go", "package b\n"),
					modeltest.Run("go test ./..."), modeltest.CallForeign("nothing", json.RawMessage(`{}`)))
			})
			body := read(t, post(t, server, vendor))
			for _, word := range words {
				if !strings.Contains(body, word) {
					t.Errorf("%s is not in the answer:\n%s", word, body)
				}
			}
		})
	}
}

func TestServer_refusesAsEachVendorDoes(t *testing.T) {
	for _, row := range []struct {
		vendor modeltest.Vendor
		kind   modeltest.FaultKind
		status int
		words  string
	}{
		{modeltest.Gemini, modeltest.Unauthorized, 401, "UNAUTHENTICATED"},
		{modeltest.Gemini, modeltest.KeyRefused, 400, "API_KEY_INVALID"},
		{modeltest.Gemini, modeltest.Forbidden, 403, "PERMISSION_DENIED"},
		{modeltest.Gemini, modeltest.RateLimited, 429, `"retryDelay":"7s"`},
		{modeltest.Gemini, modeltest.QuotaUsedUp, 429, "PerDay"},
		{modeltest.Gemini, modeltest.ServerError, 500, "INTERNAL"},
		{modeltest.Gemini, modeltest.ContextTooLong, 400, "exceeds the maximum number of tokens"},
		{modeltest.Codex, modeltest.Unauthorized, 401, "invalid_api_key"},
		{modeltest.Codex, modeltest.RateLimited, 429, "rate_limit_exceeded"},
		{modeltest.Codex, modeltest.QuotaUsedUp, 429, "insufficient_quota"},
		{modeltest.Codex, modeltest.ServerError, 500, "server_error"},
		{modeltest.Codex, modeltest.ContextTooLong, 200, "context_length_exceeded"},
		{modeltest.Claude, modeltest.Unauthorized, 401, "authentication_error"},
		{modeltest.Claude, modeltest.Forbidden, 403, "permission_error"},
		{modeltest.Claude, modeltest.RateLimited, 429, "rate_limit_error"},
		{modeltest.Claude, modeltest.QuotaUsedUp, 400, "credit balance is too low"},
		{modeltest.Claude, modeltest.Overloaded, 529, "overloaded_error"},
		{modeltest.Claude, modeltest.ContextTooLong, 400, "prompt is too long"},
	} {
		t.Run(string(row.vendor)+"/"+row.kind.String(), func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.FailFor(row.kind, 6200*time.Millisecond) })
			response := post(t, server, row.vendor)
			body := read(t, response)
			if response.StatusCode != row.status || !strings.Contains(body, row.words) {
				t.Errorf("status %d, %s; want %d with %s", response.StatusCode, body, row.status, row.words)
			}
			if got := response.Header.Get("Retry-After"); got != "7" {
				t.Errorf("Retry-After is %q, want 7", got)
			}
			if got := server.Exchanges()[0]; got.Answered || got.Usage.In != 0 {
				t.Errorf("a refusal counts as an answer: %+v", got)
			}
		})
	}
}

func TestServer_answersThatDoNotEnd(t *testing.T) {
	for vendor := range conversations {
		t.Run(string(vendor)+"/cut", func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.Fail(modeltest.Cut) })
			data, err := io.ReadAll(post(t, server, vendor).Body)
			if !errors.Is(err, io.ErrUnexpectedEOF) || len(data) == 0 {
				t.Errorf("read %q, %v; want a beginning and an unexpected end", data, err)
			}
		})
		t.Run(string(vendor)+"/stalled", func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.Fail(modeltest.Stalled) })
			buffer := make([]byte, 16)
			if n, err := post(t, server, vendor).Body.Read(buffer); n == 0 || err != nil {
				t.Errorf("read %d bytes, %v; want a beginning", n, err)
			}
		})
		t.Run(string(vendor)+"/empty", func(t *testing.T) {
			server := modeltest.Start(t, func(modeltest.Request) modeltest.Answer { return modeltest.Fail(modeltest.Empty) })
			if body := read(t, post(t, server, vendor)); !strings.Contains(body, "data:") {
				t.Errorf("the answer is %q, want events", body)
			}
			if !server.Exchanges()[0].Answered {
				t.Error("an empty answer counts as none")
			}
		})
	}
}

// Codex first asks for a WebSocket.
func TestServer_refusesWebSockets(t *testing.T) {
	server := modeltest.Start(t, nil)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/responses", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "websocket")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("status %d, want 426", response.StatusCode)
	}
}

func TestServer_install(t *testing.T) {
	home := t.TempDir()
	server := modeltest.Start(t, nil)
	environ := server.Install(t, home)
	if len(environ) != 3 {
		t.Errorf("environment %q, want a key for each CLI", environ)
	}
	for _, name := range []string{".gemini/.env", ".codex/config.toml", ".claude/settings.json"} {
		if data := readFile(t, filepath.Join(home, filepath.FromSlash(name))); !strings.Contains(data, server.URL) {
			t.Errorf("%s does not name the server: %s", name, data)
		}
	}
}
