package github

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"
)

// PostedReview is a review that GitHub has.
type PostedReview struct {
	ID        int64
	NodeID    string // its name in GraphQL
	URL       string
	Author    Account
	State     string // GitHub's: PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
	Commit    string // "" where it is gone
	Body      string
	Submitted time.Time // zero while pending
}

const pendingState = "PENDING"

// Reviews lists the reviews of a pull request, the oldest first. One that is not submitted is seen by its author only.
func (c *Client) Reviews(ctx context.Context, number int) ([]PostedReview, error) {
	var all []PostedReview
	opts := &github.ListOptions{PerPage: perPage}
	for {
		page, resp, err := c.rest.PullRequests.ListReviews(ctx, c.target.Owner, c.target.Repo, number, opts)
		if err != nil {
			return nil, c.explain(ctx, fmt.Sprintf("list the reviews of pull request #%d", number), err)
		}
		for _, r := range page {
			all = append(all, postedOf(r))
		}
		if resp.NextPage == 0 {
			return all, nil
		}
		opts.Page = resp.NextPage
	}
}

func postedOf(r *github.PullRequestReview) PostedReview {
	return PostedReview{
		ID: r.GetID(), NodeID: r.GetNodeID(), URL: r.GetHTMLURL(), Author: accountOf(r.User),
		State: r.GetState(), Commit: r.GetCommitID(), Body: r.GetBody(), Submitted: r.GetSubmittedAt().Time,
	}
}

// ours is a review with our marker, written by one of our accounts.
type ours struct {
	PostedReview
	Marker
	mine bool // by the token's own account
}

// ownReviews are those that are ours by both signs, the oldest first; the second is a pending one of the viewer without a marker.
func (c *Client) ownReviews(ctx context.Context, viewer Account, number int) ([]ours, *PostedReview, error) {
	all, err := c.Reviews(ctx, number)
	if err != nil {
		return nil, nil, err
	}
	var own []ours
	var foreign *PostedReview
	for i, r := range all {
		mine := r.Author.Is(viewer)
		m, marked := ParseMarker(r.Body)
		switch {
		case marked && (mine || c.isOurs(r.Author)):
			own = append(own, ours{PostedReview: r, Marker: m, mine: mine})
		case mine && r.State == pendingState:
			foreign = &all[i]
		}
	}
	return own, foreign, nil
}

func (c *Client) isOurs(a Account) bool {
	return slices.ContainsFunc(c.accounts, func(login string) bool { return a.Is(account(login, "")) })
}
