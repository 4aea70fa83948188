package mcp_test

import (
	"fmt"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
)

// sdkPipes serves a box and returns the transport of the other side.
func sdkPipes(t testing.TB, b *inbox.Box) (server <-chan error, transport sdk.Transport) {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := mcp.Serve(t.Context(), mcp.Options{Box: b, In: inRead, Out: outWrite, Version: "test"})
		outWrite.Close()
		done <- err
	}()
	return done, &sdk.IOTransport{Reader: outRead, Writer: inWrite}
}

// BenchmarkServe_call measures one tool call over the wire, there and back.
func BenchmarkServe_call(b *testing.B) {
	run := inbox.Run{Change: "add-oauth", Step: "challenge", Created: created}
	var session *sdk.ClientSession
	params := &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "proposal.md"}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%inbox.DefaultMaxCalls == 0 {
			b.StopTimer()
			session = connect(b, run, i)
			b.StartTimer()
		}
		if result, err := session.CallTool(b.Context(), params); err != nil || result.IsError {
			b.Fatal(result, err)
		}
	}
}

func connect(b *testing.B, run inbox.Run, n int) *sdk.ClientSession {
	b.Helper()
	box, err := inbox.Create(fmt.Sprintf("%s/run-%d", b.TempDir(), n), run, map[string][]byte{"proposal.md": []byte(proposalMD)})
	if err != nil {
		b.Fatal(err)
	}
	_, transport := sdkPipes(b, box)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), transport, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	return session
}
