package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/mcp"
)

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
