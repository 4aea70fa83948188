package github

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/google/go-github/v60/github"
)

// OutdateReviews marks all our reviews of a kind and change: somebody else has judged since, and by is where that stands.
// It is best effort, as after [Client.PublishReview].
func (c *Client) OutdateReviews(ctx context.Context, number int, kind, change, by string) []error {
	viewer, err := c.Viewer(ctx)
	if err != nil {
		return []error{err}
	}
	p := &publisher{Client: c, number: number, viewer: viewer}
	return p.outdate(ctx, ours{PostedReview: PostedReview{ID: math.MaxInt64, URL: by}}, Review{Kind: kind, Change: change})
}

// outdate marks the older reviews of the same kind and change: one that blocks or approves is dismissed, all are folded.
// It is best effort, and finds what an earlier run left undone.
func (p *publisher) outdate(ctx context.Context, newest ours, r Review) []error {
	own, err := p.look(ctx)
	if err != nil {
		return []error{err}
	}
	var warnings []error
	var fold []string
	for _, o := range own {
		if o.Kind != r.Kind || o.Change != r.Change || o.ID >= newest.ID || o.State == pendingState {
			continue
		}
		if o.State == "CHANGES_REQUESTED" || o.State == "APPROVED" {
			if err := p.dismiss(ctx, o.ID, newest.URL); err != nil {
				warnings = append(warnings, err)
			}
		}
		fold = append(fold, o.NodeID)
	}
	if len(fold) == 0 {
		return warnings
	}
	open, err := p.notMinimized(ctx, fold)
	if err != nil {
		return append(warnings, err)
	}
	for _, id := range open {
		if err := p.graph(ctx, "mark an older review outdated", minimizeMutation, map[string]any{"id": id}, nil); err != nil {
			warnings = append(warnings, err)
		}
	}
	return warnings
}

func (p *publisher) dismiss(ctx context.Context, id int64, by string) error {
	body := struct {
		Message string `json:"message"`
		Event   string `json:"event"`
	}{"Superseded by " + by, "DISMISS"}
	path := p.target.repo("/pulls/%d/reviews/%d/dismissals", p.number, id)
	return p.send(ctx, fmt.Sprintf("dismiss an older review on pull request #%d", p.number), newRequest(http.MethodPut, path, body), &github.PullRequestReview{})
}

// notMinimized are the reviews that are not folded yet. GitHub answers null for what it does not find.
func (p *publisher) notMinimized(ctx context.Context, ids []string) ([]string, error) {
	var open []string
	for len(ids) > 0 {
		n := min(len(ids), perPage)
		var data struct {
			Nodes []*struct {
				ID          string `json:"id"`
				IsMinimized bool   `json:"isMinimized"`
			}
		}
		if err := p.graph(ctx, "look at older reviews", minimizedQuery, map[string]any{"ids": ids[:n]}, &data); err != nil {
			return nil, err
		}
		for _, node := range data.Nodes {
			if node != nil && node.ID != "" && !node.IsMinimized {
				open = append(open, node.ID)
			}
		}
		ids = ids[n:]
	}
	return open, nil
}
