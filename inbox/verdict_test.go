package inbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/inbox"
)

func TestBox_Verdict_challenge(t *testing.T) {
	b := box(t, "challenge")
	if _, ok, err := b.Verdict(); ok || err != nil {
		t.Fatalf("verdict before the call: %v, %v", ok, err)
	}
	reply := call(t, b, "append_review", challenge("NEEDS_REVISION", "HIGH"))
	wantText(t, reply.Text, "verdict recorded: NEEDS_REVISION, findings: 1")

	verdict, ok, err := b.Verdict()
	if err != nil || !ok || verdict.Review != nil || verdict.Contradiction != "" {
		t.Fatalf("verdict is %+v, %v, %v", verdict, ok, err)
	}
	got := verdict.Challenge
	if got.Verdict != "NEEDS_REVISION" || got.Findings[0].Description != "The state parameter is not checked." || got.Findings[0].SpecRef != "auth#R1" {
		t.Errorf("challenge is %+v", got)
	}
	unchanged(t, b, files())
}

func TestBox_Verdict_onlyOnce_AG02(t *testing.T) {
	b := box(t, "challenge")
	call(t, b, "append_review", challenge("NEEDS_REVISION", "HIGH"))
	for _, second := range []object{challenge("APPROVED", ""), challenge("NEEDS_REVISION", "HIGH")} {
		wantText(t, refused(t, b, "append_review", second), "verdict already recorded for this run")
	}
	verdict, _, err := b.Verdict()
	if err != nil || verdict.Challenge.Verdict != "NEEDS_REVISION" {
		t.Errorf("verdict is %+v, %v", verdict, err)
	}
}

func TestBox_Verdict_takenAway_AG02(t *testing.T) {
	b := box(t, "challenge")
	call(t, b, "append_review", challenge("NEEDS_REVISION", "HIGH"))
	path := filepath.Join(b.Dir(), "inbox", "verdict.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantText(t, refused(t, b, "append_review", challenge("APPROVED", "")), "verdict already recorded for this run")
	noVerdict(t, b, "the file was taken away")
}

func TestBox_Verdict_notHandedOver_AG02(t *testing.T) {
	other := box(t, "challenge")
	call(t, other, "append_review", challenge("APPROVED", ""))
	approval := verdictFile(t, other)

	b := box(t, "challenge")
	putVerdict(t, b, approval)
	noVerdict(t, b, "no call of a tool handed it over")

	b = box(t, "challenge")
	call(t, b, "append_review", challenge("NEEDS_REVISION", "HIGH"))
	putVerdict(t, b, approval)
	noVerdict(t, b, "it is not what the call of the tool handed over")

	// The same call twice in the log is one too many, whichever of them the file is of.
	b = box(t, "challenge")
	call(t, b, "append_review", challenge("APPROVED", ""))
	log := filepath.Join(b.Dir(), "calls.jsonl")
	line, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, append(line, line...), 0o600); err != nil {
		t.Fatal(err)
	}
	noVerdict(t, b, "2 calls of tools handed over a verdict")
}

func verdictFile(t *testing.T, b *inbox.Box) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Dir(), "inbox", "verdict.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func putVerdict(t *testing.T, b *inbox.Box, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.Dir(), "inbox", "verdict.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// noVerdict wants the box to refuse its verdict for a reason.
func noVerdict(t *testing.T, b *inbox.Box, reason string) {
	t.Helper()
	verdict, ok, err := b.Verdict()
	if refusal, is := errors.AsType[*inbox.VerdictError](err); ok || !is || !strings.Contains(refusal.Reason, reason) {
		t.Errorf("verdict is %+v, %v, %v; want it refused: %s", verdict, ok, err, reason)
	}
}

func TestBox_Verdict_contradiction_AG05(t *testing.T) {
	b := box(t, "challenge")
	reply := call(t, b, "append_review", challenge("APPROVED", "HIGH"))
	wantText(t, reply.Text, "contradiction recorded")
	verdict, ok, err := b.Verdict()
	if err != nil || !ok || verdict.Contradiction == "" {
		t.Errorf("verdict is %+v, %v, %v", verdict, ok, err)
	}
	wantText(t, refused(t, b, "append_review", challenge("APPROVED", "")), "verdict already recorded")
}

