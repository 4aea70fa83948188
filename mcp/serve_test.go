package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/mcp"
)

func TestServe_survivesBadLines_MC01(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	c.initialize("2025-06-18")
	for _, row := range []struct {
		name, line, id string
		code           int
		want           string
	}{
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":`, "null", -32700, "not valid JSON"},
		{"no JSON", `hello`, "null", -32700, "not valid JSON"},
		{"two on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "null", -32700, "not valid JSON"},
		{"too deep", strings.Repeat("[", 100_000), "null", -32700, "not valid JSON"},
		{"control character", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\x01ng\"}", "null", -32700, "not valid JSON"},
		{"a number", `17`, "null", -32600, "a message is a JSON object"},
		{"null", `null`, "null", -32600, "a message is a JSON object"},
		{"empty object", `{}`, "null", -32600, "not a JSON-RPC message"},
		{"no version", `{"id":7,"method":"ping"}`, "7", -32600, "not a JSON-RPC message"},
		{"wrong version", `{"jsonrpc":"1.0","id":"seven","method":"ping"}`, `"seven"`, -32600, "not a JSON-RPC message"},
		{"method is no text", `{"jsonrpc":"2.0","id":7,"method":7}`, "7", -32600, "not a JSON-RPC message"},
		{"id twice", `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, "null", -32600, `the key "id" occurs twice`},
		{"method twice", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`, "null", -32600, `the key "method" occurs twice`},
		{"tool twice", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_specs","name":"append_review"}}`, "7", -32600, `the key "name" occurs twice`},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", -32600, "the id must be"},
		{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", -32600, "the id must be"},
		{"object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600, "the id must be"},
		{"id beyond float64", `{"jsonrpc":"2.0","id":9007199254740995,"method":"ping"}`, "null", -32600, "the id must be"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c.t = t
			c.send("%s", row.line)
			wantError(t, c.receive(), row.id, row.code, row.want)
			c.works()
		})
	}
	t.Run("blank lines are nothing", func(t *testing.T) {
		c.t = t
		c.send("\n  \r\n\t")
		c.silent()
		c.works()
	})
	t.Run("line ends of Windows", func(t *testing.T) {
		c.t = t
		c.send("{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":\"ping\"}\r")
		if answer := c.receive(); string(answer.ID) != `"w"` || answer.Error != nil {
			t.Errorf("answer is %s", answer.raw)
		}
	})
}

func TestServe_unknownThings_MC07(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})

	// Claude probes so before it shakes hands, with a string as id.
	c.send(`{"jsonrpc":"2.0","id":"probe-1","method":"server/discover"}`)
	wantError(t, c.receive(), `"probe-1"`, -32601, "server/discover")
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	wantError(t, c.receive(), "1", -32600, "initialization")

	c.initialize("2025-11-25")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/dance"}`)
	wantError(t, c.receive(), "2", -32601, "tools/dance")
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rm","arguments":{}}}`)
	wantError(t, c.receive(), "3", -32602, `unknown tool "rm"`)
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call"}`)
	wantError(t, c.receive(), "4", -32600, "params")
	c.send(`[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]`)
	wantError(t, c.receive(), "null", -32600, "batches are not supported")
	c.send(`{"jsonrpc":"2.0","id":99,"result":{}}`) // an answer to nothing
	c.send(`{"jsonrpc":"2.0","method":"notifications/dance"}`)
	c.works()
}

