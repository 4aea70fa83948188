package agents_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentd/gh-agentd/agents"
)

// recording is what one of the real CLIs printed, and how it ended.
// The files in testdata were recorded from Gemini CLI 0.61.0, Codex CLI 0.169.0 and Claude Code 2.1.329
// against a scripted model server; paths are replaced, nothing else.
type recording struct {
	exit           int
	stdout, stderr string
}

func readRecording(t testing.TB, path string) recording {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if _, err := fmt.Sscanf(string(archive.Comment), "exit %d", &r.exit); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, file := range archive.Files {
		switch file.Name {
		case "stdout":
			r.stdout = string(file.Data)
		case "stderr":
			r.stderr = string(file.Data)
		}
	}
	return r
}

func vendorNamed(name string, v agents.Vendor) *agents.Program {
	switch name {
	case "gemini":
		return agents.NewGemini(v)
	case "codex":
		return agents.NewCodex(v)
	default:
		return agents.NewClaude(v)
	}
}

// heard is what a codec made of a recording.
type heard struct {
	events []agents.Event
	result agents.Result
	err    *agents.Error // of a fatal event, or else of the end
	early  bool          // a fatal event
}

// hear feeds a recording to the codec of a real agent.
func hear(t testing.TB, vendor string, r agents.Request, rec recording) heard {
	t.Helper()
	codec := vendorNamed(vendor, agents.Vendor{}).NewCodec()
	if _, err := codec.Args(r); err != nil {
		t.Fatal(err)
	}
	var h heard
	take := func(events []agents.Event) {
		for _, e := range events {
			if e.Fatal != nil && h.err == nil {
				h.err, h.early = e.Fatal, true
			}
		}
		h.events = append(h.events, events...)
	}
	if notes, ok := codec.(agents.NoteReader); ok {
		for line := range strings.Lines(rec.stderr) {
			take(notes.Note([]byte(strings.TrimSuffix(line, "\n"))))
		}
	}
	for line := range strings.Lines(rec.stdout) {
		take(codec.Line([]byte(strings.TrimSuffix(line, "\n"))))
	}
	result, err := codec.Finish(rec.exit, rec.stderr)
	h.result = result
	if failure, ok := errors.AsType[*agents.Error](err); ok && h.err == nil {
		h.err = failure
	} else if err != nil && !ok {
		t.Errorf("the error %v is no *agents.Error", err)
	}
	return h
}

// recordedRequest is a request as it was when the recordings were made.
func recordedRequest(t testing.TB) agents.Request {
	run := t.TempDir()
	call := filepath.Join(run, "call-1")
	if err := os.MkdirAll(call, 0o700); err != nil {
		t.Fatal(err)
	}
	return agents.Request{
		Step: "proposal-gen", Prompt: []byte("Write the proposal.\n"), Dir: "/srv/shortener", Model: "sonnet", RunDir: run, CallDir: call,
		Home:  "/home/ada/.cache/gh-agentd/homes/add-oauth-proposer",
		Tools: &agents.ToolServer{Command: "/usr/bin/gh-agentd"}, Environ: []string{"HOME=" + run},
	}
}

