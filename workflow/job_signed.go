package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
)

// signable refuses, before an agent is paid, a verdict that the base's policy would not let anybody publish.
// The job that publishes is another one: that it signs somebody says, or the same key would have signed here.
func (j *jobbing) signable(ctx context.Context, c *changes.Change, step JobMode) error {
	signers := j.Config.Policy.VerdictSigners
	if len(signers) == 0 || j.req.PublishSigns {
		return nil
	}
	keys, err := j.signature(ctx, c)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(asGitWrites(signers), key) }) {
		return nil
	}
	by := "not be signed"
	if len(keys) > 0 {
		by = "be signed by " + keys[0]
	}
	return &GateError{
		Gate:   "check",
		Reason: fmt.Sprintf("the %s would %s, and the policy accepts only who is named in verdict_signers", step, by),
		Next:   `have the job that publishes sign with such a key, and say publish-signs: "true" to this one; or judge at home`,
	}
}

// signature is who signs the commits that are made here, by a commit that nothing refers to.
func (j *jobbing) signature(ctx context.Context, c *changes.Change) ([]string, error) {
	repo := j.Repo
	if _, _, err := repo.Identity(ctx); err != nil {
		repo = repo.As(actionsName, actionsEmail)
	}
	try, err := repo.CommitTree(ctx, gitops.CommitRequest{Tree: c.Tree(), Parents: []gitops.ID{c.Tip}, Message: "Who signs here?\n"})
	if err != nil {
		return nil, err
	}
	signed, err := repo.Signers(ctx, []gitops.ID{try})
	return signed[try], err
}
