package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Who commits in a workflow that nobody gave a name: the account that its token posts as.
const (
	actionsName  = actionsAccount
	actionsEmail = "41898282+github-actions[bot]@users.noreply.github.com"
)

// publish records the verdict of the other job, if there is one and it is not recorded yet, and shows what the history has.
func (j *jobbing) publish(ctx context.Context) error {
	j.named(ctx)
	if j.req.Result == "" && j.head != j.pinned && !j.pinned.IsZero() {
		return &github.MovedError{Number: j.pull.Number, Want: string(j.pinned), Have: string(j.head)}
	}
	if err := j.legal(ctx); err != nil {
		return err
	}
	if j.req.Result != "" {
		v, verdict, err := j.received()
		if err != nil {
			return err
		}
		if done, err := j.recorded(ctx, v, verdict); err != nil {
			return err
		} else if !done {
			if err := j.record(ctx, v, verdict); err != nil {
				return err
			}
		}
		if j.pull.Fork {
			j.unposted(fmt.Sprintf("nothing is pushed to %s, which is a fork", j.pull.HeadRepo))
			return nil
		}
	}
	if j.pull.Fork {
		j.skip(NeedsMaintainer)
		return nil
	}
	return j.post(ctx)
}

// named commits as the account of the token where nobody gave the workflow a name.
func (j *jobbing) named(ctx context.Context) {
	if _, _, err := j.Repo.Identity(ctx); err != nil {
		j.use(j.Repo.As(actionsName, actionsEmail))
	}
}

// received reads the verdict of the other job, and refuses one that may give a secret away.
func (j *jobbing) received() (jobVerdict, judged, error) {
	v, verdict, err := readJobVerdict(j.req.Result)
	if err != nil {
		return v, verdict, err
	}
	if v.Change != j.id.String() {
		return v, verdict, refuseResult("it is about change %s", v.Change)
	}
	if v.PullRequest != j.pull.Number || !j.pinned.IsZero() && v.Head != string(j.pinned) {
		return v, verdict, refuseResult("it is about commit %s of pull request #%d", v.Head, v.PullRequest)
	}
	verdict.calls = []specs.LLMCall{specs.CallOf(v.Step, v.Agent, verdict.usage, j.Now())}
	return v, verdict, j.keepsSecrets(verdict)
}

// recorded looks whether an earlier run of this job has recorded exactly this verdict.
// A head that moved for another reason is refused: what is there now nobody has judged.
func (j *jobbing) recorded(ctx context.Context, v jobVerdict, verdict judged) (bool, error) {
	if string(j.head) == v.Head {
		return false, nil
	}
	moved := &github.MovedError{Number: j.pull.Number, Want: v.Head, Have: string(j.head)}
	before, err := j.Store.OpenAt(ctx, j.id, gitops.ID(v.Head))
	if err != nil {
		return false, errors.Join(moved, err)
	}
	if err := v.fits(before); err != nil {
		return false, errors.Join(moved, err)
	}
	now, err := j.open(ctx, j.head)
	if err != nil {
		return false, err
	}
	if err := j.show(ctx, before, verdict); err != nil {
		return false, err
	}
	same, err := j.holds(ctx, now, before, v, verdict)
	if err == nil && !same {
		err = moved
	}
	return same, err
}