func TestBox_Verdict_review(t *testing.T) {
	b := box(t, "review")
	call(t, b, "create_review", object{
		"verdict": "NEEDS_CHANGES", "summary": "Read.", "next_steps": "Add the test.",
		"findings": []object{{
			"severity": "MEDIUM", "category": "tests", "title": "No test", "description": "R1 has no test.",
			"file": "internal/auth/handler.go", "line": 12, "recommendation": "Add one.",
		}},
		"requirement_coverage": []object{{"requirement": "auth#R1", "status": "partial", "note": "no test"}},
	})
	verdict, ok, err := b.Verdict()
	if err != nil || !ok || verdict.Challenge != nil {
		t.Fatalf("verdict is %+v, %v, %v", verdict, ok, err)
	}
	if got := verdict.Review; got.Findings[0].Line != 12 || got.Coverage[0].Status != "partial" {
		t.Errorf("review is %+v", got)
	}
	wantText(t, refused(t, b, "create_review", object{"verdict": "APPROVED", "summary": "s", "findings": []object{}}), "verdict already recorded")
}

func TestBox_Verdict_unreadableIsNoVerdict(t *testing.T) {
	for _, text := range []string{
		"", "{", "{}", "null", "[]", `{"challenge":{"verdict":"APPROVED"},"review":{"verdict":"APPROVED"}}`,
		`{"challenge":{"verdict":"REJECTED","verdict":"APPROVED"}}`, `{"verdict":"APPROVED"}`,
	} {
		b := box(t, "challenge")
		putVerdict(t, b, []byte(text))
		if verdict, ok, err := b.Verdict(); ok || err == nil {
			t.Errorf("%q is read as %+v", text, verdict)
		}
	}
}

func TestBox_SelfReview_newestStands(t *testing.T) {
	b := box(t, "proposal-review")
	if _, ok, err := b.SelfReview(); ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	call(t, b, "self_review", object{"result": "NEEDS_REVISION", "issues": []string{"The why is thin."}})
	call(t, b, "self_review", object{"result": "PASS"})
	review, ok, err := b.SelfReview()
	if err != nil || !ok || !review.Passed() {
		t.Errorf("self-review is %+v, %v, %v", review, ok, err)
	}
	refused(t, b, "self_review", object{"result": "pass"})
}

func TestBox_Questions(t *testing.T) {
	b := box(t, "clarify")
	if _, ok, err := b.Questions(); ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	question := object{
		"topic": "Provider", "header": "Provider", "question": "Which one?", "multi_select": false,
		"options": []object{
			{"label": "GitHub", "description": "We are there.", "recommended": true},
			{"label": "Google", "description": "Most have it."},
		},
	}
	call(t, b, "propose_questions", object{"questions": []object{question}})
	questions, ok, err := b.Questions()
	if err != nil || !ok || len(questions) != 1 || !questions[0].Options[0].Recommended {
		t.Errorf("questions are %+v, %v, %v", questions, ok, err)
	}

	six := []object{question, question, question, question, question, question}
	wantText(t, refused(t, b, "propose_questions", object{"questions": six}), `argument "questions" has 6 entries, the limit is 5`)

	// None is an answer, and not the same as no answer.
	call(t, b, "propose_questions", object{"questions": []object{}})
	questions, ok, err = b.Questions()
	if err != nil || !ok || len(questions) != 0 {
		t.Errorf("questions are %+v, %v, %v", questions, ok, err)
	}
}

func TestBox_Signal(t *testing.T) {
	b := box(t, "pair")
	for _, word := range []string{"done", "DONE.", "MAYBE", ""} {
		refused(t, b, "signal", object{"signal": word})
	}
	call(t, b, "signal", object{"signal": "FAIL", "text": "The check fails.", "change_id": "add-oauth"})
	wantText(t, refused(t, b, "signal", object{"signal": "PASS"}), "signal already recorded")
	signal, ok, err := b.Signal()
	if err != nil || !ok || signal != (inbox.Signal{Signal: "FAIL", Text: "The check fails."}) {
		t.Errorf("signal is %+v, %v, %v", signal, ok, err)
	}
}

