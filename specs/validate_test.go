package specs

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goodDocs is a change with nothing to complain about.
func goodDocs() ChangeDocs {
	proposal := "---\nid: x\naffected_specs: [{id: auth, path: specs/auth.md}]\n---\n\n# Change: x\n\n## Summary\n\nS\n\n## Why\n\nW\n\n## What Changes\n\n- c\n\n## Impact\n\n- **Scope**: minor\n- Affected specs: `auth`\n"
	spec := "# Specification: Auth\n\n## Overview\n\nO\n\n## Requirements\n\n### R1: Sign in\n\nd\n\n### R2: Sign out\n\nd\n\n## Acceptance Criteria\n\n### Scenario: in (R1)\n\n- **WHEN** a\n- **THEN** b\n\n### Scenario: out (R2)\n\n- **WHEN** a\n- **THEN** b\n"
	tasks := "# Tasks\n\n## 1. Data Layer\n\n- [ ] 1.1 A\n  - File: `a.go` (CREATE)\n  - Spec: `auth#R1`\n  - Do: d\n  - Depends: none\n\n- [ ] 1.2 B\n  - File: `b.go` (CREATE)\n  - Spec: `specs/auth.md#r2-sign-out`\n  - Do: d\n  - Depends: 1.1\n"
	return ChangeDocs{ID: "x", Files: map[string][]byte{
		"proposal.md": []byte(proposal), "specs/auth.md": []byte(spec), "tasks.md": []byte(tasks), "STATE.yaml": []byte("\t"), "CHALLENGE.md": []byte("<<<<<<<"),
	}}
}

