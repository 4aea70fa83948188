package workflow

import (
	"context"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Route is how an archive gets onto the base branch.
type Route uint8

// The routes.
const (
	RouteConfigured Route = iota // as [github] publish wants it, or the person who is asked
	RouteHere                    // the base moves here
	RoutePush                    // the remote's base moves first, then the one here; where the remote refuses that, RoutePull
	RoutePull                    // the archive goes onto the change's branch, and a pull request brings it to the base
)

// route asks the configuration, and where that says so the person.
func (b *Bench) route(ctx context.Context, id phases.ChangeID) (Route, error) {
	remotes, err := b.Repo.Remotes(ctx)
	if err != nil || len(remotes) == 0 || b.Config.GitHub.Publish == config.PublishNever {
		return RouteHere, err
	}
	if b.Config.GitHub.Publish == config.PublishAlways {
		return RoutePush, nil
	}
	if b.Ask == nil || !b.Config.Workflow.HumanInLoop {
		return RouteHere, nil
	}
	c, err := b.Store.Open(ctx, id)
	if err != nil || c.State.Effective != phases.Complete {
		return RouteHere, nil //nolint:nilerr // archive itself says what is wrong
	}
	remote, branch := mainRemote(remotes), c.State.Base.Branch
	pick, err := b.Ask.Choose(ctx, Question{
		Title: fmt.Sprintf("Archive %s onto %s: how?", id, branch),
		Options: []Option{
			{Label: "Push it", Description: fmt.Sprintf("to %s, or by a pull request where %s is protected there", remote, branch), Recommended: true},
			{Label: "Pull request", Description: "for somebody to merge on GitHub"},
			{Label: "Only here", Description: fmt.Sprintf("`git push %s %s` does the rest later", remote, branch)},
		},
	})
	if err != nil {
		return RouteHere, err
	}
	return []Route{RoutePush, RoutePull, RouteHere}[pick], nil
}

// upstream fetches the base as the remote has it at this moment; "" where the remote is not asked.
func (a *archiving) upstream(ctx context.Context, c *changes.Change) (gitops.ID, error) {
	if a.req.Route == RouteHere && !c.ArchivePending() {
		return "", nil
	}
	branch, err := a.landsOn(ctx, c)
	if err != nil {
		return "", err
	}
	// Who cannot publish it is told before anything is made.
	publish := publishing{Bench: a.Bench, req: PublishRequest{Change: c.ID}, result: &PublishResult{}}
	if a.req.Route == RoutePush {
		remotes, err := a.Repo.Remotes(ctx)
		if err != nil {
			return "", err
		}
		if a.remote, err = pushRemote(remotes, ""); err != nil {
			return "", err
		}
	} else if err := publish.connect(ctx); err != nil {
		return "", err
	} else {
		a.remote = publish.remote
	}
	return a.fetchBranch(ctx, a.remote, branch)
}

// fetchBranch brings what a remote has of a branch.
func (b *Bench) fetchBranch(ctx context.Context, remote, branch string) (gitops.ID, error) {
	tracking := "refs/remotes/" + remote + "/" + branch
	if err := b.Repo.Fetch(ctx, remote, "+refs/heads/"+branch+":"+tracking); err != nil {
		return "", err
	}
	return b.Repo.Resolve(ctx, tracking)
}

// newest is the base to build on, of the one here and the remote's.
func (a *archiving) newest(ctx context.Context, branch string, here, up gitops.ID) (gitops.ID, error) {
	ahead, err := a.Repo.IsAncestor(ctx, up, here)
	if err != nil || ahead {
		return here, err
	}
	behind, err := a.Repo.IsAncestor(ctx, here, up)
	if err != nil || behind {
		return up, err
	}
	return "", &GateError{
		Gate: "base", Reason: fmt.Sprintf("%s here and on %s have both moved: %s and %s", branch, a.remote, here.Short(), up.Short()),
		Next: fmt.Sprintf("`git pull %s %s` there, then run the same command again", a.remote, branch),
	}
}

// push moves the remote's base. What the check refuses is not pushed, and what would not fit here is not either.
func (a *archiving) push(ctx context.Context, branch string, here, up, commit gitops.ID) error {
	if err := a.Store.Fits(ctx, branch, here, commit); err != nil {
		return explainLanding(err)
	}
	ref := "refs/heads/" + branch
	check := Check{Store: a.Store}
	found, err := check.Run(ctx, CheckRequest{Push: &Push{
		Remote: a.remote, Refs: []PushedRef{{Local: ref, LocalID: commit, Remote: ref, RemoteID: up}},
	}})
	if err != nil {
		return fmt.Errorf("the archive cannot be judged: %w", err)
	}
	if err := found.Err(); err != nil {
		return err
	}
	if err := a.Repo.Push(ctx, a.remote, commit, ref); err != nil {
		return err
	}
	a.Say.Done(fmt.Sprintf("pushed %s to %s: %s", branch, a.remote, commit.Short()))
	return nil
}

// filedUpstream refuses a pull request for what was archived here and nowhere else:
// it would bring the same to the remote's base another way, and the two would never meet.
func (a *archiving) filedUpstream(ctx context.Context, c *changes.Change, up gitops.ID) error {
	if up == "" {
		return nil
	}
	filed, err := a.Store.FiledBy(ctx, c.ID, up)
	if err != nil || filed != "" {
		return err
	}
	branch, err := a.landsOn(ctx, c)
	if err != nil {
		return err
	}
	return &GateError{
		Gate: "archive", Reason: fmt.Sprintf("%s is archived on %s here, and %s does not have that", c.ID, branch, a.remote),
		Next: fmt.Sprintf("`git push %[1]s %[2]s`; where %[1]s refuses it, `git switch %[2]s && git reset --keep %[1]s/%[2]s` takes it back, then `%[3]s`",
			a.remote, branch, command("archive", c.ID, "--pr")),
	}
}

// onBranch puts the archive onto the change's branch: its parents are the branch and the base as the remote has it.
func (a *archiving) onBranch(ctx context.Context, c, reviewed *changes.Change, up gitops.ID) (ActionResult, error) {
	stay := resultOf(c, "", "")
	branch, err := a.landsOn(ctx, c)
	if err != nil {
		return stay, err
	}
	a.Say.Note(fmt.Sprintf("%s is %s: a pull request is to bring its archive to %s", c.ID, c.Phase(), branch))
	l := landing{branch: a.remote + "/" + branch, base: up, applied: reviewed, proposed: true, again: c != reviewed}
	commit, err := a.build(ctx, c, &l)
	if err != nil {
		return stay, err
	}
	left, err := a.Store.Propose(ctx, c, commit)
	if err != nil {
		return stay, err
	}
	a.left = append(a.left, left...)
	next, err := a.Store.Open(ctx, c.ID)
	if err != nil {
		return stay, err
	}
	a.made = append(a.made, string(commit))
	a.Say.Done(fmt.Sprintf("%s is archived on its branch: %s", c.ID, specWords(l.specs)))
	return resultOf(next, ActionArchivePending, ""), nil
}

// again goes on with an archive that waits on its branch. Where the base has moved on, it is made anew on that.
func (a *archiving) again(ctx context.Context, c *changes.Change, up gitops.ID) (ActionResult, error) {
	stay := resultOf(c, "", "")
	if err := a.notTakenBack(ctx, c, a.remote); err != nil {
		return stay, err
	}
	if err := c.Forward(); err != nil {
		return stay, err
	}
	check := Check{Store: a.Store}
	found, err := check.Run(ctx, CheckRequest{Names: []string{c.ID.Branch()}})
	if err != nil {
		return stay, err
	}
	if err := found.Err(); err != nil {
		return stay, err
	}
	current, err := a.Repo.IsAncestor(ctx, up, c.Tip)
	if err != nil || current {
		return resultOf(c, ActionArchivePending, ""), err
	}
	reviewed, err := c.Reviewed(ctx)
	if err != nil {
		return stay, err
	}
	a.resolution.earlier = c
	return a.onBranch(ctx, c, reviewed, up)
}

// abort takes an archive back that waits on its branch. What has landed stays.
func (a *archiving) abort(ctx context.Context) (ActionResult, error) {
	none := ActionResult{Change: a.req.Change.String()}
	if err := a.ready(ctx, a.req.Change); err != nil {
		return none, err
	}
	c, err := a.Store.Open(ctx, a.req.Change)
	if err != nil {
		return none, err
	}
	stay := resultOf(c, "", "")
	if a.resolution.dir != "" {
		if err := a.resolution.giveUp(ctx); err != nil {
			return stay, err
		}
		r := resultOf(c, ActionGivenUp, "nothing was archived: the resolution is given up")
		r.Next = command("archive", c.ID)
		return r, nil
	}
	if !c.ArchivePending() {
		return stay, &GateError{
			Gate: "archive", Reason: fmt.Sprintf("no archive of %s waits on its branch: it is %s", c.ID, c.Phase()), Next: command("status", c.ID),
		}
	}
	if _, err := a.upstream(ctx, c); err != nil { // it may have been merged
		return stay, err
	}
	if c, err = a.Store.Open(ctx, c.ID); err != nil {
		return stay, err
	}
	if !c.ArchivePending() {
		return resultOf(c, "", ""), &GateError{
			Gate: "archive", Reason: fmt.Sprintf("the archive of %s was merged", c.ID),
			Next: fmt.Sprintf("`git revert` on %s takes it back there", c.State.Base.Branch),
		}
	}
	for _, remote := range []string{"", a.remote} {
		if err := a.notTakenBack(ctx, c, remote); err != nil {
			return stay, err
		}
	}
	if err := c.Forward(); err != nil {
		return stay, err
	}
	next, left, err := a.Store.Withdraw(ctx, c)
	if err != nil {
		return stay, err
	}
	a.left = append(a.left, left...)
	a.made = append(a.made, string(next.Tip))
	r := resultOf(next, ActionWithdrawn, fmt.Sprintf("its archive is taken back: it is %s", next.Phase()))
	if r.Next = nextCommand(next); next.Phase() == phases.Complete {
		r.Next = command("publish", c.ID)
	}
	return r, nil
}

// waits refuses what would change a change whose archive waits on its branch.
func waits(c *changes.Change) error {
	if !c.ArchivePending() {
		return nil
	}
	return &GateError{
		Gate: "archive", Reason: fmt.Sprintf("the archive of %s is on its branch, for a pull request to bring it to the base", c.ID),
		Next: fmt.Sprintf("`%s` takes it back", command("archive", c.ID, "--abort")),
	}
}

// propose shows the archive in the change's pull request. It is committed by then: a failure loses nothing.
func (a *Archive) propose(ctx context.Context, id phases.ChangeID, r *ActionResult) error {
	publish := Publish{Bench: a.Bench}
	published, err := publish.Run(ctx, PublishRequest{Change: id})
	if err != nil {
		return fmt.Errorf("archived on its branch, but not published (`%s` tries again): %w", command("archive", id, "--pr"), err)
	}
	number := published.PullRequest.Number
	r.PullRequest = published.PullRequest.URL
	r.Message = fmt.Sprintf("archived on its branch: pull request #%d is to bring it to the base", number)
	r.Next = fmt.Sprintf("gh pr merge %d", number)
	return nil
}
