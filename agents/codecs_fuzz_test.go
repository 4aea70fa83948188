package agents_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/agentd/gh-agentd/agents"
)

func FuzzGeminiCodec(f *testing.F) { fuzzCodec(f, "gemini", `"success"`) }
func FuzzCodexCodec(f *testing.F)  { fuzzCodec(f, "codex", "turn.completed") }
func FuzzClaudeCodec(f *testing.F) { fuzzCodec(f, "claude", `"success"`) }

// fuzzCodec lets an agent print anything: nothing breaks, nothing is made up, and there is no success without its mark (AG-21, AG-25).
func fuzzCodec(f *testing.F, vendor, mark string) {
	paths, err := filepath.Glob(filepath.Join("testdata", vendor, "*.txtar"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no recordings", err)
	}
	for _, path := range paths {
		rec := readRecording(f, path)
		f.Add([]byte(rec.stdout), rec.stderr, rec.exit)
		f.Add([]byte(rec.stdout[:len(rec.stdout)*2/3]), rec.stderr, 0) // AG-21: cut off
	}
	f.Add([]byte(`{"type":"result","stats":{"input_tokens":-1,"total_tokens":1e308}}{"type":"result","status":"success"}`), "", 0)
	f.Add([]byte(`{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":5}}`), "", 0)
	f.Add([]byte(`{"type":"result","subtype":"success","usage":{"input_tokens":null},"total_cost_usd":-3,"modelUsage":{"m":null}}`), "", 0)
	request := recordedRequest(f)
	f.Fuzz(func(t *testing.T, stdout []byte, stderr string, exit int) {
		codec := vendorNamed(vendor, agents.Vendor{}).NewCodec()
		if _, err := codec.Args(request); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(stdout) {
			for _, e := range codec.Line(bytes.TrimSuffix(line, []byte("\n"))) {
				if e.Kind.String() == "" || e.Fatal != nil && e.Fatal.Hint() == "" {
					t.Errorf("event %+v", e)
				}
			}
		}
		if notes, ok := codec.(agents.NoteReader); ok {
			for line := range bytes.Lines([]byte(stderr)) {
				notes.Note(line)
			}
		}
		result, err := codec.Finish(exit, stderr)
		u := result.Usage
		if u.In < 0 || u.Out < 0 || u.Cached+u.CacheWrite > u.In || u.USD != nil && (*u.USD < 0 || *u.USD > 1e6) {
			t.Errorf("usage = %+v", u)
		}
		if err == nil {
			if exit != 0 || !bytes.Contains(stdout, []byte(mark)) && !bytes.ContainsRune(stdout, '\\') { // the mark may be escaped
				t.Errorf("a success after status %d", exit)
			}
			return
		}
		if failed, ok := errors.AsType[*agents.Error](err); !ok || failed.Hint() == "" || len([]rune(failed.Detail)) > 700 {
			t.Errorf("error = %#v", err)
		}
	})
}
