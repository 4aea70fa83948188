package workflow

import (
	"context"
	"fmt"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// list finds the open pull requests of changes that wait for a verdict, for one job each.
// A history that cannot be read is told, and holds up nobody else.
func (j *jobbing) list(ctx context.Context) error {
	pulls, err := j.client.OpenPulls(ctx)
	if err != nil {
		return err
	}
	if j.Repo.Shallow() {
		if err := j.Repo.Unshallow(ctx, j.remote); err != nil {
			return err
		}
	}
	all := "+refs/heads/*:refs/remotes/" + j.remote + "/*"
	if err := j.Repo.Fetch(ctx, j.remote, all); err != nil {
		return err
	}
	for _, pull := range pulls {
		id, ok := phases.ChangeIDFromBranch(pull.Branch)
		if !ok || pull.Fork {
			continue
		}
		step, why, err := j.dueAt(ctx, id, pull)
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			j.warn(fmt.Sprintf("#%d: %v", pull.Number, err))
		case step == "":
			j.Say.Note(fmt.Sprintf("#%d: %s", pull.Number, why))
		default:
			j.result.Changes = append(j.result.Changes, JobChange{
				Change: id.String(), PullRequest: pull.Number, HeadSHA: pull.Head, Mode: step,
			})
		}
	}
	return nil
}

func (j *jobbing) dueAt(ctx context.Context, id phases.ChangeID, pull github.PullRequest) (JobMode, string, error) {
	head, err := gitops.ParseID(pull.Head)
	if err != nil {
		return "", "", err
	}
	c, err := j.Store.OpenAt(ctx, id, head)
	if err != nil {
		return "", "", err
	}
	if err := c.Forward(); err != nil {
		return "", "", err
	}
	return j.due(ctx, c)
}
