package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/go-github/v60/github"
)

// Posted is what became of a review.
type Posted struct {
	ID       int64
	URL      string
	Plan     ReviewPlan
	Event    Event   // what it did
	Reused   bool    // it was there already
	Warnings []error // older reviews that could not be outdated
}

// facts asks what a review is planned against.
func (c *Client) facts(ctx context.Context, number int, r Review) (Facts, error) {
	f := Facts{Sanitizer: c.sanitize}
	var err error
	if f.Viewer, err = c.Viewer(ctx); err != nil {
		return Facts{}, err
	}
	if f.Pull, err = c.Pull(ctx, number); err != nil {
		return Facts{}, err
	}
	if f.Pull.Head == r.Head {
		f.Files, err = c.Files(ctx, f.Pull)
	}
	if err == nil && c.local != nil && !f.Files.Complete() {
		f.Files.Local, err = c.local(ctx, r)
	}
	return f, err
}

// PreviewReview is the plan for a review, and whether it is posted already. It sends nothing.
func (c *Client) PreviewReview(ctx context.Context, number int, r Review) (plan ReviewPlan, posted bool, err error) {
	f, err := c.facts(ctx, number, r)
	if err != nil {
		return ReviewPlan{}, false, err
	}
	own, _, err := c.ownReviews(ctx, f.Viewer, number)
	if err != nil {
		return ReviewPlan{}, false, err
	}
	return PlanReview(f, r), find(own, r.Key(), false) != nil, nil
}

// PublishReview posts a review exactly once.
//
// GitHub has no request that can be repeated. But it allows one unsubmitted review for each account and pull request:
// ours is made unsubmitted, with its key in its body, and whoever holds that place looks once more for the key before
// it submits. So an answer that gets lost, a run that dies, and two runs at once all end with one review.
func (c *Client) PublishReview(ctx context.Context, number int, r Review) (Posted, error) {
	f, err := c.facts(ctx, number, r)
	if err != nil {
		return Posted{}, err
	}
	p := &publisher{Client: c, number: number, viewer: f.Viewer, key: r.Key()}
	own, err := p.look(ctx)
	if err != nil {
		return Posted{}, err
	}
	plan := PlanReview(f, r)
	there := find(own, p.key, false)
	if there == nil {
		if err := f.Pull.refuse(); err != nil {
			return Posted{}, err
		}
		if plan.Moved && r.Moved == MovedRefuse {
			return Posted{}, &MovedError{Number: number, Want: r.Head, Have: f.Pull.Head}
		}
	}
	posted := Posted{Plan: plan, Reused: there != nil}
	if there == nil {
		there, posted, err = p.post(ctx, plan, own)
		if err != nil {
			return Posted{}, err
		}
	}
	posted.ID, posted.URL = there.ID, there.URL
	posted.Event = eventOf(there.State)
	posted.Warnings = p.outdate(ctx, *there, r)
	return posted, nil
}

func eventOf(state string) Event {
	switch state {
	case "APPROVED":
		return Approve
	case "CHANGES_REQUESTED":
		return RequestChanges
	}
	return Comment
}

// publisher posts one review.
type publisher struct {
	*Client
	number  int
	viewer  Account
	key     string
	foreign *PostedReview // a review that a person has begun under the same account
}

func (p *publisher) look(ctx context.Context) ([]ours, error) {
	own, foreign, err := p.ownReviews(ctx, p.viewer, p.number)
	p.foreign = foreign
	return own, err
}

// find is the review with a key, submitted or not; of several, the oldest.
func find(own []ours, key string, pending bool) *ours {
	for i, o := range own {
		if o.Key == key && (o.State == pendingState) == pending {
			return &own[i]
		}
	}
	return nil
}

// post brings the review about, given what is there.
func (p *publisher) post(ctx context.Context, plan ReviewPlan, own []ours) (*ours, Posted, error) {
	for try := 1; ; try++ {
		pending, err := p.hold(ctx, &plan, own)
		if err == nil {
			own, err = p.look(ctx)
		}
		if err != nil {
			return nil, Posted{}, err
		}
		if there := find(own, p.key, false); there != nil { // somebody was faster
			if pending != nil && find(own, p.key, true) != nil {
				err = p.discard(ctx, pending.ID)
			}
			return there, Posted{Plan: plan, Reused: true}, err
		}
		if pending == nil {
			if try == attempts {
				return nil, Posted{}, &ServerError{Op: p.op("post a review"), Err: errNotThere}
			}
			continue
		}
		there, err := p.submit(ctx, &plan, pending)
		if gone(err) && try < attempts { // another run took the place for a review of its own
			if own, err = p.look(ctx); err == nil {
				continue
			}
		}
		return there, Posted{Plan: plan}, err
	}
}

// errNotThere is what a list says that contradicts what was answered before, again and again.
var errNotThere = errors.New("the review is not listed")

// gone reports whether something was not found.
func gone(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}

// hold makes sure that the account's one unsubmitted review is ours, with our key.
// Without an error and without a review, the place was taken and is free again: look once more.
func (p *publisher) hold(ctx context.Context, plan *ReviewPlan, own []ours) (*ours, error) {
	for try := 1; ; try++ {
		if p.foreign != nil {
			return nil, &PendingReviewError{Number: p.number}
		}
		for i, o := range own {
			if o.State != pendingState || !o.mine {
				continue
			}
			if o.Key == p.key {
				return p.resume(ctx, &own[i])
			}
			if err := p.clear(ctx, o); err != nil {
				return nil, err
			}
		}
		if find(own, p.key, false) != nil {
			return nil, nil
		}
		made, err := p.create(ctx, plan)
		if err == nil {
			return made, nil
		}
		taken := refusal(err) != nil && refusal(err).says("pending review")
		if !taken && !unclear(err) || try == attempts {
			return nil, err
		}
		if own, err = p.look(ctx); err != nil {
			return nil, err
		}
	}
}

