package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// NeedsMaintainer is why the pull request of a fork is left alone until somebody asks for it.
const NeedsMaintainer = "needs a maintainer: run /agentd review"

// ControlsChanged is what a person must know before they believe a verdict.
const ControlsChanged = "agent configuration changed in this PR – a person must look"

// find asks for the pull request, and leaves alone what is none of ours.
func (j *jobbing) find(ctx context.Context, w wants) error {
	pull, err := j.client.Pull(ctx, w.number)
	if err != nil {
		return err
	}
	j.pull, j.result.PullRequest = pull, pull.Number
	if pull.Closed {
		j.skip("pull request #%d is closed", pull.Number)
		return nil
	}
	id, ok := phases.ChangeIDFromBranch(pull.Branch)
	if !ok && strings.HasPrefix(pull.Branch, "agentd/") {
		return &GateError{
			Gate: "branch", Reason: fmt.Sprintf("%q cannot be the branch of a change", pull.Branch),
			Next: "rename it with `git branch -m`: what begins with agentd/ is the branch of a change",
		}
	}
	if !ok {
		j.skip("pull request #%d is not that of a change", pull.Number)
		return nil
	}
	j.id, j.result.Change = id, id.String()
	if pull.Fork && j.req.Mode == JobSync {
		j.skip("the branch is in %s, which is a fork: `%s` there records what people say", pull.HeadRepo, command("sync", id))
		return nil
	}
	if pull.Fork {
		if !w.byPerson {
			j.skip(NeedsMaintainer)
			return nil
		}
		if w.head.IsZero() {
			return &GateError{
				Gate: "event", Reason: "a fork's branch can move while one looks at it, so its commit must be named",
				Next: fmt.Sprintf("`/agentd %s %s`, if that is the commit that you have read", j.stepped, pull.Head),
			}
		}
	}
	j.pinned = w.head
	j.head, err = gitops.ParseID(pull.Head)
	return err
}

// unmoved refuses a head that is another one than the job was started for.
// The job that publishes may find there what it published before.
func (j *jobbing) unmoved() error {
	if j.pinned.IsZero() || j.pinned == j.head || j.req.Mode == JobPublish {
		return nil
	}
	return &github.MovedError{Number: j.pull.Number, Want: string(j.pinned), Have: string(j.head)}
}

// notNewer refuses a head that was committed after somebody asked for a look at it without saying at which.
// The job that publishes is told the commit by what it was handed.
func (j *jobbing) notNewer(ctx context.Context, w wants) (err error) {
	if !j.pinned.IsZero() || j.req.Mode == JobPublish || j.req.Mode == JobSync {
		return nil
	}
	objects, err := j.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	commit, err := objects.Commit(j.head)
	if err != nil {
		return err
	}
	if commit.Committer.When.After(w.before) {
		return &GateError{
			Gate: "head", Reason: fmt.Sprintf("the head of pull request #%d, %s, is newer than the comment", j.pull.Number, j.head.Short()),
			Next: fmt.Sprintf("read it, then comment `/agentd %s %s`", j.stepped, j.head),
		}
	}
	j.pinned = j.head
	return nil
}

// holder is the branch whose configuration holds: the base, unless that is another change's,
// which whoever proposes this one may have written.
func (j *jobbing) holder() string {
	if _, stacked := phases.ChangeIDFromBranch(j.pull.Base); stacked {
		return j.hosted.Default
	}
	return j.pull.Base
}

// fetch brings the base and the head, and makes sure of what the head is.
func (j *jobbing) fetch(ctx context.Context) error {
	tracking := func(branch string) string {
		return "+refs/heads/" + branch + ":refs/remotes/" + j.remote + "/" + branch
	}
	head := fmt.Sprintf("refs/remotes/%s/pull/%d/head", j.remote, j.pull.Number)
	specs := []string{tracking(j.holder()), fmt.Sprintf("+refs/pull/%d/head:%s", j.pull.Number, head)}
	if j.pull.Base != j.holder() {
		specs = append(specs, tracking(j.pull.Base))
	}
	if err := j.Repo.Fetch(ctx, j.remote, specs...); err != nil {
		return err
	}
	fetched, err := j.Repo.Resolve(ctx, head)
	if err == nil && fetched != j.head {
		err = &github.MovedError{Number: j.pull.Number, Want: string(j.head), Have: string(fetched)}
	}
	return err
}

