package mcp_test

import (
	"strings"
	"testing"

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