// holds says whether a change's history has the verdict, recorded right after the commit that it is about.
func (j *jobbing) holds(ctx context.Context, now, before *changes.Change, v jobVerdict, verdict judged) (has bool, err error) {
	file, report, err := verdict.report(ctx, before)
	if err != nil {
		return false, err
	}
	objects, err := j.Repo.Objects(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	for _, t := range now.State.Transitions {
		if string(t.Step) != v.Step || t.Round != v.Round || t.Transition.Subject != v.Subject || t.Agent != v.Agent {
			continue
		}
		commit, err := objects.Commit(gitops.ID(t.Commit))
		if err != nil {
			return false, err
		}
		_, _, there, err := objects.Lookup(t.Commit + ":" + now.ID.Dir() + "/" + file)
		if err != nil && !errors.Is(err, gitops.ErrNotFound) {
			return false, err
		}
		if slices.Equal(commit.Parents, []gitops.ID{before.Tip}) && string(there) == string(report) {
			return true, nil
		}
	}
	return false, nil
}

// record judges everything again that the step itself would have, and commits the verdict.
// With it the history must be legal by the base's policy, which may want verdicts that nobody signs here.
func (j *jobbing) record(ctx context.Context, v jobVerdict, verdict judged) error {
	err := j.exclusively(ctx, j.id, "job publish", func(b *Bench) error {
		run := *j
		run.Bench = b
		next, err := run.commit(ctx, v, verdict)
		if err == nil {
			j.head = next
		}
		return err
	})
	if err != nil {
		return err
	}
	return j.legal(ctx)
}

// commit returns where the change stands with the verdict.
func (j *jobbing) commit(ctx context.Context, v jobVerdict, verdict judged) (gitops.ID, error) {
	c, err := j.admit(ctx, v, verdict)
	if err != nil || j.pull.Fork { // there is no branch of ours to record it on
		return j.head, err
	}
	if c, err = j.branch(ctx, c); err != nil {
		return "", err
	}
	if here, err := j.holds(ctx, c, c, v, verdict); err != nil || here {
		return c.Tip, err
	}
	run := newImplementing(j.Bench, ImplementRequest{Change: j.id, Mode: ModeOnce})
	if v.Step == string(phases.StepChallenge) {
		c, _, err = run.recordChallenge(ctx, c, verdict)
	} else {
		c, _, err = run.recordReview(ctx, c, verdict)
	}
	return c.Tip, err
}

// admit refuses a verdict that the step itself would not have come to, and shows one that it would.
func (j *jobbing) admit(ctx context.Context, v jobVerdict, verdict judged) (*changes.Change, error) {
	c, err := j.open(ctx, gitops.ID(v.Head))
	if err != nil {
		return c, err
	}
	if err := v.fits(c); err != nil {
		return c, err
	}
	if err := j.judgeOf(v); err != nil {
		return c, err
	}
	if err := j.watch(ctx, c); err != nil {
		return c, err
	}
	step, why, err := j.due(ctx, c)
	if err != nil {
		return c, err
	}
	if string(step) != v.Step {
		return c, refuseResult("%s is not what the history waits for (%s)", v.Step, why)
	}
	run := newImplementing(j.Bench, ImplementRequest{Change: j.id, Mode: ModeOnce})
	if err := run.allowed(ctx, c, v.Step, ""); err != nil {
		return c, err
	}
	places, err := j.placesOf(ctx, c)
	if err != nil {
		return c, err
	}
	defer places.close()
	if err := places.admit(&verdict.verdict); err != nil {
		return c, err
	}
	if step == JobReview {
		if err := j.proven(ctx, run, c, verdict); err != nil {
			return c, err
		}
	}
	return c, j.show(ctx, c, verdict)
}

// judgeOf refuses a verdict of an agent that does not play the role of its step on the base.
func (j *jobbing) judgeOf(v jobVerdict) error {
	role := map[string]config.Role{string(phases.StepChallenge): config.Challenger, string(phases.StepReview): config.Reviewer}[v.Step]
	name := j.Config.RoleAgent(role)
	agent, err := j.Agent(name)
	if err != nil {
		return err
	}
	if said := agentName(v.Agent); said != agent.Name() {
		return refuseResult("it is said by %q, and the %s of %s is %s", shortened(said), role, j.holder(), agent.Name())
	}
	return nil
}

// proven judges what a review rests on: what the branch touches, and that the evidence is of the commands
// that the base wants to be run. That they were run is the other job's word.
func (j *jobbing) proven(ctx context.Context, run *implementing, c *changes.Change, v judged) error {
	docs, err := c.Docs(ctx)
	if err != nil {
		return err
	}
	if err := run.reviewable(ctx, c, docs); err != nil {
		return err
	}
	want, err := j.checkCommands(ctx, c)
	if err != nil {
		return err
	}
	if !slices.Equal(commandsOf(v.evidence), want) {
		return refuseResult("its evidence is not of the commands that %s wants to be run", j.holder())
	}
	return nil
}

// branch brings the change's branch to the commit that was judged. One that is here already is only moved forward;
// what an earlier run committed and could not push stays.
func (j *jobbing) branch(ctx context.Context, c *changes.Change) (*changes.Change, error) {
	refs, err := j.Repo.Refs(ctx, j.id.Ref())
	if err != nil {
		return c, err
	}
	if len(refs) == 0 {
		err = j.Repo.UpdateRefs(ctx, "agentd: job", gitops.RefUpdate{Name: j.id.Ref(), New: c.Tip})
	} else {
		err = j.takeRemote(ctx, j.id, j.remote, refs[0].ID, c.Tip)
	}
	if err != nil {
		return c, err
	}
	return j.Store.Open(ctx, j.id)
}

// post publishes as a person does. A token that may not do it takes nothing away from the verdict: it is shown here.
func (j *jobbing) post(ctx context.Context) error {
	publish := Publish{Bench: j.Bench}
	done, err := publish.Run(ctx, PublishRequest{Change: j.id, Remote: j.remote})
	if c, openErr := j.Store.Open(ctx, j.id); openErr == nil {
		j.result.Phase = c.Phase()
		if j.result.Verdict == "" && j.req.Mode == JobPublish {
			err = errors.Join(err, j.showLast(ctx, c))
		}
	}
	for _, review := range done.Reviews {
		j.result.ReviewURL = review.URL
	}
	push, notPushed := errors.AsType[*gitops.PushError](err)
	forbidden, notPosted := errors.AsType[*github.ForbiddenError](err)
	switch {
	case notPushed && push.Denied && j.req.Mode == JobPublish:
		j.unposted(fmt.Sprintf("%v; the job needs `contents: write`", push))
		return nil
	case notPosted:
		j.unposted(fmt.Sprintf("%v; %s", forbidden, forbidden.Hint()))
		return nil
	}
	return err
}

// unposted leaves the verdict to the log and the summary.
func (j *jobbing) unposted(why string) {
	j.result.Unposted = why
	j.Say.Warn(why)
}

// showLast puts the newest verdict of the history into the result.
func (j *jobbing) showLast(ctx context.Context, c *changes.Change) error {
	last := latestVerdict(c)
	if last == nil {
		return nil
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return err
	}
	file := specs.ChallengeFile
	if last.Step == phases.StepReview {
		file = specs.ReviewFile
	}
	r := j.result
	r.Step, r.Round, r.Verdict = last.Step, last.Round, last.Verdict
	r.Summary, r.Findings = specs.ReadSummary(docs.Files[file]), knownFindings(docs, file)
	return nil
}
