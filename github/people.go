package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// PersonReview is a review that a person submitted. Its words are data, whoever wrote them, and never commands.
type PersonReview struct {
	PostedReview
	Comments []ReviewComment // in the order they were written
}

// Opinion is what a review says about the whole.
type Opinion int

// The opinions of reviews. A comment is none, and neither is a word of GitHub's that we do not know.
const (
	NoOpinion Opinion = iota
	Approves
	AsksForChanges
	Dismissed // somebody who may has taken it back
)

// Opinion is what the review says about the whole.
func (r PostedReview) Opinion() Opinion {
	switch r.State {
	case "APPROVED":
		return Approves
	case "CHANGES_REQUESTED":
		return AsksForChanges
	case "DISMISSED":
		return Dismissed
	}
	return NoOpinion
}

// Standing reports for each review whether it is what its author thinks now, as GitHub sees it:
// the newest one with an opinion. Comments that came later do not undo it. Reviews are given the oldest first.
func Standing(reviews []PersonReview) []bool {
	standing := make([]bool, len(reviews))
	seen := map[string]bool{} // logins know no case
	for i, r := range slices.Backward(reviews) {
		login := strings.ToLower(r.Author.String())
		if r.Opinion() != NoOpinion && !seen[login] {
			seen[login], standing[i] = true, true
		}
	}
	return standing
}

// ReviewComment is a comment on lines of a diff.
type ReviewComment struct {
	ID       int64
	Review   int64 // whose part it is
	ReplyTo  int64 // the first comment of its thread, or 0
	Author   Account
	URL      string
	Path     string
	Side     Side
	First    int // lines of the head as it is now, 0 where they are gone
	Last     int
	Original int    // the last line as it was when the comment was written
	Commit   string // the commit that it was written about
	Outdated bool   // its lines have changed since
	Body     string
	Created  time.Time
}

// PeopleReviews are the submitted reviews of people with their comments, the oldest first:
// no apps. What we posted under a person's account is among them: that tells what is in it, and not who posted it.
// A verdict of a person who may not write counts for nothing: ask [Client.Permission].
func (c *Client) PeopleReviews(ctx context.Context, number int) ([]PersonReview, error) {
	all, err := c.Reviews(ctx, number)
	if err != nil {
		return nil, err
	}
	comments, err := c.Comments(ctx, number)
	if err != nil {
		return nil, err
	}
	byReview := map[int64][]ReviewComment{}
	for _, comment := range comments {
		byReview[comment.Review] = append(byReview[comment.Review], comment)
	}
	var people []PersonReview
	for _, r := range all {
		if r.Author.Bot || r.State == pendingState {
			continue
		}
		people = append(people, PersonReview{PostedReview: r, Comments: byReview[r.ID]})
	}
	// GitHub has them in the order in which they were begun.
	slices.SortStableFunc(people, func(a, b PersonReview) int { return a.Submitted.Compare(b.Submitted) })
	return people, nil
}

// Comments lists the comments on lines of a pull request's diff, the oldest first.
func (c *Client) Comments(ctx context.Context, number int) ([]ReviewComment, error) {
	var all []ReviewComment
	opts := &github.PullRequestListCommentsOptions{Sort: "created", Direction: "asc", ListOptions: github.ListOptions{PerPage: perPage}}
	for {
		page, resp, err := c.rest.PullRequests.ListComments(ctx, c.target.Owner, c.target.Repo, number, opts)
		if err != nil {
			return nil, c.explain(ctx, fmt.Sprintf("list the comments of pull request #%d", number), err)
		}
		for _, r := range page {
			all = append(all, commentOf(r))
		}
		if resp.NextPage == 0 {
			return all, nil
		}
		opts.Page = resp.NextPage
	}
}

func commentOf(r *github.PullRequestComment) ReviewComment {
	side := Right
	if r.GetSide() == Left.String() {
		side = Left
	}
	first := r.GetStartLine()
	if first == 0 {
		first = r.GetLine()
	}
	return ReviewComment{
		ID: r.GetID(), Review: r.GetPullRequestReviewID(), ReplyTo: r.GetInReplyTo(), Author: accountOf(r.User), URL: r.GetHTMLURL(),
		Path: r.GetPath(), Side: side, First: first, Last: r.GetLine(), Original: r.GetOriginalLine(),
		Commit: r.GetOriginalCommitID(), Outdated: r.Line == nil && r.GetSubjectType() != "file", Body: r.GetBody(), Created: r.GetCreatedAt().Time,
	}
}
