package specs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 19, 12, 0, 0, 0, time.UTC)

func TestDecodeStrict_refusals(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	tests := []struct{ name, json, want string }{
		{"MC-08 not JSON", `{"summary":`, "arguments are not valid JSON: unexpected end of JSON input (byte 11)"},
		{"MC-08 more than one value", `{} {}`, "arguments are not valid JSON: invalid character '{' after top-level value (byte 4)"},
		{"MC-08 a key twice", `{"summary":"a","why":"b","summary":"c"}`, `argument "summary" is given twice`},
		{"MC-08 a key twice, once escaped", `{"why":"b","\u0077hy":"c"}`, `argument "why" is given twice`},
		{"MC-08 a key twice below", `{"impact":{"scope":"minor","scope":"major"}}`, `argument "impact.scope" is given twice`},
		{"MC-08 unknown", `{"impact":{"scoop":"minor"}}`, `unknown argument "impact.scoop", want one of scope, affected_specs, affected_files, new_files, affected_code, breaking_changes`},
		{"MC-08 wrong case", `{"Summary":"a"}`, `unknown argument "Summary", write it "summary"`},
		{"MC-08 null", `{"impact":{"affected_code":["a",null]}}`, `argument "impact.affected_code[1]" must not be null, leave it out`},
		{"MC-08 wrong type", `{"impact":{"affected_files":"many"}}`, `argument "impact.affected_files" must be a whole number, not string`},
		{"MC-08 an object where text belongs", `{"summary":{"text":"a"}}`, `argument "summary" must be a string, not object`},
		{"MC-08 a list at the top", `[]`, `arguments must be an object, not array`},
		{"MC-08 nesting", `{"summary":` + deep + `}`, "is nested more than 64 deep"},
		{"MC-10 a broken byte", "{\"summary\":\"a\xff\"}", `argument "summary" is not valid UTF-8`},
		{"MC-10 half of a pair", `{"what_changes":["ok","\ud83d"]}`, `argument "what_changes[1]" is not valid UTF-8`},
		{"MC-10 the other half", `{"why":"\ude00\ud83d"}`, `argument "why" is not valid UTF-8`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in ProposalInput
			err := DecodeStrict([]byte(tt.json), &in)
			if _, ok := errors.AsType[*InputError](err); !ok || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestDecodeStrict_accepts(t *testing.T) {
	var in SpecInput
	err := DecodeStrict([]byte(` {"spec_id" : "a", "title":"\ud83d\ude00 \\ud83d", "scenarios":[{"name":"n","when":"one","then":["a","b"]}],"requirements":[] } `), &in)
	if err != nil {
		t.Fatal(err)
	}
	want := SpecInput{SpecID: "a", Title: "😀 \\ud83d", Requirements: []RequirementInput{},
		Scenarios: []ScenarioInput{{Name: "n", When: StringList{"one"}, Then: StringList{"a", "b"}}}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func proposalInput() ProposalInput {
	return ProposalInput{
		ChangeID: "add-oauth", Summary: "Sign in with OAuth.", Why: "Passwords are a burden.", WhatChanges: []string{"a provider", "a callback"},
		Impact: ImpactInput{Scope: "minor", AffectedSpecs: []string{"auth", "sessions"}, AffectedFiles: 3, NewFiles: 1, AffectedCode: []string{"`internal/auth`"}, BreakingChanges: "None."},
	}
}

func TestProposalInput_Proposal(t *testing.T) {
	first, err := proposalInput().Proposal("add-oauth", noon, "gemini", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Proposal{ID: "add-oauth", Version: 1, Iteration: 1, CreatedAt: noon, UpdatedAt: noon, Author: "gemini", Status: "proposed",
		Summary: "Sign in with OAuth.", Why: "Passwords are a burden.", WhatChanges: []string{"a provider", "a callback"},
		Impact:        Impact{Scope: "minor", AffectedFiles: 3, NewFiles: 1, AffectedCode: []string{"internal/auth"}},
		AffectedSpecs: []AffectedSpec{{ID: "auth", Path: "specs/auth.md"}, {ID: "sessions", Path: "specs/sessions.md"}}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	same, err := proposalInput().Proposal("add-oauth", noon.Add(time.Hour), "codex", first)
	if err != nil || string(same.Markdown()) != string(first.Markdown()) {
		t.Errorf("the same content makes another document, error %v", err)
	}

	changed := proposalInput()
	changed.Why = "Another reason."
	second, err := changed.Proposal("add-oauth", noon.Add(time.Hour), "codex", first)
	if err != nil || second.Version != 2 || second.Iteration != 2 || !second.CreatedAt.Equal(noon) || !second.UpdatedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("second version %+v, error %v", second, err)
	}
}

func TestProposalInput_refusals(t *testing.T) {
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("s%d", i)
	}
	tests := []struct {
		name string
		with func(in *ProposalInput)
		want string
	}{
		{"another change", func(in *ProposalInput) { in.ChangeID = "other" }, `argument "change_id" is "other", but this server serves change "add-oauth"`},
		{"no summary", func(in *ProposalInput) { in.Summary = " \u202e\n" }, `argument "summary" is required`},
		{"a placeholder", func(in *ProposalInput) { in.Why = "[Explain the problem]" }, `argument "why" is the placeholder [Explain the problem]`},
		{"a scope outside the list", func(in *ProposalInput) { in.Impact.Scope = "moderate" }, `argument "impact.scope" is "moderate", want one of patch, minor, major`},
		{"ID-17 a spec that leads out", func(in *ProposalInput) { in.Impact.AffectedSpecs = []string{"../x"} }, `argument "impact.affected_specs[0]": `},
		{"ID-17 51 specs", func(in *ProposalInput) { in.Impact.AffectedSpecs = many }, `argument "impact.affected_specs" has 51 entries, the limit is 50`},
		{"ID-17 a spec twice", func(in *ProposalInput) { in.Impact.AffectedSpecs = []string{"a", "a"} }, `argument "impact.affected_specs[1]" names "a" again`},
		{"MC-09 too long", func(in *ProposalInput) { in.Why = strings.Repeat("long ", MaxDocument/5) }, `proposal.md would have 262`},
		{"a merge conflict in the text", func(in *ProposalInput) { in.Why = "```\n<<<<<<< a\n=======\n>>>>>>> b\n```" }, `unresolved merge conflict in proposal.md`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := proposalInput()
			tt.with(&in)
			_, err := in.Proposal("add-oauth", noon, "gemini", nil)
			if _, ok := errors.AsType[*InputError](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// hostile draws text as agents and attackers send it.
func hostile() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom(append([]string{
			"## Impact", "# Change: y", "### R2: more", "### Scenario: s", "- **WHEN** x", "**Answer**: y", "- Affected specs: `evil`", "\n", "\n\n",
			"  ", "text", "`code`", "Depends: 1.1", "(R1)", "THEN", " - ", "| a | b |", "1.", "# ", "</review>", "---\nid: y\n---\n", "\x1b[31m", "a\r\n", "\ufeff",
		}, awkward...)),
		rapid.StringN(0, 8, -1),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return "x" + strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), rapid.SampledFrom([]string{"", "\n"}).Draw(t, "between"))
	})
}

// What an agent sends is either stored so that it is read back as it was meant, or refused.
func TestInputs_areStoredAsMeant_MC11(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return hostile().Draw(t, name) }
		in := ProposalInput{Summary: text("summary"), Why: text("why"), WhatChanges: []string{text("first"), text("second")},
			Impact: ImpactInput{Scope: "minor", AffectedSpecs: []string{"auth"}, AffectedCode: []string{text("code")}, BreakingChanges: text("breaking")}}
		p, err := in.Proposal("x", noon, text("author"), nil)
		if _, refused := errors.AsType[*InputError](err); err != nil && !refused {
			t.Fatalf("proposal: %v", err)
		}
		if err == nil {
			if len(p.WhatChanges) != 2 || len(p.AffectedSpecs) != 1 || p.AffectedSpecs[0].ID != "auth" || p.ID != "x" || len(p.Reviews) != 0 {
				t.Fatalf("stored as %+v\n%s", p, p.Markdown())
			}
		}

		spec := SpecInput{SpecID: "auth", Title: text("title"), Overview: text("overview"), FlowDiagram: text("flow"),
			Requirements: []RequirementInput{{"R1", text("r1"), text("d1"), "high"}, {"R2", text("r2"), text("d2"), "low"}},
			Scenarios:    []ScenarioInput{{Name: text("name"), Given: StringList{text("given")}, When: StringList{text("when")}, Then: StringList{text("then"), "b"}, Requirement: "R1"}}}
		s, err := spec.Spec("x", noon, nil)
		if _, refused := errors.AsType[*InputError](err); err != nil && !refused {
			t.Fatalf("spec: %v", err)
		}
		if err == nil && (len(s.Requirements) != 2 || len(s.Scenarios) != 1 || s.Scenarios[0].Requirement != "R1" || len(s.Scenarios[0].Then) != 2) {
			t.Fatalf("stored as %+v\n%s", s, s.Markdown())
		}

		tasks := TasksInput{Tasks: []TaskInput{
			{Layer: "data", Number: 1, Title: text("t1"), File: TaskFileInput{"a.go", "CREATE"}, SpecRef: "auth#R1", Description: text("do1")},
			{Layer: "logic", Number: 1, Title: text("t2"), File: TaskFileInput{"b.go", "MODIFY"}, Description: text("do2"), Depends: []string{"data.1"}}}}
		made, err := tasks.ToTasks("x", noon, nil)
		if _, refused := errors.AsType[*InputError](err); err != nil && !refused {
			t.Fatalf("tasks: %v", err)
		}
		if err == nil && (len(made.Tasks) != 2 || len(made.Tasks[0].Files) != 1 || len(made.Tasks[0].Depends) != 0 || len(made.Tasks[1].SpecRefs) != 0 || made.Tasks[1].Depends[0] != "1.1") {
			t.Fatalf("stored as %+v\n%s", made, made.Markdown())
		}

		answers := ClarificationsInput{Questions: []Clarification{{text("topic"), text("q"), text("a"), text("r")}, {"t", "q", "a", ""}}}
		c, err := answers.Clarifications("x", noon, nil)
		if _, refused := errors.AsType[*InputError](err); err != nil && !refused {
			t.Fatalf("clarifications: %v", err)
		}
		if err == nil && (len(c.Questions) != 2 || c.Questions[1].Topic != "t") {
			t.Fatalf("stored as %+v\n%s", c, c.Markdown())
		}
	})
}

// Ordinary Markdown in the arguments is no reason to refuse.
func TestInputs_takeOrdinaryMarkdown_MC11(t *testing.T) {
	text := "\ufeffFirst paragraph.\r\n\r\n## Details  \n\n- a\n\t- b\n\n```sh\n# comment\n## Impact\n```\n\n<!-- a note -->\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\x1b[0m"
	in := proposalInput()
	in.Summary, in.Why, in.WhatChanges[0], in.Impact.BreakingChanges = text, text+"\n\n```\nnever closed", text, text
	p, err := in.Proposal("add-oauth", noon, "gemini", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Summary, "### Details") || !strings.HasSuffix(p.Why, "never closed\n```") || strings.ContainsAny(string(p.Markdown()), "\r\x1b\ufeff") {
		t.Errorf("stored as\n%s", p.Markdown())
	}
	spec := SpecInput{SpecID: "auth", Title: "Spec: Sign in", Overview: text, FlowDiagram: "```mermaid\ngraph LR\n```",
		Requirements: []RequirementInput{{"R1", "A", text, "high"}},
		Scenarios:    []ScenarioInput{{Name: "it works", When: StringList{"WHEN a"}, Then: StringList{text}}}}
	s, err := spec.Spec("add-oauth", noon, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "Sign in" || s.FlowDiagram != "graph LR" || s.Scenarios[0].When[0] != "a" || !strings.Contains(s.Overview, "#### Details") {
		t.Errorf("stored as\n%s", s.Markdown())
	}
	if _, err := (TasksInput{Tasks: []TaskInput{{Layer: "data", Number: 1, Title: "A", File: TaskFileInput{"a.go", "CREATE"}, Description: text}}}).ToTasks("x", noon, nil); err != nil {
		t.Error(err)
	}
	if _, err := (ClarificationsInput{Questions: []Clarification{{"T", text, text, text}}}).Clarifications("x", noon, nil); err != nil {
		t.Error(err)
	}
}

func TestSpecInput_refusals(t *testing.T) {
	good := func() SpecInput {
		return SpecInput{SpecID: "auth", Title: "A", Overview: "O", Requirements: []RequirementInput{{"R1", "A", "d", "high"}},
			Scenarios: []ScenarioInput{{Name: "n", When: StringList{"w"}, Then: StringList{"t"}, Requirement: "R1"}}}
	}
	tests := []struct {
		name string
		with func(in *SpecInput)
		want string
	}{
		{"DC-11 R01 beside R1", func(in *SpecInput) {
			in.Requirements = append(in.Requirements, RequirementInput{"R01", "A", "d", "low"})
		}, `argument "requirements[1].id" is "R01", which is used already`},
		{"odd id", func(in *SpecInput) { in.Requirements[0].ID = "first" }, `argument "requirements[0].id" is "first", want R1, R2 and so on`},
		{"no THEN", func(in *SpecInput) { in.Scenarios[0].Then = nil }, `argument "scenarios[0].then" is required`},
		{"unknown owner", func(in *SpecInput) { in.Scenarios[0].Requirement = "R2" }, `argument "scenarios[0].requirement" is "R2", which is not among the requirements`},
		{"MC-09 101 requirements", func(in *SpecInput) { in.Requirements = make([]RequirementInput, 101) }, `argument "requirements" has 101 entries, the limit is 100`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := good()
			tt.with(&in)
			if _, err := in.Spec("x", noon, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestTasksInput_refusals(t *testing.T) {
	task := func(number int, file string, depends ...string) TaskInput {
		return TaskInput{Layer: "data", Number: number, Title: "A", Description: "d", File: TaskFileInput{file, "CREATE"}, Depends: depends}
	}
	tests := []struct {
		name string
		in   []TaskInput
		want string
	}{
		{"none", nil, `argument "tasks" needs at least one entry`},
		{"MC-09 too many", make([]TaskInput, 10_000), `argument "tasks" has 10000 entries, the limit is 500`},
		{"DC-12 cycle", []TaskInput{task(1, "a", "data.2"), task(2, "a", "1.1")}, "tasks depend on each other: 1.1 → 1.2 → 1.1"},
		{"DC-12 on itself", []TaskInput{task(1, "a", "1.1")}, "tasks depend on each other: 1.1 → 1.1"},
		{"DC-12 unknown", []TaskInput{task(1, "a", "logic.1")}, `argument "tasks[0].depends[0]" is "logic.1", which is not among the tasks`},
		{"DC-12 twice", []TaskInput{task(1, "a"), task(1, "b")}, `argument "tasks[1].number": task 1.1 is there already`},
		{"DC-13 outside", []TaskInput{task(1, "../a")}, `argument "tasks[0].file.path" is "../a", which leads out of its folder`},
		{"DC-13 git", []TaskInput{task(1, ".GIT/config")}, `argument "tasks[0].file.path" is ".GIT/config", which is inside .git`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := (TasksInput{Tasks: tt.in}).ToTasks("x", noon, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestTasksInput_ordersByID(t *testing.T) {
	var in TasksInput
	err := DecodeStrict([]byte(`{"tasks":[
		{"layer":"testing","number":1,"title":"T","file":{"path":"a_test.go","action":"CREATE"},"spec_ref":"auth:R1, b#R2","description":"d","depends":["data.10","1.2"]},
		{"layer":"data","number":10,"title":"J","file":{"path":"a.go","action":"MODIFY"},"spec_ref":"auth#R1","description":"d"},
		{"layer":"data","number":2,"title":"B","file":{"path":"a.go","action":"MODIFY"},"spec_ref":"auth","description":"d"}]}`), &in)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := in.ToTasks("x", noon, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks.Tasks {
		got = append(got, fmt.Sprint(task.ID, task.SpecRefs, task.Depends))
	}
	want := []string{"1.2[auth] []", "1.10[auth#R1] []", "4.1[auth#R1 b#R2] [1.10 1.2]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	again, err := in.ToTasks("x", noon.Add(time.Hour), tasks)
	if err != nil || string(again.Markdown()) != string(tasks.Markdown()) {
		t.Errorf("the same tasks make another document, error %v", err)
	}
}

func TestQuestionsInput(t *testing.T) {
	option := func(label string, recommended bool) Option { return Option{Label: label, Recommended: recommended} }
	tests := []struct {
		name string
		in   []Question
		want string
	}{
		{"none is fine", nil, ""},
		{"one", []Question{{Topic: "T", Question: "Q", Options: []Option{option("a", false), option("b", true)}}}, ""},
		{"six", make([]Question, 6), `argument "questions" has 6 entries, the limit is 5`},
		{"one option", []Question{{Topic: "T", Question: "Q", Options: []Option{option("a", false)}}}, `argument "questions[0].options" needs at least two entries`},
		{"two labels alike", []Question{{Topic: "T", Question: "Q", Options: []Option{option("a", false), option(" a", false)}}}, `argument "questions[0].options[1].label" is "a" again`},
		{"two recommended", []Question{{Topic: "T", Question: "Q", Options: []Option{option("a", true), option("b", true)}}}, `argument "questions[0].options" recommends 2 options, want one at most`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(QuestionsInput{tt.in}.Validate(), "; ")
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	clean := QuestionsInput{tests[1].in}.Clean()
	if clean[0].Header != "T" || clean[0].Options[0].Label != "b" || tests[1].in[0].Options[0].Label != "a" {
		t.Errorf("clean is %+v", clean)
	}
}