func TestServe_toolErrors_MC08(t *testing.T) {
	b := box(t, "challenge")
	c := start(t, mcp.Options{Box: b})
	c.initialize("2025-06-18")
	for _, row := range []struct{ name, args, want string }{
		{"missing", `{"verdict":"APPROVED","findings":[]}`, `argument "summary" is missing`},
		{"extra", `{"verdict":"APPROVED","findings":[],"summary":"s","x":1}`, `argument "x" is unknown`},
		{"wrong case", `{"Verdict":"APPROVED","findings":[],"summary":"s"}`, `did you mean "verdict"?`},
		{"twice", `{"verdict":"REJECTED","verdict":"APPROVED","findings":[],"summary":"s"}`, `argument "verdict" is given twice`},
		{"deep", `{"verdict":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, "nested deeper than 64 levels"},
		{"null", `null`, "not a JSON object"},
		{"half a pair", `{"verdict":"APPROVED","findings":[],"summary":"\ud800"}`, `argument "summary" contains half a surrogate pair`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c.t = t
			text, isError := c.call("append_review", row.args)
			if !isError || !strings.Contains(text, row.want) {
				t.Errorf("answer is %v %q, want an error with %q", isError, text, row.want)
			}
		})
	}
	if _, ok, err := b.Verdict(); ok || err != nil {
		t.Errorf("a verdict was recorded (%v)", err)
	}
}

func TestServe_invalidUTF8_MC10(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	c.initialize("2025-06-18")
	text, isError := c.call("append_review", "{\"verdict\":\"APPROVED\",\"summary\":\"a\xffb\",\"findings\":[]}")
	if !isError || text != `argument "summary" is not valid UTF-8` {
		t.Errorf("answer is %v %q", isError, text)
	}
	c.send("{\"jsonrpc\":\"2.0\",\"id\":50,\"method\":\"tools/call\",\"params\":{\"name\":\"list\xff\",\"arguments\":{}}}")
	wantError(t, c.receive(), "50", -32600, `"params.name" is not valid UTF-8`)
	c.send("{\"jsonrpc\":\"2.0\",\"id\":51,\"method\":\"pi\xffng\"}")
	wantError(t, c.receive(), "51", -32600, `"method" is not valid UTF-8`)
	c.send("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}")
	wantError(t, c.receive(), "null", -32600, "the id must be")
	c.works()
}

func TestServe_wrongChange_MC17(t *testing.T) {
	b := box(t, "challenge")
	c := start(t, mcp.Options{Box: b})
	c.initialize("2025-06-18")
	text, isError := c.call("append_review", `{"change_id":"other","verdict":"APPROVED","findings":[],"summary":"s"}`)
	if !isError || text != `this server serves change "add-oauth", not "other"` {
		t.Errorf("answer is %v %q", isError, text)
	}
	if _, ok, _ := b.Verdict(); ok {
		t.Error("the verdict was recorded")
	}
}

func TestServe_wrongStep_MC18(t *testing.T) {
	b := box(t, "implement")
	c := start(t, mcp.Options{Box: b})
	c.initialize("2025-06-18")
	for _, tool := range []string{"create_spec", "append_review", "create_review", "edit_file", "self_review"} {
		id := c.sendCall(tool, "{}")
		wantError(t, c.receive(), fmt.Sprint(id), -32602, fmt.Sprintf("tool %q is not part of step \"implement\"", tool))
	}
	c.works()
	calls, err := b.Calls()
	if err != nil || len(calls) != 6 || calls[0].OK {
		t.Errorf("records are %+v, %v", calls, err)
	}
}

func TestServe_flood_MC19(t *testing.T) {
	b := box(t, "challenge")
	c := start(t, mcp.Options{Box: b})
	c.initialize("2025-06-18")
	refused := 0
	for range 1000 {
		if text, isError := c.call("list_specs", "{}"); isError {
			refused++
			if !strings.Contains(text, "call budget used up") {
				t.Fatalf("refusal is %q", text)
			}
		}
	}
	if refused != 800 || !b.Exhausted() {
		t.Errorf("%d of 1000 calls were refused, exhausted %v", refused, b.Exhausted())
	}
}

func TestServe_protocolVersions_MC21(t *testing.T) {
	for offered, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1.0": "2025-11-25", "": "2025-11-25", "nonsense": "2025-11-25",
	} {
		t.Run("offered "+offered, func(t *testing.T) {
			c := start(t, mcp.Options{Box: box(t, "challenge")})
			var result struct {
				ProtocolVersion string
				Instructions    string
				ServerInfo      struct{ Name, Version string }
				Capabilities    map[string]any
			}
			if err := json.Unmarshal(c.initialize(offered).Result, &result); err != nil {
				t.Fatal(err)
			}
			if result.ProtocolVersion != want || result.ServerInfo.Name != "agentd" || result.ServerInfo.Version != "test" {
				t.Errorf("answer is %+v", result)
			}
			if !strings.Contains(result.Instructions, `step "challenge"`) || len(result.Instructions) > 300 {
				t.Errorf("instructions are %q", result.Instructions)
			}
			if len(result.Capabilities) != 1 || result.Capabilities["tools"] == nil {
				t.Errorf("capabilities are %v", result.Capabilities)
			}
			c.works()
		})
	}
}

func TestServe_stateless_MC21(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"driver","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	c.send(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + meta + `}}`)
	if answer := c.receive(); answer.Error != nil || !strings.Contains(string(answer.Result), "2026-07-28") {
		t.Errorf("discover: %s", answer.raw)
	}
	c.send(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"list_specs","arguments":{},` + meta + `}}`)
	answer := c.receive()
	if text, isError := toolResult(t, answer); isError || !strings.Contains(text, "auth") || string(answer.ID) != `"c"` {
		t.Errorf("call: %s", answer.raw)
	}
}

