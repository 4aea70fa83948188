package templates

import (
	"embed"
	"slices"
	"strings"
	"text/template"
)

//go:embed workflows/*.yml
var workflowFiles embed.FS

// Workflow is the GitHub workflow that checks, analyses and publishes the change of a pull request.
type Workflow struct {
	// Pin is our action as a workflow names it, OWNER/gh-agentd@COMMIT, and may end in a comment.
	Pin        string
	Challenger Judge
	Reviewer   Judge
}

// Judge is an agent that gives verdicts, as a runner needs it.
type Judge struct {
	Name    string // as agentd/config.toml calls it
	Package string // what npm installs, with its version; "" for a program that people install themselves
	Secret  string // the variable with its key, which the repository's secret is called too; "" for none
	Builtin bool   // a part of gh-agentd: there is nothing to install
}

// Render writes .github/workflows/agentd.yml.
func (w Workflow) Render() string { return renderWorkflow("agentd.yml", w) }

// Packages are what npm installs, each once.
func (w Workflow) Packages() []string {
	return once(w.Challenger.Package, w.Reviewer.Package)
}

// Programs are the names of agents that people install themselves.
func (w Workflow) Programs() []string {
	var names []string
	for _, judge := range []Judge{w.Challenger, w.Reviewer} {
		if judge.Package == "" && !judge.Builtin {
			names = append(names, line(judge.Name))
		}
	}
	return once(names...)
}

// Secrets are the names of the keys.
func (w Workflow) Secrets() []string { return once(w.Challenger.Secret, w.Reviewer.Secret) }

// OpenChangesWorkflow is the workflow that runs the other one for each open change that waits for a verdict.
type OpenChangesWorkflow struct {
	Pin     string   // as in Workflow
	Secrets []string // names of the keys that the other one takes
}

// Render writes .github/workflows/agentd-open-changes.yml.
func (w OpenChangesWorkflow) Render() string { return renderWorkflow("agentd-open-changes.yml", w) }

// ReviewsWorkflow is the workflow that takes people's reviews into the history.
type ReviewsWorkflow struct {
	Pin string // as in Workflow
}

// Render writes .github/workflows/agentd-reviews.yml.
func (w ReviewsWorkflow) Render() string { return renderWorkflow("agentd-reviews.yml", w) }

// once leaves out what is empty and what stands there already.
func once(names ...string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// renderWorkflow leaves GitHub's own braces alone.
func renderWorkflow(name string, value any) string {
	page := template.Must(template.New("").Delims("[[", "]]").Funcs(template.FuncMap{"join": strings.Join}).
		ParseFS(workflowFiles, "workflows/"+name))
	var out strings.Builder
	if err := page.ExecuteTemplate(&out, name, value); err != nil {
		panic("templates: embedded workflow " + name + ": " + err.Error())
	}
	return out.String()
}
