package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/mcp"
)

// FuzzServe sends whole conversations of bad lines through the server.
// Whatever comes, the server answers the ping at the end, ends in time, and says nothing but JSON.
func FuzzServe_MC01(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n"
	for _, seed := range []string{
		"", "hello\n[]\n{}\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"../x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":{}},"name":"list_specs"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, talk []byte) {
		const ping = "\n" + `{"jsonrpc":"2.0","id":"the last one","method":"ping"}` + "\n"
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		began := time.Now()
		err := mcp.Serve(ctx, mcp.Options{
			Change: "add-oauth", Reader: reader{files: sampleFiles}, Version: "test",
			In: strings.NewReader(hello + string(talk) + ping), Out: &out,
		})
		if err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("Serve = %v after %v", err, time.Since(began))
		}
		answered := false
		for line := range bytes.Lines(out.Bytes()) {
			var answer struct{ ID any }
			if err := json.Unmarshal(line, &answer); err != nil {
				t.Errorf("output is no JSON: %q", line)
			}
			answered = answered || answer.ID == "the last one"
		}
		if !answered {
			t.Errorf("after %q a ping was not answered: %s", talk, out.Bytes())
		}
	})
}
