package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
)

// After publishes what plan or impl made, as [github] publish wants it: always, when the person at the terminal says so, or never.
// It puts the pull request's page into the result.
//
// The work is committed by then, so that a failure to publish hides nothing of it: it is a warning with the next command.
// Only "always" makes an error of it, and only where the run ended without another one.
func (p *Publish) After(ctx context.Context, r *ActionResult, failed error, mode Mode) error {
	b := p.Bench
	id, err := phases.ParseChangeID(r.Change)
	if err != nil || ctx.Err() != nil || !atItsEnd(failed) {
		return nil
	}
	switch b.Config.GitHub.Publish {
	case config.PublishAlways:
	case config.PublishAsk:
		if mode != ModeInteractive || len(r.Commits) == 0 || !b.wantsPublished(ctx, id) {
			return nil
		}
	default:
		return nil
	}
	published, err := p.Run(ctx, PublishRequest{Change: id})
	if published.PullRequest != nil {
		r.PullRequest = published.PullRequest.URL
	}
	if err == nil {
		return nil
	}
	if b.Config.GitHub.Publish == config.PublishAlways && failed == nil && r.Action != ActionDecisionPending {
		return fmt.Errorf("committed, but not published (`%s` tries again): %w", command("publish", id), err)
	}
	b.Say.Warn(fmt.Sprintf("not published: %v; to try again: %s", err, command("publish", id)))
	return nil
}

// atItsEnd says that a run went as far as it could: it is through, or a person must decide.
func atItsEnd(failed error) bool {
	_, rejected := errors.AsType[*RejectedError](failed)
	_, decision := errors.AsType[*DecisionError](failed)
	_, limit := errors.AsType[*LimitError](failed)
	return failed == nil || rejected || decision || limit
}

// wantsPublished asks the person, unless there is nowhere to publish to.
func (b *Bench) wantsPublished(ctx context.Context, id phases.ChangeID) bool {
	remotes, err := b.Repo.Remotes(ctx)
	if err != nil || len(remotes) == 0 {
		return false
	}
	target, err := b.repository("", remotes)
	if err != nil {
		return false
	}
	pick, err := b.Ask.Choose(ctx, Question{
		Title: fmt.Sprintf("Publish %s to %s?", id, target),
		Options: []Option{
			{Label: "Yes", Description: "push the branch, and show the verdicts in a pull request", Recommended: true},
			{Label: "Not now", Description: command("publish", id) + " does it later"},
		},
	})
	return err == nil && pick == 0 // who walks away from the question has not said yes
}