// with replaces text in one document, and fails where it is not there to be replaced.
func (d ChangeDocs) with(t *testing.T, file, old, replacement string) ChangeDocs {
	t.Helper()
	src := string(d.Files[file])
	if !strings.Contains(src, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	d.Files = maps.Clone(d.Files)
	d.Files[file] = []byte(strings.ReplaceAll(src, old, replacement))
	return d
}

func TestChangeDocs_Validate_nothingToComplain(t *testing.T) {
	if problems := goodDocs().Validate(ValidateOptions{Strict: true}); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
}

// Changes are validated at once. What the readers share is made once and then only read: the race detector looks on.
func TestChangeDocs_Validate_atOnce(t *testing.T) {
	docs := goodDocs().with(t, "specs/auth.md", "THEN", "LATER").with(t, "tasks.md", "auth#R1", "auth#R3")
	want := docs.Validate(ValidateOptions{})
	if len(want) == 0 {
		t.Fatal("there is nothing to find")
	}
	got := make([]Problems, 8)
	var checking sync.WaitGroup
	for i := range got {
		checking.Go(func() { got[i] = docs.Validate(ValidateOptions{}) })
	}
	checking.Wait()
	for _, problems := range got {
		if diff := cmp.Diff(want, problems); diff != "" {
			t.Errorf("at once (-alone +at once):\n%s", diff)
		}
	}
}

func TestChangeDocs_Validate(t *testing.T) {
	tests := []struct {
		name           string
		file, old, new string
		opts           ValidateOptions
		want           []string
	}{
		{name: "DC-11 missing section", file: "proposal.md", old: "## Why", new: "## Reason",
			want: []string{`agentd/changes/x/proposal.md: HIGH heading "## Why" is missing (missing-heading)`}},
		{name: "DC-11 heading at the wrong level", file: "proposal.md", old: "## Why", new: "### Why",
			want: []string{`agentd/changes/x/proposal.md:12: HIGH heading "## Why" is missing (missing-heading)`}},
		{name: "DC-11 empty section", file: "proposal.md", old: "\nW\n", new: "\n",
			want: []string{`agentd/changes/x/proposal.md:12: MEDIUM section "Why" is empty (empty-section)`}},
		{name: "older heading", file: "proposal.md", old: "## What Changes", new: "## What",
			want: []string{`agentd/changes/x/proposal.md:16: LOW heading "## What" is the older form (odd-heading)`}},
		{name: "placeholder", file: "proposal.md", old: "\nW\n", new: "\n[Explain the problem]\n",
			want: []string{`agentd/changes/x/proposal.md:14: HIGH a placeholder is left over (placeholder)`}},
		{name: "DC-11 headings in a fence do not count", file: "proposal.md", old: "## Why\n", new: "```\n## Why\n```\n",
			want: []string{`agentd/changes/x/proposal.md: HIGH heading "## Why" is missing (missing-heading)`}},
		{name: "DC-10 conflict", file: "proposal.md", old: "\nW\n", new: "\n<<<<<<< a\n=======\n>>>>>>> b\n",
			want: []string{`agentd/changes/x/proposal.md:14: HIGH unresolved merge conflict in agentd/changes/x/proposal.md lines 14–16 (unreadable)`}},
		{name: "DC-01 broken front matter", file: "proposal.md", old: "id: x\n", new: "id: x\n\tb\n",
			want: []string{`agentd/changes/x/proposal.md:3: HIGH found a tab character that violates indentation (unreadable)`}},
		{name: "ID-17 impossible spec", file: "proposal.md", old: "{id: auth, path: specs/auth.md}", new: "{id: auth}, {id: ../x}",
			want: []string{"spec-mismatch LOW 0", "invalid-spec-id HIGH 3", "unlisted-spec MEDIUM 0"}},
		{name: "specs that wait for each other", file: "proposal.md", old: "{id: auth, path: specs/auth.md}", new: "{id: auth, depends: [auth]}",
			want: []string{`agentd/changes/x/proposal.md: HIGH specs depend on each other: auth → auth (spec-cycle)`}},
		{name: "a spec nobody named", file: "proposal.md", old: "auth", new: "other",
			want: []string{"unlisted-spec MEDIUM 0", "missing-artefact HIGH 0"}},
		{name: "none although there are specs", file: "proposal.md", old: "affected_specs: [{id: auth, path: specs/auth.md}]", new: "affected_specs: []",
			want: []string{"spec-mismatch LOW 0", "unlisted-spec MEDIUM 0"}},

		{name: "DC-11 duplicate requirement", file: "specs/auth.md", old: "### R2: Sign out", new: "### R01: Sign out",
			want: []string{
				`agentd/changes/x/specs/auth.md:13: HIGH requirement R01 is the same as R1 in line 9 (duplicate-requirement)`,
				`agentd/changes/x/specs/auth.md:24: MEDIUM scenario "out" belongs to R2, which does not exist (broken-reference)`,
				`agentd/changes/x/tasks.md:11: MEDIUM task 1.2 refers to auth#r2-sign-out, which does not exist (broken-reference)`}},
		{name: "DC-11 no THEN", file: "specs/auth.md", old: "- **THEN** b\n", new: "",
			want: []string{"missing-when-then HIGH 19", "missing-when-then HIGH 23"}},
		{name: "DC-11 no THEN, and none wanted", file: "specs/auth.md", old: "- **THEN** b\n", new: "", opts: ValidateOptions{WhenThenOptional: true}},
		{name: "DC-11 another word for THEN", file: "specs/auth.md", old: "**THEN**", new: "**DANN**", opts: ValidateOptions{ThenPattern: `\*\*DANN\*\*`}},
		{name: "DC-11 a requirement without scenario", file: "specs/auth.md", old: "(R2)", new: "(R1)",
			want: []string{`agentd/changes/x/specs/auth.md:13: HIGH requirement R2 has no scenario (missing-scenario)`}},
		{name: "DC-11 perhaps without scenario", file: "specs/auth.md", old: " (R2)", new: "",
			want: []string{`agentd/changes/x/specs/auth.md:13: LOW requirement R2 has no scenario (missing-scenario)`}},
		{name: "more scenarios wanted", file: "specs/auth.md", old: "O", new: "O", opts: ValidateOptions{ScenarioMinCount: 3},
			want: []string{`agentd/changes/x/specs/auth.md: HIGH spec "auth" has 2 scenarios, want 3 or more (missing-scenario)`}},
		{name: "DC-11 no requirements", file: "specs/auth.md", old: "## Requirements\n\n### R1: Sign in\n\nd\n\n### R2: Sign out\n\nd\n\n", new: "",
			want: []string{"no-requirements HIGH 0"}},
		{name: "the same, imported", file: "specs/auth.md", old: "## Requirements\n\n### R1: Sign in\n\nd\n\n### R2: Sign out\n\nd\n\n", new: "", opts: ValidateOptions{Legacy: true},
			want: []string{"no-requirements LOW 0"}},
		{name: "a heading of the project's own", file: "specs/auth.md", old: "O", new: "O", opts: ValidateOptions{RequiredHeadings: []string{"Overview", "Security"}},
			want: []string{`agentd/changes/x/specs/auth.md: HIGH heading "## Security" is missing (missing-heading)`}},
		{name: "no id", file: "specs/auth.md", old: "### R2: Sign out", new: "### REQ_2 Sign out",
			want: []string{"invalid-requirement-format HIGH 13", "broken-reference MEDIUM 24", "broken-reference MEDIUM 11"}},
		{name: "no id, but the project's own pattern", file: "specs/auth.md", old: "### R2: Sign out\n\nd\n", new: "### R2: Sign out\n\nd\n\n### REQ_3 x\n", opts: ValidateOptions{RequirementPattern: `^### REQ_\d+`}},
		{name: "severity from the config", file: "specs/auth.md", old: "- **THEN** b\n", new: "", opts: ValidateOptions{SeverityMap: map[string]Severity{"missing_when_then": Low}},
			want: []string{"missing-when-then LOW 19", "missing-when-then LOW 23"}},
		{name: "a pattern that is none", file: "specs/auth.md", old: "O", new: "O", opts: ValidateOptions{WhenPattern: "("},
			want: []string{"invalid-pattern HIGH 0"}},

		{name: "DC-12 cycle", file: "tasks.md", old: "Depends: none", new: "Depends: 1.2",
			want: []string{`agentd/changes/x/tasks.md:5: HIGH tasks depend on each other: 1.1 → 1.2 → 1.1 (task-cycle)`}},
		{name: "DC-12 unknown", file: "tasks.md", old: "Depends: 1.1", new: "Depends: 1.3",
			want: []string{`agentd/changes/x/tasks.md:11: HIGH task 1.2 depends on "1.3", which is not there (unknown-dependency)`}},
		{name: "DC-12 duplicate", file: "tasks.md", old: "1.2 B", new: "1.1 B",
			want: []string{"duplicate-task HIGH 11"}},
		{name: "DC-13 outside", file: "tasks.md", old: "a.go", new: "../a.go",
			want: []string{`agentd/changes/x/tasks.md:5: HIGH task 1.1: path "../a.go" leads out of its folder (unsafe-path)`}},
		{name: "DC-13 severity cannot be lowered", file: "tasks.md", old: "a.go", new: "/etc/passwd", opts: ValidateOptions{Legacy: true, SeverityMap: map[string]Severity{"unsafe_path": Low}},
			want: []string{`agentd/changes/x/tasks.md:5: HIGH task 1.1: path "/etc/passwd" is absolute (unsafe-path)`}},
		{name: "DC-13 a person must look", file: "tasks.md", old: "a.go", new: ".github/workflows/ci.yml",
			want: []string{`agentd/changes/x/tasks.md:5: LOW task 1.1 touches .github/workflows/ci.yml (needs-person)`}},
		{name: "DC-13 case", file: "tasks.md", old: "b.go", new: "A.go",
			want: []string{"path-case-clash MEDIUM 11"}},
		{name: "under agentd", file: "tasks.md", old: "b.go", new: "agentd/specs/auth.md",
			want: []string{"path-under-agentd MEDIUM 11"}},
		{name: "DC-14 missing spec", file: "tasks.md", old: "auth#R1", new: "auht#R1",
			want: []string{"uncovered-requirement MEDIUM 9", `agentd/changes/x/tasks.md:5: MEDIUM task 1.1 refers to the spec "auht", which does not exist (broken-reference)`}},
		{name: "a spec on the base", file: "tasks.md", old: "auth#R1", new: "billing#R1", opts: ValidateOptions{MainSpecs: []SpecID{"billing"}},
			want: []string{"uncovered-requirement MEDIUM 9"}},
		{name: "DC-14 missing requirement, strict", file: "tasks.md", old: "auth#R1", new: "auth#R7", opts: ValidateOptions{Strict: true},
			want: []string{"uncovered-requirement HIGH 9", `agentd/changes/x/tasks.md:5: HIGH task 1.1 refers to auth#R7, which does not exist (broken-reference)`}},
		{name: "a whole spec covers its requirements", file: "tasks.md", old: "auth#R1", new: "auth"},
		{name: "no reference", file: "tasks.md", old: "  - Spec: `auth#R1`\n", new: "",
			want: []string{"uncovered-requirement MEDIUM 9", "missing-spec-ref MEDIUM 5"}},
		{name: "no tasks", file: "tasks.md", old: "- [ ]", new: "- later:",
			want: []string{"no-tasks HIGH 0"}},
		{name: "DC-16 too large", file: "tasks.md", old: "# Tasks", new: strings.Repeat("#", MaxDocument),
			want: []string{"unreadable HIGH 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := goodDocs().with(t, tt.file, tt.old, tt.new).Validate(tt.opts)
			var got []string
			for i, problem := range problems {
				line := problem.String()
				if i < len(tt.want) && !strings.HasPrefix(tt.want[i], "agentd/") {
					line = problem.Rule + " " + problem.Severity.String() + " " + itoa(problem.Line)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestChangeDocs_Validate_nearestMatch_DC14(t *testing.T) {
	for ref, want := range map[string]string{"auht#R1": `did you mean "auth"?`, "auth#R3": `did you mean "R1"?`, "auth#some-long-anchor": `spec "auth" has R1, R2`} {
		found := false
		for _, problem := range goodDocs().with(t, "tasks.md", "auth#R1", ref).Validate(ValidateOptions{}) {
			if problem.Rule == "broken-reference" {
				found = true
				if problem.Hint != want {
					t.Errorf("%s: hint %q, want %q", ref, problem.Hint, want)
				}
			}
		}
		if !found {
			t.Errorf("%s is not reported", ref)
		}
	}
}

func TestChangeDocs_Validate_noSpecsIsLegal(t *testing.T) {
	docs := goodDocs().with(t, "proposal.md", "[{id: auth, path: specs/auth.md}]", "[]").with(t, "proposal.md", "`auth`", "none")
	docs = docs.with(t, "tasks.md", "  - Spec: `auth#R1`\n", "").with(t, "tasks.md", "  - Spec: `specs/auth.md#r2-sign-out`\n", "")
	delete(docs.Files, "specs/auth.md")
	if problems := docs.Validate(ValidateOptions{Strict: true}); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
	if artefact, ok := NextArtefact(docs); ok {
		t.Errorf("%+v is missing", artefact)
	}
}

func TestChangeDocs_Validate_nothingThere(t *testing.T) {
	problems := ChangeDocs{ID: "x", Dir: "old/x"}.Validate(ValidateOptions{})
	if len(problems) != 2 || problems[0].File != "old/x/proposal.md" || problems[1].File != "old/x/tasks.md" || rulesOf(problems) != "missing-artefact" {
		t.Errorf("problems %v", problems)
	}
}

// The options travel in a run's JSON and come back as they were.
func TestValidateOptions_json(t *testing.T) {
	want := ValidateOptions{RequiredHeadings: []string{"Overview"}, ScenarioMinCount: 2, SeverityMap: map[string]Severity{"missing_heading": Medium}, MainSpecs: []SpecID{"a"}, Strict: true}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got ValidateOptions
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, text)
	}
}

func TestNextArtefact(t *testing.T) {
	docs := goodDocs().with(t, "proposal.md", "{id: auth, path: specs/auth.md}", "{id: zeta, depends: [auth]}, {id: auth}, {id: beta}")
	step := func() string {
		artefact, ok := NextArtefact(docs)
		if !ok {
			return "nothing"
		}
		return string(artefact.Step) + " " + artefact.Path + " " + rulesOf(artefact.Problems)
	}
	full := docs.Files
	docs.Files = map[string][]byte{}
	for _, next := range []struct{ want, write string }{
		{"proposal-gen proposal.md ", "proposal.md"},
		{"spec-gen-auth specs/auth.md ", "specs/auth.md"},
		{"spec-gen-zeta specs/zeta.md ", "specs/zeta.md"},
		{"spec-gen-beta specs/beta.md ", "specs/beta.md"},
		{"tasks-gen tasks.md ", "tasks.md"},
		{"nothing", ""},
	} {
		if got := step(); got != next.want {
			t.Fatalf("got %q, want %q", got, next.want)
		}
		docs.Files[next.write] = full["proposal.md"]
	}

	for name, tt := range map[string]struct{ proposal, want string }{
		"empty":                      {"\n\n", "proposal-gen proposal.md "},
		"a skeleton (AG-22)":         {"# Change: x\n\n## Summary\n\n[Brief 1-2 sentence description]\n\n## Impact\n- Affected specs: [capabilities]\n", "proposal-gen proposal.md "},
		"front matter only":          {"---\nid: x\n---\n", "proposal-gen proposal.md "},
		"impossible spec (ID-17)":    {strings.ReplaceAll(string(full["proposal.md"]), "{id: beta}", "{id: ../x}"), "proposal-gen proposal.md invalid-spec-id spec-mismatch"},
		"unreadable (DC-01)":         {"---\nid: x\n", "proposal-gen proposal.md unreadable"},
		"specs that wait in a round": {strings.ReplaceAll(string(full["proposal.md"]), "{id: auth}", "{id: auth, depends: [zeta]}"), "proposal-gen proposal.md spec-cycle spec-mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			docs.Files["proposal.md"] = []byte(tt.proposal)
			if got := step(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTaskPathFault_DC13(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.go": "", "a..b/c": "", ".gitignore": "", ".github/x": "", "a b.go": "", "文.go": "",
		"": "is empty", "/etc/passwd": "is absolute", `C:\x`: "is absolute", "c:x": "is absolute", `\\host\x`: "is absolute", "~/x": "leads to a home folder",
		"../x": "leads out of its folder", "a/../../x": "leads out of its folder", `a\..\x`: "leads out of its folder", "..": "leads out of its folder",
		".git/config": "is inside .git", "a/.GIT/hooks": "is inside .git", ".git. /x": "is inside .git", "git~1/x": "is inside .git", ".g\u200cit/x": "is inside .git", ".git:x/y": "is inside .git",
		"a\nb": "holds control characters", "a\x00": "holds control characters", "a\u202eb": "holds control characters",
	} {
		if got := TaskPathFault(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestPathNeedsPerson_DC13(t *testing.T) {
	for name, want := range map[string]bool{
		".github/workflows/ci.yml": true, "CODEOWNERS": true, "docs/CODEOWNERS": true, "go.sum": true, "web/package-lock.json": true, "Cargo.lock": true,
		".husky/pre-commit": true, "./.GitHub/x": true, "git/hooks/pre-push": true, "x.lock": true,
		"main.go": false, "hooks.go": false, "github/x.go": false, "lock.go": false,
	} {
		if got := PathNeedsPerson(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
	task := Task{Files: []TaskFile{{Path: "go.sum"}, {Path: "main.go"}}}
	if got := task.NeedsPerson(); len(got) != 1 || got[0] != "go.sum" {
		t.Errorf("got %v", got)
	}
}

func TestPlanPaths(t *testing.T) {
	for name, want := range map[string]bool{
		"proposal.md": true, "tasks.md": true, "clarifications.md": true, "specs/a.md": true, "specs/x/y.png": true,
		"specs": false, "specs/": false, "STATE.yaml": false, "CHALLENGE.md": false, "a/proposal.md": false, "specs.md": false,
	} {
		if got := PlanPaths(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

func TestComplexity(t *testing.T) {
	for _, tt := range []struct {
		specs, tasks int
		want         string
	}{{0, 0, "low"}, {1, 3, "low"}, {1, 4, "medium"}, {2, 8, "medium"}, {2, 9, "high"}, {5, 15, "high"}, {1, 20, "critical"}} {
		if got := Complexity(tt.specs, tt.tasks); got != tt.want {
			t.Errorf("%d specs and %d tasks: got %q, want %q", tt.specs, tt.tasks, got, tt.want)
		}
	}
}

func TestRules_areUniqueAndKebab(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if seen[rule.ID] || rule.ID != strings.ToLower(rule.ID) || strings.ContainsAny(rule.ID, " _") || rule.Severity.String() == "" || rule.About == "" {
			t.Errorf("rule %+v", rule)
		}
		seen[rule.ID] = true
	}
}
