package workflow

import (
	"context"
	"errors"

	"github.com/agentd/gh-agentd/gitops"
)

// takeReviews records what people said in reviews of the pull request, as the command does at home, and publishes it.
//
// The event says which pull request, and nothing else is taken from it: the reviews, and who may write, GitHub is asked.
// This job may write, so nothing of the pull request is run: an approval of code rests on checks that the history holds.
// A run that dies before it pushed leaves nothing; one that dies after it finds on its next try what is recorded.
func (j *jobbing) takeReviews(ctx context.Context) error {
	j.named(ctx)
	if err := j.legal(ctx); err != nil {
		return err
	}
	c, err := j.open(ctx, j.head)
	if err != nil {
		return err
	}
	if err := j.watch(ctx, c); err != nil {
		return err
	}
	if _, err := j.branch(ctx, c); err != nil {
		return err
	}
	people := Sync{Bench: j.Bench}
	done, err := people.Run(ctx, SyncRequest{Change: j.id, Remote: j.remote, Confirmed: true, RunNothing: true})
	if waits, ok := errors.AsType[*DecisionError](err); ok {
		j.skip("%s", waits.Decision.Question)
		err = nil
	}
	switch {
	case err != nil:
		return err
	case len(done.Commits) > 0:
		j.head, j.result.Recorded = gitops.ID(done.Head), done.Message
		if err := j.legal(ctx); err != nil { // by the base's policy, which may want decisions that nobody signs here
			return err
		}
	case done.Action == ActionUpToDate:
		j.skip("%s", done.Message)
	}
	return j.post(ctx)
}
