package templates

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed documents/changelog.md
var changelogMD string

// ChangelogEntry is what an archived change tells the readers of a changelog. It is for readers: nothing is decided by it.
type ChangelogEntry struct {
	Change  string
	Date    string // 2026-01-19
	Summary string // of the proposal; "" for none
	Edits   []string
	Plan    string // "in round 2 by codex/gpt-5.2-codex"
	Code    string
	Cost    string // "24 agent calls, $0.4740", "" where no agent was called
}

// Render is the entry, the same bytes for the same value.
func (e ChangelogEntry) Render() string {
	page := template.Must(template.New("changelog.md").Funcs(template.FuncMap{"line": line}).Parse(changelogMD))
	var out strings.Builder
	if err := page.Execute(&out, e); err != nil {
		panic("templates: embedded document changelog.md: " + err.Error())
	}
	return strings.TrimSpace(out.String()) + "\n"
}
