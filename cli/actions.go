package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/workflow"
)

// inActions reports whether GitHub Actions runs us.
func (a *app) inActions() bool { return a.env.getenv("GITHUB_ACTIONS") == "true" }

// eventFile is what we read of the file that GITHUB_EVENT_PATH names. Titles, bodies and the like are left alone.
type eventFile struct {
	PullRequest *struct {
		Base, Head eventRef
	} `json:"pull_request"`
	MergeGroup *struct {
		BaseRef string `json:"base_ref"`
		BaseSHA string `json:"base_sha"`
		HeadSHA string `json:"head_sha"`
	} `json:"merge_group"`
	Repository struct {
		DefaultBranch string `json:"default_branch"`
	}
	Ref, Before, After string // of a push
	Deleted            bool
}

type eventRef struct{ Ref, SHA string }

// fromEvent adds to a request what the run's event says: the base branch, and, where nothing is named, what to judge.
// An event that brings nothing of its own, as a schedule, leaves every open change.
func (a *app) fromEvent(request *workflow.CheckRequest) error {
	const limit = 25 << 20 // GitHub's own limit for a payload
	path := a.env.getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return nil
	}
	f, err := a.open(path)
	if err != nil {
		return fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	defer f.Close()
	var file eventFile
	if err := json.NewDecoder(io.LimitReader(f, limit)).Decode(&file); err != nil {
		return fmt.Errorf("GITHUB_EVENT_PATH: %s is no event: %w", path, err)
	}
	request.Base = file.Repository.DefaultBranch
	if len(request.Names) == 0 {
		request.Event, err = file.read(a.env.getenv("GITHUB_EVENT_NAME"))
	}
	return err
}

// read takes the event apart by its name.
func (f eventFile) read(name string) (*workflow.CheckEvent, error) {
	e := workflow.CheckEvent{Default: f.Repository.DefaultBranch}
	base, head := "", ""
	switch {
	case strings.HasPrefix(name, "pull_request") && f.PullRequest != nil:
		e.Base, e.Head = f.PullRequest.Base.Ref, f.PullRequest.Head.Ref
		base, head = f.PullRequest.Base.SHA, f.PullRequest.Head.SHA
	case name == "merge_group" && f.MergeGroup != nil:
		e.Base = strings.TrimPrefix(f.MergeGroup.BaseRef, "refs/heads/")
		base, head = f.MergeGroup.BaseSHA, f.MergeGroup.HeadSHA
	case name == "push" && !f.Deleted:
		branch, ok := strings.CutPrefix(f.Ref, "refs/heads/")
		if !ok {
			return nil, nil
		}
		return f.push(branch)
	default:
		return nil, nil
	}
	var err error
	if e.BaseID, err = gitops.ParseID(base); err != nil {
		return nil, fmt.Errorf("the event's base: %w", err)
	}
	if e.HeadID, err = gitops.ParseID(head); err != nil {
		return nil, fmt.Errorf("the event's head: %w", err)
	}
	return &e, nil
}

// push judges what was pushed to the default branch commit by commit, and another branch as if it were proposed for that.
func (f eventFile) push(branch string) (*workflow.CheckEvent, error) {
	e := workflow.CheckEvent{Base: f.Repository.DefaultBranch, Default: f.Repository.DefaultBranch}
	var err error
	if e.HeadID, err = gitops.ParseID(f.After); err != nil {
		return nil, fmt.Errorf("the event's after: %w", err)
	}
	if branch != e.Base {
		e.Head = branch
		return &e, nil
	}
	if e.BaseID, err = gitops.ParseID(f.Before); err != nil {
		return nil, fmt.Errorf("the event's before: %w", err)
	}
	return &e, nil
}

// annotate shows violations at their files. They go to standard error: the runner reads both streams.
func (a *app) annotate(r workflow.CheckResult) {
	for _, v := range r.Violations {
		text := v.Message + "\n" + a.named(v.Hint)
		fmt.Fprintf(a.streams.err, "::error file=%s,title=%s::%s\n", property(placeToShow(v)), property("gh-agentd: "+v.Rule), data(harmless(text)))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(a.streams.err, "::warning title=%s::%s\n", property("gh-agentd"), data(harmless(note)))
	}
}

// placeToShow is the file of a violation, or else the one that a reader of the change opens first.
func placeToShow(v workflow.CheckViolation) string {
	switch {
	case v.Path != "":
		return v.Path
	case v.Change != "":
		return "agentd/changes/" + v.Change + "/STATE.yaml"
	}
	return "agentd/config.toml"
}

// data escapes the text of a workflow command, property one of its values, as the runner's toolkit does.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}

// harmless keeps a line that the runner prints from being a command of the old form, which counts anywhere in a line.
func harmless(line string) string { return strings.ReplaceAll(line, "##[", "# #[") }