// reader is a change without a run, for the read-only tools.
type reader struct {
	files   func(ctx context.Context) (map[string][]byte, error)
	changed []string
}

func (r reader) Files(ctx context.Context) (map[string][]byte, error) { return r.files(ctx) }
func (r reader) ChangedFiles(context.Context) ([]string, error)       { return r.changed, nil }

func sampleFiles(context.Context) (map[string][]byte, error) {
	return map[string][]byte{"proposal.md": []byte(proposalMD), "specs/auth.md": []byte(authMD)}, nil
}

func TestServe_readOnly(t *testing.T) {
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{sampleFiles, []string{"b.go", "a.go"}}})
	c.initialize("2025-06-18")
	for _, row := range []struct{ tool, args, want string }{
		{"list_specs", `{}`, "auth: Sign in"},
		{"read_all_requirements", `{}`, "auth#R1"},
		{"read_file", `{"path":"specs/auth.md"}`, "### R1: Start"},
		{"list_changed_files", `{}`, "a.go\nb.go"},
		{"validate_change", `{}`, "HIGH"},
	} {
		if text, isError := c.call(row.tool, row.args); isError || !strings.Contains(text, row.want) {
			t.Errorf("%s: %v %q", row.tool, isError, text)
		}
	}
	for path, want := range map[string]string{"../x": "outside the change folder", "none.md": "does not exist", ".env": "not a document"} {
		if text, isError := c.call("read_file", fmt.Sprintf(`{"path":%q}`, path)); !isError || !strings.Contains(text, want) {
			t.Errorf("read_file %q: %v %q", path, isError, text)
		}
	}
	id := c.sendCall("edit_file", "{}")
	wantError(t, c.receive(), fmt.Sprint(id), -32602, "belongs to a step")
	if text, isError := c.call("list_specs", `{"change_id":"other"}`); !isError || !strings.Contains(text, `serves change "add-oauth"`) {
		t.Errorf("%v %q", isError, text)
	}
}

func TestServe_readerFails(t *testing.T) {
	broken := func(context.Context) (map[string][]byte, error) { return nil, errors.New("the repository is gone") }
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: broken}})
	c.initialize("2025-06-18")
	if text, isError := c.call("list_specs", "{}"); !isError || text != "the repository is gone" {
		t.Errorf("%v %q", isError, text)
	}
}

func TestServe_needsSomethingToServe(t *testing.T) {
	err := mcp.Serve(t.Context(), mcp.Options{In: strings.NewReader(""), Out: io.Discard})
	if err == nil {
		t.Error("a server of nothing was started")
	}
}