// create posts the plan unsubmitted, and makes it smaller where GitHub does not take it.
func (p *publisher) create(ctx context.Context, plan *ReviewPlan) (*ours, error) {
	for {
		var made github.PullRequestReview
		err := p.send(ctx, p.op("post a review"), plan.create(), &made)
		if err == nil {
			return &ours{PostedReview: postedOf(&made), Marker: plan.Marker, mine: true}, nil
		}
		refused := refusal(err)
		switch {
		case refused == nil:
			return nil, err
		case refused.says("lock prevents review", "locked"):
			return nil, &LockedError{Number: p.number}
		case refused.says("commitOID", "commit_id") && plan.Moved && plan.Commit != "":
			plan.Commit = "" // a push has taken the commit out of the pull request; the body names it
		case refused.says("commitOID", "commit_id") && !plan.Moved:
			return nil, p.moved(ctx, plan.Commit, err)
		case len(plan.Inline) > 0 && refused.says("could not be resolved", "must be part of the diff", "part of the same hunk", "thread", "is invalid", "diff"):
			plan.retry(withdrawn{lines: true, event: plan.event})
		default:
			return nil, err
		}
	}
}

// retry plans again without what GitHub did not take. A commit that was left out stays so.
func (p *ReviewPlan) retry(w withdrawn) {
	commit := p.Commit
	*p = p.again(w)
	p.Commit = commit
}

// moved tells a head that moved since it was read from a commit that never was there.
func (p *publisher) moved(ctx context.Context, want string, refused error) error {
	now, err := p.Pull(ctx, p.number)
	if err != nil {
		return err
	}
	if now.Head == want {
		return refused
	}
	return &MovedError{Number: p.number, Want: want, Have: now.Head}
}

// resume takes up a review that an earlier run made and did not submit.
func (p *publisher) resume(ctx context.Context, o *ours) (*ours, error) {
	return o, p.onlyOurs(ctx, o.ID)
}

// clear removes an unsubmitted review of ours that has another key.
func (p *publisher) clear(ctx context.Context, o ours) error {
	if err := p.onlyOurs(ctx, o.ID); err != nil {
		return err
	}
	return p.discard(ctx, o.ID)
}

// onlyOurs refuses an unsubmitted review with which a person went on, on GitHub's pages:
// what they wrote is not ours to submit, nor to throw away.
func (p *publisher) onlyOurs(ctx context.Context, id int64) error {
	page, resp, err := p.rest.PullRequests.ListReviewComments(ctx, p.target.Owner, p.target.Repo, p.number, id, &github.ListOptions{PerPage: perPage})
	err = p.explain(ctx, p.op("read an unsubmitted review"), err)
	if gone(err) { // another run has submitted or discarded it meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	if resp.NextPage != 0 { // ours are never that many
		return &PendingReviewError{Number: p.number}
	}
	for _, comment := range page {
		if !inlineHead.MatchString(comment.GetBody()) {
			return &PendingReviewError{Number: p.number}
		}
	}
	return nil
}

// discard deletes an unsubmitted review. That it is gone already is fine.
func (p *publisher) discard(ctx context.Context, id int64) error {
	op := p.op("discard an unsubmitted review")
	err := p.send(ctx, op, newRequest(http.MethodDelete, p.target.repo("/pulls/%d/reviews/%d", p.number, id), nil), nil)
	if err == nil {
		return nil
	}
	own, lookErr := p.look(ctx)
	if lookErr != nil {
		return lookErr
	}
	for _, o := range own {
		if o.ID == id && o.State == pendingState {
			return err
		}
	}
	return nil
}

// submit shows the review to everybody.
func (p *publisher) submit(ctx context.Context, plan *ReviewPlan, pending *ours) (*ours, error) {
	for try := 1; ; try++ {
		var done github.PullRequestReview
		err := p.send(ctx, p.op("submit the review"), plan.submit(strconv.FormatInt(pending.ID, 10), plan.Event), &done)
		if err == nil {
			return &ours{PostedReview: postedOf(&done), Marker: plan.Marker, mine: true}, nil
		}
		own, lookErr := p.look(ctx)
		if lookErr != nil {
			return nil, lookErr
		}
		if there := find(own, p.key, false); there != nil {
			return there, nil
		}
		refused := refusal(err)
		switch {
		case refused != nil && plan.Event != Comment && refused.says("own pull request"):
			plan.retry(withdrawn{lines: plan.lines, event: whyOwn})
		case refused != nil && plan.Event != Comment && refused.says("not permitted to approve"):
			plan.retry(withdrawn{lines: plan.lines, event: whyActions})
		case refused != nil && refused.says("lock"):
			return nil, &LockedError{Number: p.number}
		case !unclear(err):
			return nil, err
		}
		if try == attempts {
			return nil, err
		}
	}
}

func (p *publisher) op(what string) string {
	return fmt.Sprintf("%s on pull request #%d", what, p.number)
}
