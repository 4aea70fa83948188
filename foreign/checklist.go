package foreign

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentd/gh-agentd/specs"
)

var (
	boxLine    = lazy(`^[-*+][ \t]+\[([ xX])\][ \t]+(.*)$`)
	groupLine  = lazy(`^##[ \t]+(?:\d+[.:)]?[ \t]+)?(.*?)[ \t#]*$`)
	titleLine  = lazy(`^(#{1,6})[ \t]`)
	fenceLine  = lazy("^ {0,5}(`{3,}|~{3,})")
	ownID      = lazy(`^\**(\d+\.\d+[a-z]?)\**[.:)]?[ \t]+(.*)$`)
	featureID  = lazy(`^\**(T\d{3,})\**[.:]?[ \t]+(.*)$`)
	storyMark  = lazy(`\[(P|US\d+)\][ \t]*`)
	dependsOn  = lazy(`\(depends on ((?:T\d{3,}(?:,| and|, and)?[ ]*)+)\)`)
	taskNumber = lazy(`T\d{3,}`)
	filePath   = lazy("(?:^|[\\s`(])((?:[A-Za-z0-9_.@-]+/)+[A-Za-z0-9_.@-]*\\.[A-Za-z0-9]+)")
)

// box is one line with a check box, and the text that belongs to it.
type box struct {
	group  int
	title  string
	ticked bool
	text   []string // the lines below it
}

// boxes reads a list of check boxes as OpenSpec and spec-kit write it: groups under headings of level two,
// one task a box. What is indented below a box is part of it; other text is none of a task's.
func boxes(src []byte) (groups []string, all []box) {
	fence := ""
	groups = []string{""}
	open := false // whether indented text belongs to the last box
	for line := range strings.Lines(string(specs.Plain(src, ""))) {
		line = strings.TrimRight(line, " \t\n")
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch fenced := fenceLine().FindStringSubmatch(line); {
		case fence != "":
			if strings.HasPrefix(strings.TrimLeft(line, " "), fence) {
				fence = ""
			}
		case fenced != nil:
			fence, open = fenced[1], open && indented
		case titleLine().MatchString(line):
			open = false
			if group := groupLine().FindStringSubmatch(line); group != nil {
				groups = append(groups, group[1])
			}
		case line == "":
		case !indented:
			if match := boxLine().FindStringSubmatch(line); match != nil {
				all, open = append(all, box{group: len(groups) - 1, title: match[2], ticked: match[1] != " "}), true
				continue
			}
			open = false
		}
		if open && (indented || line == "") {
			last := &all[len(all)-1]
			last.text = append(last.text, strings.TrimPrefix(strings.TrimPrefix(line, "  "), "\t"))
		}
	}
	return groups, all
}

// ticks counts the boxes of a list, and those that are ticked.
func ticks(src []byte) (all, done int) {
	_, list := boxes(src)
	for _, b := range list {
		if b.ticked {
			done++
		}
	}
	return len(list), done
}

// checklist makes tasks of a list of check boxes. What was ticked is open here: a tick shows nobody's work.
func (d *draft) checklist(file string) {
	groups, list := boxes(d.src[file])
	if len(list) == 0 {
		d.note("%s has no tasks: left out", file)
		return
	}
	n := numbering{taken: map[string]bool{}, names: map[string]string{}, groups: map[int]int{}}
	tasks := specs.Tasks{ID: d.ID, Version: 1, ProposalRef: specs.ProposalPath}
	done := 0
	for _, b := range list {
		if b.ticked {
			done++
		}
		tasks.Tasks = append(tasks.Tasks, n.task(b, groups[b.group]))
	}
	for i := range tasks.Tasks {
		n.depends(&tasks.Tasks[i])
	}
	d.put(specs.TasksPath, tasks.Markdown(), file)
	if done > 0 {
		d.Claimed = fmt.Sprintf("%d of %d tasks done", done, len(list))
		d.contradicts("%d of %d tasks are ticked in %s, and no record shows who did or reviewed them: they are open here", done, len(list), file)
	}
}

// numbering gives every task an id: its own where it has one of the form 1.2, else the next of its group.
type numbering struct {
	taken  map[string]bool
	names  map[string]string // T012 → 3.2
	groups map[int]int       // the group's place among those that have tasks
}

func (n *numbering) task(b box, group string) specs.Task {
	if _, seen := n.groups[b.group]; !seen {
		n.groups[b.group] = len(n.groups) + 1
	}
	task := specs.Task{Layer: group, Description: strings.TrimSpace(strings.Join(b.text, "\n"))}
	if task.Layer == "" {
		task.Layer = "Tasks"
	}
	title := b.title
	if match := ownID().FindStringSubmatch(title); match != nil {
		title = match[2]
		if !n.taken[match[1]] {
			task.ID = match[1]
		}
	}
	called := ""
	if match := featureID().FindStringSubmatch(title); match != nil {
		called, title = match[1], match[2]
	}
	for i := 1; task.ID == ""; i++ {
		if id := strconv.Itoa(n.groups[b.group]) + "." + strconv.Itoa(i); !n.taken[id] {
			task.ID = id
		}
	}
	n.taken[task.ID] = true
	if called != "" {
		n.names[called] = task.ID
		task.Notes = append(task.Notes, specs.TaskNote{Label: "Was", Text: called})
	}
	for _, mark := range storyMark().FindAllStringSubmatch(title, -1) {
		label := "Story"
		if mark[1] == "P" {
			label, mark[1] = "Parallel", "yes"
		}
		task.Notes = append(task.Notes, specs.TaskNote{Label: label, Text: mark[1]})
	}
	task.Title = strings.TrimSpace(storyMark().ReplaceAllString(title, ""))
	if called == "" {
		return task // a path in the words of others may be one to read
	}
	for _, match := range filePath().FindAllStringSubmatch(task.Title, -1) { // spec-kit names the files that a task is about
		if !strings.HasPrefix(match[1], "agentd/") {
			task.Files = append(task.Files, specs.TaskFile{Path: match[1]})
		}
	}
	return task
}

// depends takes over which tasks must be done before.
func (n *numbering) depends(task *specs.Task) {
	for _, match := range dependsOn().FindAllStringSubmatch(task.Title, -1) {
		for _, name := range taskNumber().FindAllString(match[1], -1) {
			if id, known := n.names[name]; known && id != task.ID {
				task.Depends = append(task.Depends, id)
			}
		}
	}
}

// scrub takes comments out that templates leave in a document.
func scrub(src []byte) []byte { return comment().ReplaceAll(src, nil) }

var comment = lazy(`(?s)<!--.*?-->`)
