package github

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-github/v60/github"
)

// PullRequest is a pull request as far as we need it.
type PullRequest struct {
	Number int
	NodeID string // its name in GraphQL
	URL    string
	Title  string
	Body   string
	Author Account

	Draft, Closed, Merged, Locked bool

	Branch string // the head's
	Head   string // its commit
	Base   string // branch
	// HeadRepo is OWNER/REPO of the head: another one than the base's for a fork, "" where it was deleted.
	HeadRepo     string
	Fork         bool
	ChangedFiles int // only where it was asked for by number
}

// refuse says why nothing of ours belongs there any more.
func (p PullRequest) refuse() error {
	if p.Closed {
		return &ClosedError{Number: p.Number, Merged: p.Merged}
	}
	return nil
}

func pullOf(p *github.PullRequest) PullRequest {
	head, base := p.GetHead(), p.GetBase()
	merged := p.GetMerged() || p.MergedAt != nil
	return PullRequest{
		Number: p.GetNumber(), NodeID: p.GetNodeID(), URL: p.GetHTMLURL(), Title: p.GetTitle(), Body: p.GetBody(),
		Author: accountOf(p.GetUser()),
		Draft:  p.GetDraft(), Closed: p.GetState() == "closed", Merged: merged, Locked: p.GetLocked(),
		Branch: head.GetRef(), Head: head.GetSHA(), Base: base.GetRef(),
		HeadRepo: head.GetRepo().GetFullName(), Fork: head.GetRepo().GetID() != base.GetRepo().GetID(),
		ChangedFiles: p.GetChangedFiles(),
	}
}

// Pull reads a pull request.
func (c *Client) Pull(ctx context.Context, number int) (PullRequest, error) {
	p, _, err := c.rest.PullRequests.Get(ctx, c.target.Owner, c.target.Repo, number)
	if err != nil {
		return PullRequest{}, c.explain(ctx, fmt.Sprintf("read pull request #%d", number), err)
	}
	return pullOf(p), nil
}

// Pulls are the pull requests of a branch, the newest first, closed ones included.
// owner is whose fork the branch is in, "" for the repository itself.
func (c *Client) Pulls(ctx context.Context, owner, branch string) ([]PullRequest, error) {
	if owner == "" {
		owner = c.target.Owner
	}
	opts := &github.PullRequestListOptions{State: "all", Head: owner + ":" + branch, Sort: "created", Direction: "desc"}
	all, err := c.pulls(ctx, "find the pull request of "+branch, opts)
	// GitHub ignores a filter that it does not understand.
	return slices.DeleteFunc(all, func(p PullRequest) bool { return p.Branch != branch }), err
}

// OpenPulls are the pull requests that are neither merged nor closed, the oldest first.
func (c *Client) OpenPulls(ctx context.Context) ([]PullRequest, error) {
	return c.pulls(ctx, "list the open pull requests", &github.PullRequestListOptions{State: "open", Sort: "created", Direction: "asc"})
}

func (c *Client) pulls(ctx context.Context, op string, opts *github.PullRequestListOptions) ([]PullRequest, error) {
	var found []PullRequest
	opts.PerPage = perPage
	for {
		page, resp, err := c.rest.PullRequests.List(ctx, c.target.Owner, c.target.Repo, opts)
		if err != nil {
			return nil, c.explain(ctx, op, err)
		}
		for _, p := range page {
			found = append(found, pullOf(p))
		}
		if resp.NextPage == 0 {
			return found, nil
		}
		opts.Page = resp.NextPage
	}
}

// OpenPull is the open pull request of a branch, that onto the base before others.
// It is nil where there never was one, and a *ClosedError where the last one is closed or merged.
func (c *Client) OpenPull(ctx context.Context, owner, branch, base string) (*PullRequest, error) {
	have, err := c.Pulls(ctx, owner, branch)
	if err != nil {
		return nil, err
	}
	return pick(PullDraft{Base: base}, have)
}
