package specs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ParseTasks reads tasks.md in any of its forms: check boxes with labelled lines, or headings with YAML fences.
// The error says that it cannot be read at all; what is merely odd or wrong in it comes as problems.
// Boxes that are ticked mean nothing: what is done, the history says.
func ParseTasks(file string, src []byte) (*Tasks, Problems, error) {
	o, err := readOutline(file, src, "tasks")
	if err != nil {
		return nil, nil, err
	}
	return o.tasks()
}

// tasks reads the tasks from the outline of its document.
func (o *outline) tasks() (*Tasks, Problems, error) {
	r := &tasksReader{outline: o}
	front, err := o.fields(&r.problems)
	if err != nil {
		return nil, nil, err
	}
	r.head(front)
	for i, b := range o.blocks {
		switch {
		case b.kind == headingBlock && b.level == 2:
			r.layer = layerOf(b.title)
		case b.kind == headingBlock && b.level == 3:
			if err := r.headed(i); err != nil {
				return nil, nil, err
			}
		case b.kind == listBlock:
			for _, it := range o.items(b) {
				r.item(it)
			}
		}
	}
	r.tasks.resolveDepends()
	return &r.tasks, r.problems, nil
}

type tasksReader struct {
	*outline
	tasks    Tasks
	problems Problems
	layer    string
}

// layers are the four layers of a change, in the order in which they are built.
func layers() []string { return []string{"data", "logic", "integration", "testing"} }

var (
	groupNumber = lazy(`^(?:\d+[.:)]?|[IVX]+[.:)])(?:\s+|$)`)
	taskID      = lazy(`^\d+\.\d+[a-z]?$`)
	boxedTask   = lazy(`(?s)^\[[ xX]\][ \t]+(?:\*\*)?(?:Task[ \t]+)?(\d+\.\d+[a-z]?)(?:\*\*)?[.:]?(?:\*\*)?[ \t]*(.*)$`)
	boxedText   = lazy(`(?s)^\[[ xX]\][ \t]+(.*)$`)
	headedTask  = lazy(`^(?:Task\s+)?(\d+\.\d+[a-z]?)\s*[.:–—-]?\s+(.*)$`)
)

// layerOf reads the heading of a group; what is not one of the four layers is kept as it is.
func layerOf(title string) string {
	title = headingText(groupNumber().ReplaceAllString(title, ""))
	word := strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(title), "layer")))
	switch word {
	case "data", "logic", "integration", "testing":
		return word
	case "test", "tests":
		return "testing"
	}
	return title
}

// layerTitle is how a layer is written as a heading.
func layerTitle(layer string) string {
	if slices.Contains(layers(), layer) {
		return strings.ToUpper(layer[:1]) + layer[1:] + " Layer"
	}
	return layer
}

func (r *tasksReader) problem(rule string, severity Severity, line int, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Rule: rule, Severity: severity, File: r.file, Line: line,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *tasksReader) head(front fields) {
	t := &r.tasks
	t.ID = front.text("id", "change_id")
	if dir := path.Base(path.Dir(r.file)); t.ID == "" && dir != "." && dir != "/" {
		t.ID = dir
	}
	t.Version = front.number("version")
	t.CreatedAt = front.time("created_at")
	t.UpdatedAt = front.time("updated_at")
	t.ProposalRef = front.text("proposal_ref")
}

// item reads a task of the first form, "- [ ] 1.1 Title" with labelled items below.
func (r *tasksReader) item(it item) {
	lead, nested := nestedItems(it)
	match := boxedTask().FindStringSubmatch(lead)
	if match == nil {
		if match := boxedText().FindStringSubmatch(lead); match != nil && nested != nil {
			r.problem("invalid-task-id", High, it.line, "write - [ ] 1.1 Title", "task %q has no id", excerptOf(match[1]))
		}
		return
	}
	title, prose, _ := strings.Cut(match[2], "\n")
	task := Task{ID: match[1], Layer: r.layer, Title: headingText(title), Description: cleanText(prose), Line: it.line}
	for _, below := range nested {
		r.field(&task, below)
	}
	r.tasks.Tasks = append(r.tasks.Tasks, task)
}

// field reads one labelled item below a task.
func (r *tasksReader) field(task *Task, below item) {
	name, value, ok := labelled(below.text)
	if !ok {
		task.Description = joinText(task.Description, below.text)
		return
	}
	switch name {
	case "file", "files":
		files := r.files(value, below.line)
		task.Files = append(task.Files, files...)
	case "spec", "specs", "spec ref":
		task.SpecRefs = append(task.SpecRefs, r.refs(value, below.line)...)
	case "do", "description":
		task.Description = joinText(task.Description, value)
	case "depends", "depends on":
		task.Depends = append(task.Depends, r.depends(value, below.line)...)
	default:
		label, _, _ := strings.Cut(below.text, ":")
		task.Notes = append(task.Notes, TaskNote{Label: plainLabel(label), Text: labelText(value)})
	}
}