func TestBox_readOnlyTools(t *testing.T) {
	run := inbox.Run{Change: "add-oauth", Step: "review", Created: created, ChangedFiles: []string{"b.go", "a.go"}}
	b := boxOf(t, run, files())
	wantText(t, call(t, b, "list_specs", object{}).Text, "auth: Sign in (requirements: 1, scenarios: 1)")
	wantText(t, call(t, b, "read_all_requirements", object{}).Text, "## auth#R1: Start", "The system SHALL send the person to the provider.")
	if got := call(t, b, "list_changed_files", object{}).Text; got != "a.go\nb.go" {
		t.Errorf("changed files are %q", got)
	}

	b = boxOf(t, inbox.Run{Change: "add-oauth", Step: "challenge", Created: created}, nil)
	wantText(t, call(t, b, "list_specs", object{}).Text, "no specs")
	wantText(t, call(t, b, "validate_change", object{"strict": true}).Text, "HIGH")
	unchanged(t, b, nil)
}

func TestBox_unreadableSpecIsSaid(t *testing.T) {
	broken := files()
	broken["specs/tokens.md"] = []byte("---\nid: [\n---\n# T\n")
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "challenge", Created: created}, broken)
	for _, tool := range []string{"list_specs", "read_all_requirements"} {
		got := call(t, b, tool, object{}).Text
		if !strings.Contains(got, "cannot be read") || !strings.Contains(got, "Sign in") {
			t.Errorf("%s says %q", tool, got)
		}
	}
}

func TestReadVerdict_takesWhatTheToolOfTheStepTakes_AC09(t *testing.T) {
	for _, row := range []struct{ step, args, verdict, contradiction, refused string }{
		{step: "challenge", args: `{"verdict":"APPROVED","summary":"Good.","findings":[]}`, verdict: "APPROVED"},
		{step: "review", args: `{"verdict":"MAJOR_ISSUES","summary":"Bad.","findings":[{"severity":"HIGH","category":"x","title":"x","description":"x","recommendation":""}]}`, verdict: "MAJOR_ISSUES"},
		{step: "challenge", args: `{"verdict":"APPROVED","summary":"Good.","findings":[{"severity":"HIGH","description":"x","suggestion":"y"}]}`, verdict: "APPROVED", contradiction: "contradicts"},
		{step: "challenge", args: `{"verdict":"APPROVED","summary":"Good.","findings":[],"change_id":"other"}`, refused: `serves change "add-oauth", not "other"`},
		{step: "challenge", args: `{"verdict":"APPROVED","verdict":"REJECTED","summary":"Good.","findings":[]}`, refused: "given twice"},
		{step: "challenge", args: `{"verdict":"NEEDS_REVISION","summary":"Good.","findings":[]}`, refused: "needs at least one finding"},
		{step: "challenge", args: `[]`, refused: "not a JSON object"},
		{step: "implement", args: `{}`, refused: `step "implement" has no verdict`},
	} {
		got, err := inbox.ReadVerdict("add-oauth", row.step, []byte(row.args))
		if row.refused != "" {
			if _, ok := errors.AsType[*inbox.ToolError](err); !ok || !strings.Contains(err.Error(), row.refused) {
				t.Errorf("%s %s: %v, want a refusal with %q", row.step, row.args, err, row.refused)
			}
			continue
		}
		word := ""
		if got.Challenge != nil {
			word = got.Challenge.Verdict
		} else if got.Review != nil {
			word = got.Review.Verdict
		}
		if err != nil || word != row.verdict || !strings.Contains(got.Contradiction, row.contradiction) || (got.Contradiction == "") != (row.contradiction == "") {
			t.Errorf("%s %s: %+v, %v", row.step, row.args, got, err)
		}
	}
}
