package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/workflow"
)

// eventFile is what we read of the file that GITHUB_EVENT_PATH names. Titles, bodies and the like are left alone.
type eventFile struct {
	Action      string
	PullRequest *struct {
		Number     int
		Base, Head eventRef
	} `json:"pull_request"`
	MergeGroup *struct {
		BaseRef string `json:"base_ref"`
		BaseSHA string `json:"base_sha"`
		HeadSHA string `json:"head_sha"`
	} `json:"merge_group"`
	Issue struct {
		Number      int
		PullRequest *struct{} `json:"pull_request"` // there where the issue is one
	}
	Comment struct {
		Body    string
		Created time.Time `json:"created_at"`
	}
	WorkflowRun *struct {
		Actor           eventAccount
		TriggeringActor eventAccount `json:"triggering_actor"`
	} `json:"workflow_run"`
	Sender     eventAccount
	Repository struct {
		DefaultBranch string `json:"default_branch"`
	}
	Ref, Before, After string // of a push
	Deleted            bool
}

type eventRef struct{ Ref, SHA string }

type eventAccount struct{ Login, Type string }

// event reads the run's event; ok is false where there is none.
func (a *app) event() (file eventFile, ok bool, err error) {
	const limit = 25 << 20 // GitHub's own limit for a payload
	path := a.env.getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return file, false, nil
	}
	f, err := a.open(path)
	if err != nil {
		return file, false, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, limit)).Decode(&file); err != nil {
		return file, false, fmt.Errorf("GITHUB_EVENT_PATH: %s is no event: %w", path, err)
	}
	return file, true, nil
}

// fromEvent adds to a request what the run's event says: the base branch, and, where nothing is named, what to judge.
// An event that brings nothing of its own, as a schedule, leaves every open change.
func (a *app) fromEvent(request *workflow.CheckRequest) error {
	file, ok, err := a.event()
	if err != nil || !ok {
		return err
	}
	request.Base = file.Repository.DefaultBranch
	if len(request.Names) == 0 {
		request.Event, err = file.toCheck(a.env.getenv("GITHUB_EVENT_NAME"))
	}
	return err
}

// toCheck takes the event apart by its name.
func (f eventFile) toCheck(name string) (*workflow.CheckEvent, error) {
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

// toJob is what a job wants to know of the event.
func (f eventFile) toJob(name, actor string) (workflow.JobEvent, error) {
	e := workflow.JobEvent{Name: name, Action: f.Action}
	accounts := []eventAccount{f.Sender}
	if f.Sender.Login == "" {
		accounts = []eventAccount{{Login: actor}}
	}
	if f.WorkflowRun != nil { // whoever started the run that this one follows
		accounts = append(accounts, f.WorkflowRun.Actor, f.WorkflowRun.TriggeringActor)
	}
	for _, account := range accounts {
		if account.Login != "" {
			e.Actors = append(e.Actors, github.ParseAccount(account.Login, account.Type))
		}
	}
	switch {
	case name == "issue_comment":
		e.Comment, e.Commented = f.Comment.Body, f.Comment.Created
		if f.Issue.PullRequest != nil {
			e.PullRequest = f.Issue.Number
		}
	case strings.HasPrefix(name, "pull_request") && f.PullRequest != nil:
		head, err := gitops.ParseID(f.PullRequest.Head.SHA)
		if err != nil {
			return e, fmt.Errorf("the event's head: %w", err)
		}
		e.PullRequest, e.Head = f.PullRequest.Number, head
	}
	return e, nil
}