// What every recorded failure means. A file that is not listed here fails the test.
func TestVendors_recordedEnds(t *testing.T) {
	const signIn, noTools = "then run the same command again", "why `gh agentd mcp` did not start"
	seen := map[string]bool{}
	for _, row := range []struct {
		file, kind, detail string // kind "" is success
		early              bool
		retry              time.Duration
		hint               string
	}{
		{file: "gemini/tools"},
		{file: "gemini/write"},
		{file: "gemini/resumed"},
		{file: "gemini/minute"},
		{file: "gemini/twice429"}, // NC-07: it got through by itself
		{file: "gemini/session", kind: "session", detail: "Invalid session identifier", hint: "starts a new session"}, // AG-26
		{file: "gemini/400", kind: "config", detail: "Invalid value at thinking_level."},
		{file: "gemini/401", kind: "not-authenticated", detail: "Request had invalid authentication credentials.", hint: "GEMINI_API_KEY"},
		{file: "gemini/403", kind: "not-authenticated", detail: "Permission denied on resource project x.", hint: signIn},
		{file: "gemini/key", kind: "not-authenticated", detail: "API key not valid.", hint: signIn},
		{file: "gemini/noauth", kind: "not-authenticated", detail: "Update your environment", hint: signIn}, // AG-11
		{file: "gemini/404", kind: "model", detail: "models/gemini-9 is not found", hint: "change the model"},
		{file: "gemini/429", kind: "rate-limited", detail: "failed with status 429", early: true, hint: "in a few minutes"}, // NC-07
		{file: "gemini/quota", kind: "quota", detail: "You have exhausted your daily quota on this model.", hint: "quota to be renewed"},
		{file: "gemini/500", kind: "unavailable", detail: "An internal error has occurred."},
		{file: "gemini/refused", kind: "unavailable", detail: "fetch failed"},
		{file: "gemini/cut", kind: "unavailable", detail: "terminated"},
		{file: "gemini/nofinish", kind: "unavailable", detail: "without a finish reason"}, // AG-22: exit status 0
		{file: "gemini/empty", kind: "no-output", detail: "empty response"},
		{file: "gemini/safety", kind: "failed", detail: "blocked due to safety settings"},
		{file: "gemini/context", kind: "too-long", detail: "exceeds the maximum number of tokens", hint: "split the change"},
		{file: "gemini/nomcp", kind: "config", detail: "MCP issues detected", early: true, hint: noTools},

		{file: "codex/tools"},
		{file: "codex/codemode"},
		{file: "codex/write"},
		{file: "codex/resumed"},
		{file: "codex/429retry"},
		{file: "codex/empty"},
		{file: "codex/session", kind: "session", detail: "no rollout found"}, // AG-26
		{file: "codex/400", kind: "model", detail: "gpt-9 does not exist"},
		{file: "codex/404", kind: "model", detail: "gpt-9 does not exist"},
		{file: "codex/401", kind: "not-authenticated", detail: "401 Unauthorized", early: true, hint: "`codex login`"},
		{file: "codex/403", kind: "not-authenticated", detail: "403 Forbidden", early: true, hint: signIn},
		{file: "codex/429", kind: "rate-limited", detail: "last status: 429"},
		{file: "codex/429retryall", kind: "rate-limited", detail: "last status: 429", early: true},
		{file: "codex/failrate", kind: "rate-limited", detail: "again in 2s", early: true, retry: 2 * time.Second, hint: "in 2s"},
		{file: "codex/quota", kind: "quota", detail: "Quota exceeded."},
		{file: "codex/usagelimit", kind: "quota", detail: "usage limit"},
		{file: "codex/500", kind: "unavailable", detail: "high demand"},
		{file: "codex/503", kind: "unavailable", detail: "at capacity"},
		{file: "codex/refused", kind: "unavailable", detail: "Connection failed"},
		{file: "codex/cut", kind: "unavailable", detail: "stream disconnected"},
		{file: "codex/context", kind: "too-long", detail: "ran out of room"},
		{file: "codex/context400", kind: "too-long", detail: "ran out of room"},
		{file: "codex/nomcp", kind: "config", detail: "required MCP servers failed to initialize: agentd", hint: noTools},
		{file: "codex/badsandbox", kind: "config", detail: "unexpected argument '--nonsense'"},

		{file: "claude/tools"},
		{file: "claude/write"},
		{file: "claude/resumed"},
		{file: "claude/429retry"},
		{file: "claude/cut"},
		{file: "claude/empty"},
		{file: "claude/slash"},
		{file: "claude/session", kind: "session", detail: "No conversation found"}, // AG-26
		{file: "claude/400", kind: "config", detail: "API Error: 400 messages: bad"},
		{file: "claude/401", kind: "not-authenticated", detail: "authentication failed (status 401)", early: true, hint: "/login"},
		{file: "claude/403", kind: "not-authenticated", detail: "does not have permission", hint: signIn},
		{file: "claude/noauth", kind: "not-authenticated", detail: "Not logged in", hint: signIn},
		{file: "claude/404", kind: "model", detail: "issue with the selected model"},
		{file: "claude/429", kind: "rate-limited", detail: "rate limit (status 429)", early: true},
		{file: "claude/credit", kind: "quota", detail: "Credit balance is too low"},
		{file: "claude/500", kind: "unavailable", detail: "500 Internal server error"},
		{file: "claude/529", kind: "unavailable", detail: "529 Overloaded"},
		{file: "claude/refused", kind: "unavailable", detail: "Connection refused"},
		{file: "claude/context", kind: "too-long", detail: "Prompt is too long"},
		{file: "claude/413", kind: "too-long", detail: "Request too large"},
		{file: "claude/turns", kind: "limit", detail: "maximum number of turns", hint: "own limit"},
		{file: "claude/nomcp", kind: "config", detail: "claude says: failed", early: true, hint: noTools},
		{file: "claude/badflag", kind: "config", detail: "unknown option '--nonsense'"},
	} {
		seen[row.file] = true
		t.Run(row.file, func(t *testing.T) {
			vendor, _, _ := strings.Cut(row.file, "/")
			h := hear(t, vendor, recordedRequest(t), readRecording(t, filepath.Join("testdata", row.file+".txtar")))
			if row.kind == "" {
				if h.err != nil || h.result.Skipped != 0 || h.result.Session.ID == "" {
					t.Errorf("error %v, result %+v", h.err, h.result)
				}
				return
			}
			if h.err == nil {
				t.Fatalf("it counts as a success: %+v", h.result)
			}
			h.err.Agent = vendor
			if h.err.Kind.String() != row.kind || !strings.Contains(h.err.Detail, row.detail) || h.early != row.early || h.err.RetryAfter != row.retry {
				t.Errorf("%s, early %v, again in %s: %v", h.err.Kind, h.early, h.err.RetryAfter, h.err)
			}
			if !strings.Contains(h.err.Hint(), row.hint) || h.err.Hint() == "" || strings.Contains(h.err.Error(), "\n") {
				t.Errorf("%v\nhint: %s", h.err, h.err.Hint())
			}
		})
	}
	for _, vendor := range []string{"gemini", "codex", "claude"} {
		paths, err := filepath.Glob(filepath.Join("testdata", vendor, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatal(err)
		}
		for _, path := range paths {
			if file := vendor + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar"); !seen[file] {
				t.Errorf("%s is in no row", path)
			}
		}
	}
}
