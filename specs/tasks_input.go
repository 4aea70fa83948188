package specs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// maxTasks is how many tasks one change may have.
const maxTasks = 500

// TasksInput is what the tool create_tasks takes.
type TasksInput struct {
	ChangeID string      `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Tasks    []TaskInput `json:"tasks"`
}

// TaskInput is one task of a TasksInput.
type TaskInput struct {
	Layer       string        `json:"layer" jsonschema:"data, logic, integration or testing"`
	Number      int           `json:"number" jsonschema:"the number within the layer, from 1"`
	Title       string        `json:"title"`
	File        TaskFileInput `json:"file"`
	SpecRef     string        `json:"spec_ref,omitempty" jsonschema:"<spec>#R1; several are separated by commas; empty only if the change affects no specs"`
	Description string        `json:"description"`
	Depends     []string      `json:"depends,omitempty" jsonschema:"tasks that must be done before: 1.1 or data.1"`
}

// TaskFileInput is the file of a TaskInput.
type TaskFileInput struct {
	Path   string `json:"path" jsonschema:"relative to the root of the repository"`
	Action string `json:"action" jsonschema:"CREATE, MODIFY, DELETE or RENAME"`
}

// Validate returns what is wrong with the arguments, one sentence each.
func (in TasksInput) Validate() []string {
	var c complaints
	if len(in.Tasks) == 0 {
		c.addf(`argument "tasks" needs at least one entry`)
	}
	c.atMost("tasks", len(in.Tasks), maxTasks)
	if len(c) > 0 {
		return c
	}
	made := in.tasks()
	index := made.index()
	ids := map[string]bool{}
	for i, task := range in.Tasks {
		name := func(field string) string { return fmt.Sprintf("tasks[%d].%s", i, field) }
		c.oneOf(name("layer"), task.Layer, layers()...)
		if task.Number < 1 || task.Number > 9999 {
			c.addf("argument %q is %d, want a number from 1 on", name("number"), task.Number)
		}
		if ids[task.id()] {
			c.addf("argument %q: task %s is there already", name("number"), task.id())
		}
		ids[task.id()] = true
		c.need(name("title"), task.Title)
		c.need(name("description"), task.Description)
		if fault := TaskPathFault(task.File.Path); fault != "" {
			c.addf("argument %q is %q, which %s", name("file.path"), excerptOf(task.File.Path), fault)
		}
		c.oneOf(name("file.action"), task.File.Action, "CREATE", "MODIFY", "DELETE", "RENAME")
		for _, part := range splitList(task.SpecRef) {
			if _, err := ParseSpecRef(part); part != "" && err != nil {
				c.addf("argument %q is %q: %v", name("spec_ref"), excerptOf(part), err)
			}
		}
		for k, need := range task.Depends {
			if _, known := index[strings.ToLower(strings.TrimSpace(need))]; !known {
				c.addf("argument %q is %q, which is not among the tasks", name(fmt.Sprintf("depends[%d]", k)), excerptOf(need))
			}
		}
	}
	if len(c) == 0 {
		if _, err := made.Order(); err != nil {
			c.addf("%v", err)
		}
	}
	return c
}

// id is the number of the layer and the number in it.
func (in TaskInput) id() string {
	return fmt.Sprintf("%d.%d", slices.Index(layers(), in.Layer)+1, in.Number)
}

// ToTasks makes the tasks of a change from the arguments, in the order of their ids.
// With a previous version they are the next one, or, where nothing but the date would differ, the previous one itself.
// The error is an [*InputError].
func (in TasksInput) ToTasks(id string, at time.Time, prev *Tasks) (*Tasks, error) {
	if err := boundTo(id, in.ChangeID); err != nil {
		return nil, err
	}
	if err := inputError(in.Validate()); err != nil {
		return nil, err
	}
	t := in.tasks()
	t.ID, t.ProposalRef, t.Version, t.CreatedAt, t.UpdatedAt = id, id, 1, seconds(at), seconds(at)
	if prev != nil {
		if sameTasks(*prev, t) {
			return prev, nil
		}
		t.Version = prev.Version + 1
		if !prev.CreatedAt.IsZero() {
			t.CreatedAt = prev.CreatedAt
		}
	}
	return proof("tasks.md", t.Markdown(), t, ParseTasks, sameTasks)
}

func (in TasksInput) tasks() Tasks {
	var t Tasks
	for _, task := range in.Tasks {
		made := Task{
			ID:          task.id(),
			Layer:       task.Layer,
			Title:       headingText(task.Title),
			Files:       []TaskFile{{Path: oneLine(task.File.Path), Action: task.File.Action}},
			Description: labelText(task.Description),
		}
		for _, part := range splitList(task.SpecRef) {
			if ref, err := ParseSpecRef(part); part != "" && err == nil {
				ref.Raw = ref.String()
				made.SpecRefs = append(made.SpecRefs, ref)
			}
		}
		for _, need := range task.Depends {
			made.Depends = append(made.Depends, strings.TrimSpace(need))
		}
		t.Tasks = append(t.Tasks, made)
	}
	slices.SortStableFunc(t.Tasks, func(a, b Task) int { return compareTaskIDs(a.ID, b.ID) })
	t.resolveDepends()
	return t
}

// sameTasks compares without versions, times and places in a source.
func sameTasks(a, b Tasks) bool {
	return a.ID == b.ID && a.ProposalRef == b.ProposalRef &&
		slices.EqualFunc(a.Tasks, b.Tasks, func(x, y Task) bool {
			x.Line, y.Line = 0, 0
			return reflect.DeepEqual(x, y)
		})
}
