package specs

import (
	"strings"
)

var (
	pathSpan   = lazy("`([^`]*)`")
	actionNote = lazy(`\(([^()]*)\)`)
)

// files reads the File line of a task: one or several paths, each or all together with an action in brackets.
func (r *tasksReader) files(value string, line int) []TaskFile {
	if isNone(value) {
		return nil
	}
	if isPlaceholder(value) {
		r.problem("placeholder", High, line, "name the file", "file is the placeholder %s", excerptOf(value))
		return nil
	}
	if strings.Contains(value, "`") {
		return r.quotedFiles(value, line)
	}
	var files []TaskFile
	var waiting int // files whose action has not come yet
	for _, part := range splitList(strings.NewReplacer("\n- ", ", ", "\n", " ").Replace(value)) {
		name, note := part, ""
		if at := actionNote().FindStringSubmatchIndex(part); at != nil {
			name, note = part[:at[0]], part[at[2]:at[3]]
		}
		name = strings.TrimPrefix(strings.TrimSpace(name), "- ")
		if name = oneLine(strings.Trim(name, "\"'")); name == "" {
			continue
		}
		files = append(files, TaskFile{Path: name})
		waiting++
		if note != "" {
			r.act(files[len(files)-waiting:], note, line)
			waiting = 0
		}
	}
	return files
}

// quotedFiles reads paths in code marks; what stands around them but the action is prose.
func (r *tasksReader) quotedFiles(value string, line int) []TaskFile {
	var files []TaskFile
	done, waiting := 0, 0
	take := func(between string) {
		if note := actionNote().FindStringSubmatch(between); note != nil && waiting > 0 {
			r.act(files[len(files)-waiting:], note[1], line)
			waiting = 0
		}
	}
	for _, at := range pathSpan().FindAllStringSubmatchIndex(value, -1) {
		take(value[done:at[0]])
		done = at[1]
		if name := oneLine(value[at[2]:at[3]]); name != "" {
			files = append(files, TaskFile{Path: name})
			waiting++
		}
	}
	take(value[done:])
	return files
}

// act gives files the action of one note.
func (r *tasksReader) act(files []TaskFile, note string, line int) {
	action := r.action(note, line)
	for i := range files {
		files[i].Action = action
	}
}

// action reads CREATE, MODIFY, DELETE or RENAME, with what older documents add or write instead.
func (r *tasksReader) action(note string, line int) string {
	if strings.Contains(note, "|") {
		r.problem("placeholder", High, line, "choose one", "action is the placeholder (%s)", excerptOf(note))
		return ""
	}
	words := strings.FieldsFunc(strings.ToUpper(note), func(r rune) bool { return r < 'A' || r > 'Z' })
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "CREATE", "NEW", "ADD":
		return "CREATE"
	case "MODIFY", "UPDATE", "EDIT", "CHANGE":
		return "MODIFY"
	case "DELETE", "REMOVE":
		return "DELETE"
	case "RENAME", "MOVE":
		return "RENAME"
	}
	r.problem("unknown-action", Low, line, "write CREATE, MODIFY, DELETE or RENAME", "action is %q", excerptOf(note))
	return ""
}
