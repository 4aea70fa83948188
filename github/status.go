package github

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/go-github/v60/github"
)

// State is what a commit status says.
type State string

// GitHub's states.
const (
	StatePending State = "pending"
	StateSuccess State = "success"
	StateFailure State = "failure"
	StateError   State = "error" // the check itself did not work
)

// PhaseContext is the name of the deterministic check's status.
const PhaseContext = "agentd / phase"

// Status is a commit status.
type Status struct {
	Context     string // its name; the newest of a name counts
	State       State
	Description string // cut to GitHub's 140 characters
	URL         string
}

// descriptionLimit is GitHub's, for statuses.
const descriptionLimit = 140

// Request is what sets the status of a commit.
func (s Status) Request(t Target, commit string) Request {
	type body struct {
		State       State  `json:"state"`
		Context     string `json:"context"`
		Description string `json:"description,omitempty"`
		TargetURL   string `json:"target_url,omitempty"`
	}
	return newRequest(http.MethodPost, t.repo("/statuses/%s", commit), body{s.State, s.Context, cutRunes(s.Description, descriptionLimit), s.URL})
}

// HasStatus reports whether a commit's newest status of that name is this one.
func (c *Client) HasStatus(ctx context.Context, commit string, s Status) (bool, error) {
	return c.hasStatus(ctx, fmt.Sprintf("read the status %q of %s", s.Context, short(commit)), commit, s)
}

// SetStatus sets the status of a commit, unless it is that already. It reports whether it did.
func (c *Client) SetStatus(ctx context.Context, commit string, s Status) (bool, error) {
	op := fmt.Sprintf("set the status %q of %s", s.Context, short(commit))
	for try := 1; ; try++ {
		is, err := c.hasStatus(ctx, op, commit, s)
		if is || err != nil {
			return is && try > 1, err
		}
		err = c.send(ctx, op, s.Request(c.target, commit), nil)
		if err == nil {
			return true, nil
		}
		if !unclear(err) || try == attempts {
			return false, err
		}
	}
}

// hasStatus looks at the newest status of the name; GitHub lists the newest first.
func (c *Client) hasStatus(ctx context.Context, op, commit string, s Status) (bool, error) {
	opts := &github.ListOptions{PerPage: perPage}
	for {
		page, resp, err := c.rest.Repositories.ListStatuses(ctx, c.target.Owner, c.target.Repo, commit, opts)
		if err != nil {
			return false, c.explain(ctx, op, err)
		}
		for _, have := range page {
			if have.GetContext() == s.Context {
				return have.GetState() == string(s.State) && have.GetDescription() == cutRunes(s.Description, descriptionLimit) && have.GetTargetURL() == s.URL, nil
			}
		}
		if resp.NextPage == 0 {
			return false, nil
		}
		opts.Page = resp.NextPage
	}
}

// perPage is the most that GitHub lists at once.
const perPage = 100
