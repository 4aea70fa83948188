package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
)

// JobEvent is what started the workflow run, as far as a job cares.
type JobEvent struct {
	Name        string // GITHUB_EVENT_NAME
	Action      string
	Actors      []github.Account // who brought it about, all of them
	PullRequest int              // 0 where the event has none
	Head        gitops.ID        // of a pull request's own events

	Comment   string // of issue_comment
	Commented time.Time
}

// Understood is the word that lets events in which others than writers can bring about.
const Understood = "i-know"

// trusted are the events that either run without the repository's secrets where a stranger brings them about,
// or need write access. All others, whatever GitHub adds to them, may run with the base's rights for anybody.
var trusted = []string{
	"pull_request", "merge_group", "push", "schedule", "workflow_dispatch", "workflow_call", "repository_dispatch", "",
}

// wants is what an event asks for.
type wants struct {
	number   int
	head     gitops.ID // zero where nobody pinned it
	before   time.Time // what is newer than this nobody asked for; zero where head is pinned
	byPerson bool      // somebody with write access asked for exactly this
}

// wanted reads the request. What nobody asked for is skipped before anything else is looked at.
func (j *jobbing) wanted() (wants, error) {
	event := j.req.Event
	w := wants{number: j.req.PullRequest, head: j.req.Head, byPerson: event.Name == "workflow_dispatch"}
	j.stepped = j.req.Mode
	if event.Name == "issue_comment" && j.req.Mode != JobList {
		if w = j.commanded(); j.result.Skipped != "" {
			return w, nil
		}
	}
	if !slices.Contains(trusted, event.Name) && j.req.AllowUntrusted != Understood {
		return w, &GateError{
			Gate:   "event",
			Reason: fmt.Sprintf("a job with rights of its own is not started by %s, which anybody can bring about", event.Name),
			Next:   fmt.Sprintf("use the event pull_request; where you know what you do, say allow-untrusted: %q", Understood),
		}
	}
	if w.number == 0 {
		w.number = event.PullRequest
	}
	if j.req.Mode == JobList {
		return w, nil
	}
	if w.head.IsZero() && w.number == event.PullRequest && j.req.Mode != JobSync {
		w.head = event.Head
	}
	if w.number == 0 {
		return w, &GateError{
			Gate: "event", Reason: fmt.Sprintf("the event %s brings no pull request", orNone(event.Name)),
			Next: "give the inputs pull-request and head-sha",
		}
	}
	if w.head.IsZero() && w.before.IsZero() && j.req.Mode != JobSync { // a review says itself which commit it is about
		return w, &GateError{
			Gate: "event", Reason: fmt.Sprintf("nobody says which commit of pull request #%d is meant", w.number),
			Next: "give the input head-sha beside pull-request",
		}
	}
	return w, nil
}

func orNone(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// commanded reads a comment. Only the first line of a new one is a command, and only if it says nothing else:
// what is quoted, edited later, or said in passing starts nothing.
func (j *jobbing) commanded() wants {
	event := j.req.Event
	first, _, _ := strings.Cut(event.Comment, "\n")
	words := strings.Fields(first)
	switch {
	case event.Action != "created":
		j.skip("only a new comment is a command, and this one was %s", event.Action)
		return wants{}
	case event.PullRequest == 0:
		j.skip("the comment is not on a pull request")
		return wants{}
	case strings.HasPrefix(first, " "), strings.HasPrefix(first, "\t"), !j.commands(words):
		j.skip("the comment's first line is no command for this job: %s", map[bool]string{
			true: "`/agentd sync`", false: "`/agentd challenge` or `/agentd review`, and the commit",
		}[j.req.Mode == JobSync])
		return wants{}
	}
	w := wants{number: event.PullRequest, before: event.Commented, byPerson: true}
	if len(words) == 3 {
		head, err := gitops.ParseID(words[2])
		if err != nil || head.IsZero() {
			j.skip("the commit in the comment is not written out in full")
			return w
		}
		w.head, w.before = head, time.Time{}
	}
	if j.req.Mode != JobPublish {
		j.stepped = JobMode(words[1])
	}
	return w
}

// commands says whether these words are a command, and for this job.
func (j *jobbing) commands(words []string) bool {
	if len(words) < 2 || words[0] != "/agentd" {
		return false
	}
	switch JobMode(words[1]) {
	case JobSync:
		return j.req.Mode == JobSync && len(words) == 2
	case JobChallenge, JobReview:
		return j.req.Mode != JobSync && len(words) <= 3
	}
	return false
}

// started refuses who may not start the job: apps that are not named, and where anybody can bring the event about,
// people without write access. GitHub is asked for that; what an event says of a person proves nothing.
func (j *jobbing) started(ctx context.Context) error {
	event := j.req.Event
	for _, bot := range j.req.Bots {
		if strings.Contains(bot, "*") {
			return &GateError{Gate: "actor", Reason: fmt.Sprintf("%q names no app: apps are named one by one", bot), Next: "write each login into the input bots"}
		}
	}
	asked := !slices.Contains(trusted, event.Name)
	if asked && len(event.Actors) == 0 {
		return &GateError{Gate: "actor", Reason: "the event does not say who brought it about", Next: "start it by workflow_dispatch"}
	}
	for _, actor := range event.Actors {
		if slices.ContainsFunc(j.req.Bots, func(bot string) bool { return strings.EqualFold(bot, actor.String()) }) {
			continue
		}
		if actor.Bot {
			return &GateError{Gate: "actor", Reason: fmt.Sprintf("%s is an app, and may not start this", actor), Next: "name it in the input bots, if it should"}
		}
		if !asked {
			continue
		}
		may, err := j.client.Permission(ctx, actor)
		if err != nil {
			return err
		}
		if may < github.Write && event.Name == "pull_request_review" && j.req.Mode == JobSync {
			j.skip("%s may not write to %s, so that a review of theirs records nothing", actor, j.target)
			return nil
		}
		if may < github.Write {
			return &GateError{
				Gate: "actor", Reason: fmt.Sprintf("%s may not start this: it takes write access to %s", actor, j.target),
				Next: "somebody with write access comments `/agentd review`, or starts the workflow by hand",
			}
		}
	}
	return nil
}
