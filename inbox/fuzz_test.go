package inbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agentd/gh-agentd/inbox"
)

// FuzzBox_Call throws arguments at every tool.
// Whatever comes: no panic, no error but a refusal, nothing outside change/ and inbox/,
// files that only the run writes untouched, and clean text in what was written.
func FuzzBox_Call(f *testing.F) {
	steps := []string{"", "clarify", "proposal-gen", "proposal-review", "spec-gen-auth", "tasks-gen", "reproposal", "challenge", "review", "pair"}
	seed := func(step byte, tool string, args object) { f.Add(step, tool, []byte(encode(f, args))) }
	seed(1, "propose_questions", object{"questions": []object{}})
	seed(2, "create_proposal", proposal())
	seed(3, "edit_file", object{"path": "proposal.md", "find": "Passwords", "replace": "x", "hash": "0"})
	seed(3, "self_review", object{"result": "PASS"})
	seed(4, "create_spec", spec("auth"))
	seed(5, "create_tasks", tasks(2))
	seed(6, "validate_change", object{"strict": true})
	seed(7, "append_review", challenge("APPROVED", "HIGH"))
	seed(7, "read_file", object{"path": "../run.json"})
	seed(7, "read_all_requirements", object{})
	seed(8, "create_review", object{"verdict": "APPROVED", "findings": []object{}, "summary": "s"})
	seed(9, "signal", object{"signal": "DONE"})
	f.Add(byte(7), "append_review", []byte(`{"verdict":"REJECTED","verdict":"APPROVED"}`))
	f.Add(byte(3), "read_file", []byte("{\"path\":\"a\xffb\"}"))
	f.Add(byte(3), "read_file", []byte(`{"path":"\ud83d"}`))

	f.Fuzz(func(t *testing.T, step byte, tool string, args []byte) {
		b := box(t, steps[int(step)%len(steps)])
		_, err := b.Call(t.Context(), tool, json.RawMessage(args))
		if refusal, ok := errors.AsType[*inbox.ToolError](err); err != nil && (!ok || refusal.Text == "" || !utf8.ValidString(refusal.Text)) {
			t.Fatalf("%s(%q): %v", tool, args, err)
		}
		for _, name := range []string{"STATE.yaml", "CHALLENGE.md"} {
			if file(t, b, name) != string(files()[name]) {
				t.Errorf("%s was written", name)
			}
		}
		now, err := b.Files()
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range now {
			wantCleanText(t, name, data)
		}
		wantLayout(t, b.Dir())
		for _, read := range []func() error{
			func() error { _, _, err := b.Verdict(); return err },
			func() error { _, _, err := b.Questions(); return err },
			func() error { _, _, err := b.SelfReview(); return err },
			func() error { _, _, err := b.Signal(); return err },
		} {
			if err := read(); err != nil {
				t.Errorf("what was written cannot be read back: %v", err)
			}
		}
	})
}

func wantCleanText(t *testing.T, name string, data []byte) {
	t.Helper()
	if !utf8.Valid(data) || data[len(data)-1] != '\n' {
		t.Errorf("%s is not text with a final newline: %q", name, data)
	}
	for _, r := range string(data) {
		if unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' {
			t.Errorf("%s holds the control character %U", name, r)
		}
	}
}

// wantLayout fails if a run folder holds anything but what it should.
func wantLayout(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch entry.Name() {
		case "run.json", "change", "inbox", "calls.jsonl", "lock":
		default:
			t.Errorf("%s appeared in the run folder", filepath.Join(dir, entry.Name()))
		}
	}
}