// configure reads configuration and policy of the base, and says whether the pull request changes what agents obey.
func (j *jobbing) configure(ctx context.Context) (err error) {
	if j.trusted, err = j.Repo.Resolve(ctx, "refs/remotes/"+j.remote+"/"+j.holder()); err != nil {
		return err
	}
	objects, err := j.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	_, _, src, err := objects.Lookup(string(j.trusted) + ":" + config.FileName)
	if err != nil && !errors.Is(err, gitops.ErrNotFound) {
		return err
	}
	if j.Config, _, err = config.Load(config.FileName, src); err != nil {
		return fmt.Errorf("read the configuration of %s: %w", j.holder(), err)
	}
	j.Agent = j.agents(j.Config)
	return nil
}

// legal judges the head as the required check does.
func (j *jobbing) legal(ctx context.Context) error {
	check := Check{Store: j.Store}
	found, err := check.Run(ctx, CheckRequest{
		Fetched: true, Deepen: true,
		Event: &CheckEvent{Base: j.pull.Base, Head: j.pull.Branch, HeadID: j.head, Default: j.hosted.Default},
	})
	if err != nil {
		return fmt.Errorf("the history cannot be judged: %w", err)
	}
	if len(found.Violations) > 0 {
		j.result.Violations = &found
	}
	return found.Err()
}

// open proves the change as it stands at a commit.
func (j *jobbing) open(ctx context.Context, at gitops.ID) (*changes.Change, error) {
	c, err := j.Store.OpenAt(ctx, j.id, at)
	if err != nil {
		return c, err
	}
	j.result.Phase = c.State.Effective
	return c, c.Forward()
}

// watch warns where what the change brings would tell agents what to do.
func (j *jobbing) watch(ctx context.Context, c *changes.Change) error {
	fork, err := c.Fork(ctx)
	if err != nil {
		return err
	}
	touched, err := j.controlsChanged(ctx, fork, c.Tip)
	if err == nil && len(touched) > 0 {
		j.warn(ControlsChanged)
		for _, f := range touched {
			j.Say.Note("changed: " + f.Path)
		}
	}
	return err
}

// due is the step that the history waits for: challenge or review, or "" and why it waits for neither.
func (b *Bench) due(ctx context.Context, c *changes.Change) (step JobMode, why string, err error) {
	switch need := c.State.Need(); need {
	case phases.NeedChallenge:
		docs, err := c.Docs(ctx)
		if err != nil {
			return "", "", err
		}
		if next, missing := specs.NextArtefact(docs); missing {
			return "", fmt.Sprintf("the plan of %s is not whole yet: %s is missing", c.ID, next.Path), nil
		}
		return JobChallenge, "", nil
	case phases.NeedReview:
		open, err := b.openTasks(ctx, c)
		if err != nil {
			return "", "", err
		}
		if len(open) > 0 {
			return "", fmt.Sprintf("%s is implementing, and %s open", c.ID, areOpen(len(open))), nil
		}
		return JobReview, "", nil
	default:
		return "", fmt.Sprintf("%s is %s, and %s", c.ID, c.State.Effective, waiting(need)), nil
	}
}

func areOpen(n int) string {
	if n == 1 {
		return "1 task is"
	}
	return fmt.Sprintf("%d tasks are", n)
}

// waiting is what a change waits for where it waits for no verdict.
func waiting(need phases.Need) string {
	switch need {
	case phases.NeedArtefacts:
		return "its plan is not written yet"
	case phases.NeedReproposal:
		return "the last challenge asks for another plan"
	case phases.NeedImplement:
		return "its plan is approved: it waits to be implemented"
	case phases.NeedResolve:
		return "the last review asks for other code"
	case phases.NeedDecision:
		return "a person must decide"
	case phases.NeedReverify:
		return "its approved diff stands on another base: `gh agentd impl` runs the checks again"
	}
	return "nothing is left to judge"
}
