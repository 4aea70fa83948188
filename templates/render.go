package templates

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// render writes the prompt in prompts/<name>.md with a typed value.
//
// It goes over the template twice:
// once to collect the texts of others, from which the mark of the data blocks is derived, and once to write.
// An embedded template that does not parse or execute is a programmer's error that the goldens find.
func render(name string, tools Tools, value any) string {
	var texts []string
	execute(name, tools, value, func(_, text string) string {
		texts = append(texts, text)
		return text
	}, "")

	var marks fence
	if len(texts) > 0 {
		marks = newFence(texts)
	}
	return execute(name, tools, value, marks.block, marks.mark)
}

// execute renders with a given way of writing data blocks.
func execute(name string, tools Tools, value any, block func(label, text string) string, mark string) string {
	data := func(label, text string) string {
		if text = clean(text); strings.TrimSpace(text) == "" {
			return ""
		}
		return block(label, text)
	}
	list := func(label string, items []string) string {
		lines := make([]string, 0, len(items))
		for _, item := range items {
			if item = clean(item); strings.TrimSpace(item) != "" {
				lines = append(lines, "- "+strings.ReplaceAll(strings.ReplaceAll(item, "\n", "\n  "), "\n  \n", "\n\n"))
			}
		}
		return data(label, strings.Join(lines, "\n"))
	}
	funcs := template.FuncMap{
		"mark":     func() string { return mark },
		"marked":   func() bool { return mark != "" },
		"data":     data,
		"list":     list,
		"known":    func(label string, known []Known) string { return list(label, knownLines(known)) },
		"controls": func(label string, files []ControlFile) string { return list(label, controlLines(files)) },
		"tasks":    func(tasks []TaskBrief) string { return data("tasks", taskLines(tasks)) },
		"names":    names,
		"tool":     tools.named,
		"has":      tools.has,
		"mcp":      tools.mcp,
		"command":  tools.command,
	}
	parsed := template.Must(template.New("").Funcs(funcs).Option("missingkey=error").
		ParseFS(promptFiles, "prompts/common.md", "prompts/shapes.md", "prompts/"+name+".md"))

	var out strings.Builder
	if err := parsed.ExecuteTemplate(&out, name+".md", value); err != nil {
		panic(fmt.Sprintf("templates: embedded prompt %q: %v", name, err))
	}
	// What a condition left out leaves empty lines behind; data blocks are folded already.
	return strings.TrimSpace(fold(out.String())) + "\n"
}

// names writes file names that passed one of our parsers, in order.
func names(items []string) string {
	quoted := make([]string, 0, len(items))
	for _, item := range items {
		quoted = append(quoted, "`"+strings.ReplaceAll(line(item), "`", "'")+"`")
	}
	return strings.Join(quoted, ", ")
}

func controlLines(files []ControlFile) []string {
	lines := make([]string, 0, len(files))
	for _, f := range files {
		lines = append(lines, line(f.Path)+"\n"+f.Text)
	}
	return lines
}

func knownLines(known []Known) []string {
	lines := make([]string, 0, len(known))
	for _, k := range known {
		lines = append(lines, fmt.Sprintf("%s %s: %s", line(k.ID), line(k.Severity), k.Text))
	}
	return lines
}
