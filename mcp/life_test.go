package mcp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/mcp"
)

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
	if !strings.Contains(log.String(), "the wires are crossed") || !strings.Contains(log.String(), "life_test.go") {
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
