package templates

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed github/*.md
var githubFiles embed.FS

// PullBody is our part of a pull request's body. Words of a model come into it sanitized.
type PullBody struct {
	Change, Branch string
	Phase          string
	Summary        string // of the proposal, Markdown; "" for none
	Next           string // the command that comes next, "" for none
	Verdicts       []JudgedRow
	Collides       []string // with which other open changes and where, a sentence each, sanitized

	Calls   int    // of agents
	In, Out *int64 // tokens; nil where no call told
	USD     string // "" where no price is known
	Unknown int    // calls without numbers
}

// JudgedRow is one verdict, or one decision of a person.
type JudgedRow struct {
	Kind, Verdict string
	Round         int // 0 for a decision
	Findings      string
	By            string // sanitized
	Commit, URL   string
}

// Render is the text, the same bytes for the same value.
func (b PullBody) Render() string { return renderGitHub("pull.md", b) }

// ReviewHead is how a review on GitHub begins.
type ReviewHead struct {
	Title       string // "Challenge"
	Round       int    // 0 for a decision
	Verdict     string
	Findings    string // "1 high, 0 medium, 2 low", "" for none
	By          string // sanitized
	Subject     string // the tree, "" for none
	Commit, URL string
}

// Render is the text, the same bytes for the same value.
func (h ReviewHead) Render() string { return renderGitHub("review.md", h) }

func renderGitHub(name string, value any) string {
	funcs := template.FuncMap{
		"cell":  func(text string) string { return strings.ReplaceAll(line(text), "|", `\|`) },
		"short": func(commit string) string { return commit[:min(len(commit), 7)] },
	}
	page := template.Must(template.New("").Funcs(funcs).ParseFS(githubFiles, "github/"+name))
	var out strings.Builder
	if err := page.ExecuteTemplate(&out, name, value); err != nil {
		panic("templates: embedded text github/" + name + ": " + err.Error())
	}
	return strings.TrimSpace(out.String()) + "\n"
}
