package mcp_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/mcp"
)

func TestServe_longLine_MC09(t *testing.T) {
	c := start(t, mcp.Options{Box: box(t, "challenge")})
	c.initialize("2025-06-18")
	filler := strings.Repeat("x", 5<<20)
	for _, row := range []struct{ name, line, id string }{
		{"id first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"` + filler + `"}}}`, "7"},
		{"id last", `{"method":"tools/call","params":{"name":"read_file","arguments":{"path":"` + filler + `"}},"jsonrpc":"2.0","id":"q-1"}`, `"q-1"`},
		{"id before the version", `{"method":"tools/call","params":{"name":"x","arguments":{"path":"` + filler + `"}},"id":9,"jsonrpc":"2.0"}`, "9"},
		{"no id", `{"method":"` + filler + `"}`, "null"},
		{"no JSON", filler, "null"},
		{"an id in the text only", `{"method":"` + filler + `,\"id\":7}"`, "null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c.t = t
			c.send("%s", row.line)
			wantError(t, c.receive(), row.id, -32600, fmt.Sprintf("the line is %d bytes, the limit is 4194304", len(row.line)+1))
			c.works()
		})
	}
	t.Run("just below", func(t *testing.T) {
		c.t = t
		text, isError := c.call("read_file", `{"path":"`+filler[:4<<20-200]+`"}`)
		if !isError || !strings.Contains(text, "the limit is 4096") {
			t.Errorf("answer is %v %.200q", isError, text)
		}
	})
}

func TestServe_memoryIsBounded_MC09(t *testing.T) {
	in, feed := io.Pipe()
	var answered atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- mcp.Serve(t.Context(), mcp.Options{Box: box(t, "challenge"), In: in, Out: counter{&answered}})
	}()

	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	chunk := []byte(strings.Repeat("x", 1<<20))
	var peak uint64
	for range 100 {
		if _, err := feed.Write(chunk); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapAlloc)
	}
	if _, err := feed.Write([]byte("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	if err := <-done; err != nil || answered.Load() != 2 {
		t.Errorf("Serve = %v, %d answers", err, answered.Load())
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 40<<20 {
		t.Errorf("a line of 100 MiB took %d MiB", grown>>20)
	}
}

// counter counts lines.
type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(strings.Count(string(p), "\n")))
	return len(p), nil
}

func TestServe_tooManyAtOnce(t *testing.T) {
	release := make(chan struct{})
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: waitFor(release)}})
	c.initialize("2025-06-18")
	for range 257 {
		c.sendCall("list_specs", "{}")
	}
	wantError(t, c.receive(), "257", -32600, "more than 256 calls under way")
	close(release)
	for range 256 {
		if answer := c.receive(); answer.Error != nil {
			t.Fatal(answer.raw)
		}
	}
	c.works()
}

func TestServe_clientDoesNotRead_MC15(t *testing.T) {
	in, feed := io.Pipe()
	out, write := io.Pipe() // nobody reads
	defer out.Close()
	done := make(chan error, 1)
	go func() {
		done <- mcp.Serve(t.Context(), mcp.Options{Box: box(t, "challenge"), In: in, Out: write})
	}()
	if _, err := io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	feed.Close()
	<-done
	if took := time.Since(began); took > time.Second {
		t.Errorf("the server took %v to end", took)
	}
}