func TestServe_survivesPanics_MC14(t *testing.T) {
	calls := 0
	panics := func(ctx context.Context) (map[string][]byte, error) {
		if calls++; calls == 1 {
			panic("the wires are crossed")
		}
		return sampleFiles(ctx)
	}
	var log strings.Builder
	c := start(t, mcp.Options{
		Change: "add-oauth", Reader: reader{files: panics},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	c.initialize("2025-06-18")
	text, isError := c.call("list_specs", "{}")
	if !isError || !strings.Contains(text, "bug of agentd") || strings.Contains(text, "wires") {
		t.Errorf("answer is %v %q", isError, text)
	}
	c.works()
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "the wires are crossed") || !strings.Contains(log.String(), "serve_test.go") {
		t.Errorf("the log has no stack: %s", log.String())
	}
}

func TestServe_cancelledCallIsNotAnswered_MC13(t *testing.T) {
	entered, left := make(chan struct{}), make(chan struct{})
	waits := func(ctx context.Context) (map[string][]byte, error) {
		close(entered)
		<-ctx.Done()
		close(left)
		return sampleFiles(ctx) // and does not care: the answer must be dropped all the same
	}
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: waits, changed: []string{"a.go"}}})
	c.initialize("2025-06-18")
	id := c.sendCall("list_specs", "{}")
	<-entered
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`, id)
	<-left
	c.silent()
	if text, isError := c.call("list_changed_files", "{}"); isError || text != "a.go" {
		t.Errorf("%v %q", isError, text)
	}
}

func TestServe_idInUse_MC13(t *testing.T) {
	entered, release := make(chan struct{}, 1), make(chan struct{})
	waits := func(ctx context.Context) (map[string][]byte, error) {
		entered <- struct{}{}
		<-release
		return sampleFiles(ctx)
	}
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: waits}})
	c.initialize("2025-06-18")
	const request = `{"jsonrpc":"2.0","id":"same","method":"tools/call","params":{"name":"list_specs","arguments":{}}}`
	c.send(request)
	<-entered
	c.send(request)
	wantError(t, c.receive(), "null", -32600, "the request id same is in use")
	close(release)
	if answer := c.receive(); string(answer.ID) != `"same"` || answer.Error != nil {
		t.Errorf("answer is %s", answer.raw)
	}
	c.silent()
}

func TestServe_endsWithInput_MC15(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	c.initialize("2025-06-18")
	c.works()
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Errorf("Serve = %v", err)
	}
}

func TestServe_answersWhatWasAskedBeforeTheEnd_MC15(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	c.initialize("2025-06-18")
	for range 20 {
		c.sendCall("list_specs", "{}")
	}
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	answers := 0
	for m := range c.answers {
		if _, isError := toolResult(t, m); !isError {
			answers++
		}
	}
	if answers != 20 {
		t.Errorf("%d of 20 calls were answered", answers)
	}
}

func TestServe_endsInTheMiddleOfAMessage_MC15(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "proposal-gen")})
	c.initialize("2025-06-18")
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"create_prop`); err != nil {
		t.Fatal(err)
	}
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Errorf("Serve = %v", err)
	}
}

func TestServe_endsWhileAToolRuns_MC15(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	stuck := func(ctx context.Context) (map[string][]byte, error) {
		close(entered)
		<-release // deaf to ctx
		return nil, ctx.Err()
	}
	defer close(release)
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: stuck}})
	c.initialize("2025-06-18")
	c.sendCall("list_specs", "{}")
	<-entered
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Errorf("Serve = %v", err)
	}
}

func TestServe_endsWithContext(t *testing.T) {
	in, hold := io.Pipe()
	defer hold.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := mcp.Serve(ctx, mcp.Options{Box: box(t, "challenge"), In: in, Out: io.Discard})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Second {
		t.Errorf("Serve = %v after %v", err, time.Since(began))
	}
}

// brokenPipe is an output whose reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServe_outputIsClosed_MC15(t *testing.T) {
	for name, line := range map[string]string{
		"at an answer":  `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"at a bad line": `{`,
	} {
		t.Run(name, func(t *testing.T) {
			in, feed := io.Pipe()
			done := make(chan error, 1)
			go func() {
				done <- mcp.Serve(t.Context(), mcp.Options{Box: box(t, "challenge"), In: in, Out: brokenPipe{}})
			}()
			if _, err := io.WriteString(feed, line+"\n"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-done:
			case <-time.After(time.Second):
				t.Error("the server goes on without a listener")
			}
			feed.Close()
		})
	}
}

// waitFor is a source that answers when it may, or when nobody wants the answer any more.
func waitFor(release <-chan struct{}) func(context.Context) (map[string][]byte, error) {
	return func(ctx context.Context) (map[string][]byte, error) {
		select {
		case <-release:
			return sampleFiles(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
