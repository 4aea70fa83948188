package templates

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed documents/project.md
var projectMD string

// ProjectMD is the skeleton of agentd/project.md, the page that every agent reads before it works.
// A person fills it in; the name is the project's.
func ProjectMD(name string) string {
	var out strings.Builder
	page := template.Must(template.New("project.md").Parse(projectMD))
	if err := page.Execute(&out, line(name)); err != nil {
		panic("templates: embedded document project.md: " + err.Error())
	}
	return out.String()
}
