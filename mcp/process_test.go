package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
)

// startProcess serves a run folder in a process of its own.
func startProcess(t *testing.T, dir string) (*client, *exec.Cmd) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable)
	cmd.Env = []string{serveFolder + "=" + dir, "GORACE=atexit_sleep_ms=0"}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, in: in, answers: make(chan message, 1024), done: make(chan error, 1)}
	go func() {
		c.readAnswers(out)
		c.done <- cmd.Wait()
	}()
	t.Cleanup(func() { in.Close() })
	return c, cmd
}

func TestProcess_speaksOnlyJSON_MC16(t *testing.T) {
	b := box(t, "challenge")
	c, _ := startProcess(t, b.Dir())
	c.send("hello")
	wantError(t, c.receive(), "null", -32700, "not valid JSON")
	c.initialize("2025-11-25")
	c.works()
	if text, isError := c.call("append_review", `{"verdict":"APPROVED","findings":[],"summary":"Fine."}`); isError {
		t.Error(text)
	}
	c.send("[]")
	wantError(t, c.receive(), "null", -32600, "batches")
	c.in.Close()
	if err := c.ended(); err != nil {
		t.Errorf("exit: %v", err)
	}
	verdict, ok, err := b.Verdict()
	if err != nil || !ok || verdict.Challenge.Verdict != "APPROVED" {
		t.Errorf("verdict is %+v, %v, %v", verdict, ok, err)
	}
}

// TestProcess_twoServers_MC12 lets two server processes on one run folder edit one file at the same time, 32 calls each.
func TestProcess_twoServers_MC12(t *testing.T) {
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "proposal-review", Created: created, MaxCalls: 100_000})
	var wg sync.WaitGroup
	for server := range 2 {
		c, _ := startProcess(t, b.Dir())
		wg.Go(func() { appendLines(c, server, 32) })
	}
	wg.Wait()

	files, err := b.Files()
	if err != nil {
		t.Fatal(err)
	}
	for server := range 2 {
		for n := range 32 {
			if line := fmt.Sprintf("- server %d change %d\n", server, n); strings.Count(string(files["proposal.md"]), line) != 1 {
				t.Errorf("%q is there %d times", line, strings.Count(string(files["proposal.md"]), line))
			}
		}
	}
	calls, err := b.Calls()
	if err != nil || len(calls) < 128 {
		t.Errorf("%d calls are recorded, %v", len(calls), err)
	}
}

// appendLines adds lines by reading and editing, again where the other server was faster.
func appendLines(c *client, server, lines int) {
	c.initialize("2025-06-18")
	for n := 0; n < lines; {
		text, isError := c.call("read_file", `{"path":"proposal.md"}`)
		if isError {
			c.t.Error(text)
			return
		}
		_, rest, _ := strings.Cut(text, "hash: ")
		hash, _, _ := strings.Cut(rest, "\n")
		args, err := json.Marshal(map[string]string{
			"path": "proposal.md", "hash": hash,
			"find": "## Impact\n", "replace": fmt.Sprintf("- server %d change %d\n## Impact\n", server, n),
		})
		if err != nil {
			c.t.Error(err)
			return
		}
		text, isError = c.call("edit_file", string(args))
		switch {
		case !isError:
			n++
		case !strings.Contains(text, "conflict: proposal.md changed since it was read"):
			c.t.Error(text)
			return
		}
	}
}

// TestProcess_killed_MC15 kills a server under load: the documents are whole, and the next server works.
func TestProcess_killed_MC15(t *testing.T) {
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "proposal-review", Created: created, MaxCalls: 100_000})
	c, cmd := startProcess(t, b.Dir())
	c.initialize("2025-06-18")
	for range 30 {
		c.sendCall("read_file", `{"path":"proposal.md"}`)
		c.sendCall("self_review", `{"result":"PASS"}`)
	}
	c.receive()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.done

	if _, _, err := b.SelfReview(); err != nil {
		t.Errorf("half a file was left: %v", err)
	}
	next, _ := startProcess(t, b.Dir())
	next.initialize("2025-06-18")
	if text, isError := next.call("read_file", `{"path":"proposal.md"}`); isError {
		t.Error(text)
	}
}

func TestProcess_outputIsClosed_MC15(t *testing.T) {
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable)
	cmd.Env = []string{serveFolder + "=" + box(t, "challenge").Dir(), "GORACE=atexit_sleep_ms=0"}
	cmd.Stdout = write
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	read.Close() // nobody listens, and the input stays open
	defer in.Close()
	if _, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done: // by itself, or by the signal that such a write draws
	case <-time.After(patience):
		t.Error("the server goes on without a listener")
		_ = cmd.Process.Kill()
		<-done
	}
}

func TestServe_64callsAtOnce_MC12(t *testing.T) {
	b := box(t, "challenge")
	c := start(t, mcp.Options{Box: b})
	c.initialize("2025-06-18")
	ids := map[string]bool{}
	for range 64 {
		ids[fmt.Sprint(c.sendCall("append_review", `{"verdict":"NEEDS_REVISION","findings":[{"severity":"LOW","description":"d","suggestion":"s"}],"summary":"s"}`))] = true
	}
	taken := 0
	for range 64 {
		answer := c.receive()
		if !ids[string(answer.ID)] {
			t.Fatalf("no call has the id of %s", answer.raw)
		}
		delete(ids, string(answer.ID))
		if _, isError := toolResult(t, answer); !isError {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("%d verdicts were taken", taken)
	}
}
