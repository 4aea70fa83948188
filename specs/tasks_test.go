package specs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const canonicalTasks = `---
id: add-oauth
type: tasks
version: 1
created_at: 2026-01-19T10:30:00Z
updated_at: 2026-01-19T10:30:00Z
proposal_ref: add-oauth
summary:
  total: 3
layers:
  data:
    task_count: 2
    estimated_files: 1
  logic:
    task_count: 1
    estimated_files: 2
---

# Tasks

## 1. Data Layer

- [ ] 1.1 Session type
  - File: ` + "`internal/session.go`" + ` (CREATE)
  - Spec: ` + "`auth#R1`, `auth`" + `
  - Do: Write the type.

    ` + "```go\n    ## type\n    ```" + `
  - Depends: none

- [ ] 1.2b Session store
  - File: ` + "`internal/session.go`" + ` (MODIFY)
  - Do: Keep it.
  - Depends: 1.1
  - Verify: go test ./...

## 2. Logic Layer

- [ ] 2.1 Callback
  - File: ` + "`a.go`" + ` (MODIFY)
  - File: ` + "`b.go`" + `
  - Depends: 1.1, 1.2b
`

func TestParseTasks_canonical(t *testing.T) {
	got, problems, err := ParseTasks("agentd/changes/add-oauth/tasks.md", []byte(canonicalTasks))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	at := time.Date(2026, 1, 19, 10, 30, 0, 0, time.UTC)
	want := &Tasks{ID: "add-oauth", Version: 1, CreatedAt: at, UpdatedAt: at, ProposalRef: "add-oauth", Tasks: []Task{
		{ID: "1.1", Layer: "data", Title: "Session type", Line: 23,
			Files:       []TaskFile{{"internal/session.go", "CREATE"}},
			SpecRefs:    []SpecRef{{"auth", "R1", "auth#R1"}, {"auth", "", "auth"}},
			Description: "Write the type.\n\n```go\n## type\n```"},
		{ID: "1.2b", Layer: "data", Title: "Session store", Line: 33, Description: "Keep it.", Depends: []string{"1.1"},
			Files: []TaskFile{{"internal/session.go", "MODIFY"}}, Notes: []TaskNote{{"Verify", "go test ./..."}}},
		{ID: "2.1", Layer: "logic", Title: "Callback", Line: 41, Depends: []string{"1.1", "1.2b"},
			Files: []TaskFile{{"a.go", "MODIFY"}, {"b.go", ""}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(canonicalTasks, string(got.Markdown())); diff != "" {
		t.Errorf("written form (-want +got)\n%s", diff)
	}
}

func TestParseTasks_fields(t *testing.T) {
	tests := []struct {
		name, field string
		files       string
		refs        string
		depends     string
		rules       string
	}{
		{name: "modify with words", field: "File: `a.go` (MODIFY - add tests)", files: "a.go:MODIFY"},
		{name: "two paths then one action", field: "File: `a.go`, `b.go` (CREATE)", files: "a.go:CREATE b.go:CREATE"},
		{name: "either of two", field: "File: `a.go` (MODIFY) or `b.go` (DELETE)", files: "a.go:MODIFY b.go:DELETE"},
		{name: "trailing prose", field: "File: `a.go` (MODIFY) and whatever calls it", files: "a.go:MODIFY"},
		{name: "update", field: "File: `a.go` (UPDATE)", files: "a.go:MODIFY"},
		{name: "a folder", field: "File: `a/` (CREATE DIR)", files: "a/:CREATE"},
		{name: "a test", field: "File: `a.go` (TEST)", files: "a.go:", rules: "unknown-action"},
		{name: "no code marks", field: "File: src/a.rs (MODIFY), src/b.rs (CREATE)", files: "src/a.rs:MODIFY src/b.rs:CREATE"},
		{name: "a glob", field: "Files: `src/**/*.rs` (MODIFY)", files: "src/**/*.rs:MODIFY"},
		{name: "a list below", field: "Files:\n    - `a.go` (CREATE)\n    - `b.go` (MODIFY)", files: "a.go:CREATE b.go:MODIFY"},
		{name: "nothing", field: "File:"},
		{name: "a placeholder", field: "File: `[path]` (CREATE|MODIFY|DELETE)", files: "[path]:", rules: "placeholder"},

		{name: "slug", field: "Spec: `specs/auth.md#sign-in`", refs: "auth#sign-in"},
		{name: "id and slug", field: "Spec: `specs/auth.md#r1-sign-in`", refs: "auth#r1-sign-in"},
		{name: "in brackets", field: "Spec: specs/auth.md (R1: Sign in)", refs: "auth#R1"},
		{name: "colon", field: "Spec: auth:R1", refs: "auth#R1"},
		{name: "two", field: "Spec: `specs/auth.md#R1`, `specs/b.md#R2`", refs: "auth#R1 b#R2"},
		{name: "spaces and a comma in the anchor", field: "Spec: `specs/auth.md#R1: Title, With Spaces`", refs: "auth#R1: Title, With Spaces"},
		{name: "whole spec", field: "Spec: `specs/auth.md`", refs: "auth"},
		{name: "impossible spec", field: "Spec: `../x#R1`", refs: "", rules: "broken-reference"},
		{name: "skeleton", field: "Spec: `specs/[name].md#[anchor]`", rules: "placeholder"},

		{name: "none", field: "Depends: none"},
		{name: "None.", field: "Depends: None."},
		{name: "list", field: "Depends: 1.2, 1.3b", depends: "1.2 1.3b"},
		{name: "with words", field: "Depends: Task 1.2 (the store) and 1.3", depends: "1.2 1.3"},
		{name: "by layer", field: "Depends: data.1", depends: "1.1"},
		{name: "depends skeleton", field: "Depends: [task ids]", rules: "placeholder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := "# Implementation Tasks\n\n## 1. Data Layer\n- [x] 1.1 Title\n  - " + tt.field + "\n"
			tasks, problems, err := ParseTasks("tasks.md", []byte(src))
			if err != nil || len(tasks.Tasks) != 1 {
				t.Fatalf("got %+v, error %v", tasks, err)
			}
			task := tasks.Tasks[0]
			var files, refs []string
			for _, file := range task.Files {
				files = append(files, file.Path+":"+file.Action)
			}
			for _, ref := range task.SpecRefs {
				refs = append(refs, ref.String())
			}
			if got := strings.Join(files, " "); got != tt.files {
				t.Errorf("files %q, want %q", got, tt.files)
			}
			if got := strings.Join(refs, " "); got != tt.refs {
				t.Errorf("refs %q, want %q", got, tt.refs)
			}
			if got := strings.Join(task.Depends, " "); got != tt.depends {
				t.Errorf("depends %q, want %q", got, tt.depends)
			}
			if got := rulesOf(problems); got != tt.rules {
				t.Errorf("problems %q, want %q: %v", got, tt.rules, problems)
			}
		})
	}
}

func TestParseTasks_groups(t *testing.T) {
	src := "# Tasks\n\n## 2. Core: Phase State Machine\n- [ ] 2.1 A\n\n## Testing\n- [ ] **3.1** B\n- [ ] no id\n  - Do: x\n\n## UI Assets\n- [ ] 4.1b: C\n- a remark\n"
	tasks, problems, err := ParseTasks("tasks.md", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks.Tasks {
		got = append(got, task.ID+"|"+task.Layer+"|"+task.Title)
	}
	want := []string{"2.1|Core: Phase State Machine|A", "3.1|testing|B", "4.1b|UI Assets|C"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := rulesOf(problems); got != "invalid-task-id" {
		t.Errorf("problems %q", got)
	}
}

func TestParseTasks_fencesKeepIDsAsText(t *testing.T) {
	src := "---\nchange_id: x\n---\n<tasks>\n# Tasks\n\n| Layer | Tasks |\n|---|---|\n| 🟢 | 2 |\n\n## Data Layer\n\n### 1.1 First\n\n" +
		"```yaml\nid: 1.1\naction: CREATE\nstatus: pending\nfile: a.go\nspec_ref: specs/auth.md#R1\ndepends_on: []\n```\n\nText.\n\n" +
		"### Task 1.10: Tenth\n\n```yaml\nid: 1.10\naction: MODIFY\nfile: b.go\ndepends_on: [1.1]\n```\n</tasks>\n"
	tasks, problems, err := ParseTasks("tasks.md", []byte(src))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	want := []Task{
		{ID: "1.1", Layer: "data", Title: "First", Line: 13, Files: []TaskFile{{"a.go", "CREATE"}},
			SpecRefs: []SpecRef{{"auth", "R1", "specs/auth.md#R1"}}, Description: "Text."},
		{ID: "1.10", Layer: "data", Title: "Tenth", Line: 26, Files: []TaskFile{{"b.go", "MODIFY"}}, Depends: []string{"1.1"}},
	}
	if diff := cmp.Diff(want, tasks.Tasks); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if tasks.ID != "x" {
		t.Errorf("id %q", tasks.ID)
	}
}

func TestTasks_Order_DC12(t *testing.T) {
	task := func(id string, depends ...string) Task { return Task{ID: id, Depends: depends} }
	tests := []struct {
		name  string
		tasks []Task
		want  string
		cycle string
	}{
		{"by id where nothing else says", []Task{task("2.1"), task("1.10"), task("1.2"), task("1.2b")}, "1.2 1.2b 1.10 2.1", ""},
		{"after what it needs", []Task{task("1.1", "2.1"), task("1.2"), task("2.1")}, "1.2 2.1 1.1", ""},
		{"unknown needs do not hold up", []Task{task("1.1", "9.9")}, "1.1", ""},
		{"a need named twice", []Task{task("1.1"), task("1.2", "1.1", "1.1")}, "1.1 1.2", ""},
		{"cycle of two", []Task{task("1.1", "2.1"), task("2.1", "1.1"), task("3.1", "2.1")}, "", "tasks depend on each other: 1.1 → 2.1 → 1.1"},
		{"cycle behind a tail", []Task{task("1.1", "2.1"), task("2.1", "2.2"), task("2.2", "2.3"), task("2.3", "2.1")}, "",
			"tasks depend on each other: 2.1 → 2.2 → 2.3 → 2.1"},
		{"on itself", []Task{task("1.1", "1.1")}, "", "tasks depend on each other: 1.1 → 1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			order, err := (&Tasks{Tasks: tt.tasks}).Order()
			if tt.cycle != "" {
				cycle, ok := errors.AsType[*CycleError](err)
				if !ok || cycle.Error() != tt.cycle {
					t.Fatalf("got %v, want %q", err, tt.cycle)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, task := range order {
				ids = append(ids, task.ID)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTasks_Order_tenThousand_DC12(t *testing.T) {
	tasks := &Tasks{}
	for i := range 10_000 {
		task := Task{ID: fmt.Sprintf("1.%d", i+1)}
		if i+1 < 10_000 {
			task.Depends = []string{fmt.Sprintf("1.%d", i+2)}
		}
		tasks.Tasks = append(tasks.Tasks, task)
	}
	order, err := tasks.Order()
	if err != nil || order[0].ID != "1.10000" || order[9999].ID != "1.1" {
		t.Fatalf("order of %d, error %v", len(order), err)
	}
}

func TestTasks_Order_respectsDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "tasks")
		tasks := &Tasks{}
		for i := range n {
			task := Task{ID: fmt.Sprintf("1.%d", i+1)}
			for _, need := range rapid.SliceOfN(rapid.IntRange(1, 14), 0, 2).Draw(t, "needs") {
				task.Depends = append(task.Depends, fmt.Sprintf("1.%d", need))
			}
			tasks.Tasks = append(tasks.Tasks, task)
		}
		byID := func(id string) (Task, bool) {
			at := slices.IndexFunc(tasks.Tasks, func(task Task) bool { return task.ID == id })
			if at < 0 {
				return Task{}, false
			}
			return tasks.Tasks[at], true
		}
		order, err := tasks.Order()
		if cycle, ok := errors.AsType[*CycleError](err); ok {
			ids := cycle.Cycle
			if len(ids) < 2 || ids[0] != ids[len(ids)-1] || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids)-1 {
				t.Fatalf("not a cycle: %v", ids)
			}
			for i := range len(ids) - 1 {
				task, ok := byID(ids[i])
				if !ok || !slices.Contains(task.Depends, ids[i+1]) {
					t.Fatalf("%s does not depend on %s", ids[i], ids[i+1])
				}
			}
			return
		}
		if len(order) != n {
			t.Fatalf("%d of %d tasks", len(order), n)
		}
		done := map[string]bool{}
		for _, task := range order {
			for _, need := range task.Depends {
				if _, known := byID(need); known && !done[need] {
					t.Fatalf("%s comes before %s", task.ID, need)
				}
			}
			done[task.ID] = true
		}
	})
}

func TestTask_Same(t *testing.T) {
	a := Task{ID: "1.1", Title: "A", SpecRefs: []SpecRef{{"x", "R1", "specs/x.md#R1"}}, Line: 3}
	b := a
	b.Line, b.SpecRefs = 9, []SpecRef{{"x", "R1", "x#R1"}}
	if !a.Same(b) {
		t.Error("place and spelling make a difference")
	}
	b.Description = "more"
	if a.Same(b) {
		t.Error("the description makes no difference")
	}
}
