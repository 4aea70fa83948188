package workflow

import (
	"context"
	"fmt"
	"regexp"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/templates"
)

// The workflows of GitHub Actions that init writes. That of the open changes calls the first by its path.
const (
	workflowFile    = ".github/workflows/agentd.yml"
	reviewsFile     = ".github/workflows/agentd-reviews.yml"
	openChangesFile = ".github/workflows/agentd-open-changes.yml"
)

func workflowFiles() []string { return []string{workflowFile, reviewsFile, openChangesFile} }

// ActionPin is the action that a workflow runs, at a commit: a tag could be moved under those who trust it.
type ActionPin struct {
	Repo    string // OWNER/NAME
	Commit  string // 40 hexadecimal digits
	Version string // what the commit is called, for the reader; "" for nothing
}

var actionPin = regexp.MustCompile(`^([0-9A-Za-z][0-9A-Za-z-]*/[0-9A-Za-z._-]+)@([0-9a-f]{40})$`)

// ParseActionPin reads OWNER/NAME@COMMIT.
func ParseActionPin(text string) (ActionPin, error) {
	parts := actionPin.FindStringSubmatch(text)
	if parts == nil {
		return ActionPin{}, fmt.Errorf("%q names no commit of an action, want OWNER/NAME@ and 40 hexadecimal digits", text)
	}
	return ActionPin{Repo: parts[1], Commit: parts[2]}, nil
}

// String is the pin as a workflow says it, with the version as a comment.
func (p ActionPin) String() string {
	if p.Version == "" {
		return p.Repo + "@" + p.Commit
	}
	return p.Repo + "@" + p.Commit + " # " + p.Version
}

// workflows are the files, and the names of the secrets that they use: who challenges and who reviews stands in the configuration.
func (i *Init) workflows(ctx context.Context, pin ActionPin) ([]initFile, []string, error) {
	cfg, _, err := LoadConfig(ctx, i.Bench.Repo)
	if err != nil {
		return nil, nil, err
	}
	flow := templates.Workflow{Pin: pin.String(), Challenger: judge(cfg, config.Challenger), Reviewer: judge(cfg, config.Reviewer)}
	every := templates.OpenChangesWorkflow{Pin: flow.Pin, Secrets: flow.Secrets()}
	return []initFile{
		{path: workflowFile, content: []byte(flow.Render()), flag: "--github"},
		{path: reviewsFile, content: []byte(templates.ReviewsWorkflow{Pin: flow.Pin}.Render()), flag: "--github"},
		{path: openChangesFile, content: []byte(every.Render()), flag: "--github"},
	}, flow.Secrets(), nil
}

// judge is what a runner needs for who plays a role.
// A command that only prints what one of the CLIs prints is somebody's own.
func judge(cfg config.Config, role config.Role) templates.Judge {
	name := cfg.RoleAgent(role)
	j := templates.Judge{Name: name, Builtin: name == "replay" || cfg.Agents[name].Cassette != ""}
	if machine, ok := agents.MachineOf(name); ok && !j.Builtin && cfg.Agents[name].IsVendor(name) {
		j.Package, j.Secret = machine.Package, machine.Key
	}
	return j
}