// joinText puts a text below another.
func joinText(first, second string) string { return cleanText(first + "\n" + labelText(second)) }

// headed reads a task of the second form, a heading with a YAML fence below.
func (r *tasksReader) headed(i int) error {
	b := r.blocks[i]
	match := headedTask().FindStringSubmatch(b.title)
	if match == nil {
		return nil
	}
	task := Task{ID: match[1], Layer: r.layer, Title: headingText(match[2]), Line: r.line(b.start)}
	next, start := i+1, b.body
	if next < len(r.blocks) && r.blocks[next].kind == fenceBlock && strings.HasPrefix(r.blocks[next].info, "y") {
		line := r.line(r.blocks[next].start) + 1
		front, err := readFields(r.file, line, []byte(r.fence(next)), &r.problems)
		if err != nil {
			return err
		}
		if front.has("task") {
			front = front.sub("task")
		}
		r.fenced(&task, front)
		start = r.blocks[next].end
	}
	task.Description = cleanText(r.text(start, r.end(i)))
	r.tasks.Tasks = append(r.tasks.Tasks, task)
	return nil
}

// fenced takes the fields of a task from its fence. Ids are taken as they are written: 1.10 is not 1.1.
func (r *tasksReader) fenced(task *Task, front fields) {
	if id := front.text("id"); id != "" && id != task.ID {
		r.problem("id-mismatch", Medium, front.line("id"), "make the two agree; the fence counts",
			"the heading says %s, the fence says %q", task.ID, excerptOf(id))
		if taskID().MatchString(id) {
			task.ID = id
		}
	}
	action := r.action(front.text("action"), front.line("action"))
	for _, key := range []string{"file", "files"} {
		for _, name := range front.texts(key) {
			task.Files = append(task.Files, TaskFile{Path: oneLine(name), Action: action})
		}
	}
	for _, key := range []string{"spec_ref", "spec_refs"} {
		for _, ref := range front.texts(key) {
			task.SpecRefs = append(task.SpecRefs, r.refs(ref, front.line(key))...)
		}
	}
	for _, need := range front.texts("depends_on") {
		task.Depends = append(task.Depends, r.depends(need, front.line("depends_on"))...)
	}
}

// depends reads "1.1, data.2", or "none".
func (r *tasksReader) depends(value string, line int) []string {
	if isNone(value) || isNone(strings.Trim(value, "[]")) {
		return nil
	}
	if isPlaceholder(value) {
		r.problem("placeholder", High, line, "name the tasks, or write none", "depends is the placeholder %s", excerptOf(value))
		return nil
	}
	var ids []string
	for _, part := range splitList(strings.ReplaceAll(strings.Trim(value, "[]"), " and ", ", ")) {
		part, _, _ = strings.Cut(part, "(")
		part = strings.Trim(strings.TrimSpace(part), "`\"'.*")
		part = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(part, "Task "), "task "))
		if part != "" {
			ids = append(ids, oneLine(part))
		}
	}
	return ids
}

// resolveDepends turns data.1 into the id of that task; what means no task stays as it is.
func (t *Tasks) resolveDepends() {
	index := t.index()
	for i := range t.Tasks {
		for k, need := range t.Tasks[i].Depends {
			if id, known := index[strings.ToLower(need)]; known {
				t.Tasks[i].Depends[k] = id
			}
		}
	}
}

// index maps the names by which a task may be called, 1.1 and data.1, to its id. The first task of a name has it.
func (t *Tasks) index() map[string]string {
	index := make(map[string]string, 2*len(t.Tasks))
	for _, task := range slices.Backward(t.Tasks) {
		_, number, _ := strings.Cut(task.ID, ".")
		index[strings.ToLower(task.Layer)+"."+number] = task.ID
	}
	for _, task := range slices.Backward(t.Tasks) {
		index[strings.ToLower(task.ID)] = task.ID
	}
	return index
}

// compareTaskIDs orders ids as people count: 1.2 before 1.10, 1.2 before 1.2b.
func compareTaskIDs(a, b string) int {
	split := func(id string) (major, minor int, suffix string) {
		first, second, _ := strings.Cut(id, ".")
		major, _ = strconv.Atoi(first)
		digits := strings.TrimRight(second, "abcdefghijklmnopqrstuvwxyz")
		minor, _ = strconv.Atoi(digits)
		return major, minor, second[len(digits):]
	}
	aMajor, aMinor, aSuffix := split(a)
	bMajor, bMinor, bSuffix := split(b)
	return cmp.Or(cmp.Compare(aMajor, bMajor), cmp.Compare(aMinor, bMinor), cmp.Compare(aSuffix, bSuffix), cmp.Compare(a, b))
}
