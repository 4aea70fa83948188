package githubtest

import "fmt"

// Posted is a review as a test looks at it.
type Posted struct {
	ID        int64
	Author    string
	State     string
	Commit    string
	Body      string
	Minimized bool
	Comments  []Comment
}

// Comment is a comment of a review.
type Comment struct {
	Path        string
	Side        string
	Start, Line int
	Body        string
}

// Pull is a pull request as a test looks at it.
type Pull struct {
	Number                        int
	Author, Title, Body           string
	Branch, Head, Base            string // the head's branch and commit, and the base's branch
	Draft, Closed, Merged, Locked bool
}

// Pulls are all pull requests, the oldest first.
func (r *Repo) Pulls() []Pull {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.refresh()
	var all []Pull
	for _, p := range r.pulls {
		all = append(all, Pull{Number: p.number, Author: p.author, Title: p.title, Body: p.body, Branch: p.branch, Head: p.head, Base: p.base, Draft: p.draft, Closed: p.closed, Merged: p.merged, Locked: p.locked})
	}
	return all
}

// Reviews are all reviews of a pull request, those that nobody submitted included.
func (r *Repo) Reviews(number int) []Posted {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	p := r.pulls[number-1]
	var all []Posted
	for _, v := range p.reviews {
		posted := Posted{ID: v.id, Author: v.author, State: v.state, Commit: v.commit, Body: v.body, Minimized: v.minimized}
		for _, d := range p.comments {
			if d.review == v {
				posted.Comments = append(posted.Comments, Comment{Path: d.path, Side: d.side, Start: d.start, Line: d.line, Body: d.body})
			}
		}
		all = append(all, posted)
	}
	return all
}

// Review makes somebody review a pull request: with an event, or with "" to begin one and leave it.
// It is refused with GitHub's words where GitHub would.
func (r *Repo) Review(number int, login, event, body string, comments ...Comment) error {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.refresh()
	given := map[string]any{"body": body}
	if event != "" {
		given["event"] = event
	}
	var list []any
	for _, d := range comments {
		fields := map[string]any{"path": d.Path, "body": d.Body, "line": float64(d.Line)}
		if d.Side != "" {
			fields["side"] = d.Side
		}
		if d.Start != 0 {
			fields["start_line"] = float64(d.Start)
		}
		list = append(list, fields)
	}
	given["comments"] = list
	r.server.user(login)
	c := &call{Server: r.server, body: given, token: token{login: login}}
	return refused(c.createReview(r.pulls[number-1]))
}

// Reply makes somebody answer a comment on lines: the pull request's n-th, from 1. It stands in a review of its own.
func (r *Repo) Reply(number, n int, login, body string) {
	r.pull(number, func(p *pull) {
		s, to := r.server, p.comments[n-1]
		if to.answers != nil {
			to = to.answers
		}
		s.user(login)
		v := &review{pull: p, id: s.id(), author: login, state: pending, commit: p.head}
		v.submit("COMMENT")
		answer := *to
		answer.id, answer.review, answer.answers, answer.body, answer.created = s.id(), v, to, body, s.now()
		p.reviews, p.comments = append(p.reviews, v), append(p.comments, &answer)
	})
}

// Dismiss takes back a pull request's n-th review, from 1, as somebody does on GitHub's pages who may.
func (r *Repo) Dismiss(number, n int) {
	r.pull(number, func(p *pull) { p.reviews[n-1].state = "DISMISSED" })
}

// Forget deletes the account that wrote a pull request's n-th review, from 1. The review stays.
func (r *Repo) Forget(number, n int) {
	r.pull(number, func(p *pull) { p.reviews[n-1].ghost = true })
}

// Open opens a pull request of somebody's for a branch, or for OWNER:BRANCH of a fork.
// It is refused with GitHub's words where GitHub would.
func (r *Repo) Open(login, head, base, title string) error {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.server.user(login)
	given := map[string]any{"head": head, "base": base, "title": title}
	c := &call{Server: r.server, body: given, token: token{login: login}}
	return refused(c.createPull(r))
}

// Edit changes a pull request as its author does on GitHub's pages.
func (r *Repo) Edit(number int, body string) {
	r.pull(number, func(p *pull) { p.body = body })
}

// Close closes a pull request.
func (r *Repo) Close(number int) { r.pull(number, func(p *pull) { p.closed = true }) }

// Lock locks a pull request's conversation.
func (r *Repo) Lock(number int) { r.pull(number, func(p *pull) { p.locked = true }) }

// Retarget points a pull request to another base.
func (r *Repo) Retarget(number int, base string) { r.pull(number, func(p *pull) { p.base = base }) }

func (r *Repo) pull(number int, do func(*pull)) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.refresh()
	do(r.pulls[number-1])
}

// refused is an answer's error.
func refused(a answer) error {
	if a.status < 300 {
		return nil
	}
	return fmt.Errorf("%d %v", a.status, a.body)
}
