package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const pending = "PENDING"

// review is a review of a pull request.
type review struct {
	pull      *pull
	id        int64
	author    string
	body      string
	state     string
	commit    string
	submitted string
	minimized bool
	ghost     bool // its author's account was deleted
}

// comment is a comment on lines of a diff, part of a review.
type comment struct {
	id        int64
	review    *review
	about     string   // the commit
	answers   *comment // the first of its thread, nil for that one
	path      string
	body      string
	side      string
	line      int
	start     int // 0 where it is about one line
	hunk      string
	created   string
	startSide string
}

func (p *pull) review(id int64) *review {
	for _, v := range p.reviews {
		if v.id == id {
			return v
		}
	}
	return nil
}

func (v *review) node() string { return fmt.Sprintf("PRR_%d", v.id) }

func (v *review) wire() map[string]any {
	s := v.pull.repo.server
	api := fmt.Sprintf("%s/repos/%s/pulls/%d", s.APIURL(), v.pull.repo.name(), v.pull.number)
	web := fmt.Sprintf("%s/%s/pull/%d#pullrequestreview-%d", s.URL(), v.pull.repo.name(), v.pull.number, v.id)
	wire := map[string]any{
		"id": v.id, "node_id": v.node(), "user": s.user(v.author).wire(), "body": v.body, "state": v.state, "html_url": web, "pull_request_url": api,
		"commit_id": v.commit, "author_association": "COLLABORATOR", "_links": map[string]any{"html": map[string]any{"href": web}, "pull_request": map[string]any{"href": api}},
	}
	if v.submitted != "" {
		wire["submitted_at"] = v.submitted
	}
	if v.ghost {
		wire["user"] = nil
	}
	return wire
}

func (c *call) listReviews(p *pull) answer {
	var all []any
	for _, v := range p.reviews {
		if v.state != pending || v.author == c.token.login {
			all = append(all, v.wire())
		}
	}
	return c.page(all)
}

func (c *call) createReview(p *pull) answer {
	if c.token.rights != nil && !c.may(p.repo, "write", "pull_requests") {
		return c.forbid("pull_requests")
	}
	event := c.text("event")
	comments, _ := c.body["comments"].([]any)
	switch {
	case p.locked:
		return unprocessable("lock prevents review")
	case p.pendingOf(c.token.login) != nil:
		return unprocessable("User can only have one pending review per pull request")
	case utf8.RuneCountInString(c.text("body")) > bodyLimit:
		return unprocessable("Body is too long (maximum is 65536 characters)") // words: not known
	case event != "" && event != "APPROVE" && c.text("body") == "" && len(comments) == 0:
		return unprocessable("Review body can not be blank") // words: not known
	}
	v := &review{pull: p, id: c.id(), author: c.token.login, body: c.text("body"), state: pending, commit: p.head}
	if commit := c.text("commit_id"); commit != "" {
		if commit != p.head && !slices.Contains(c.git.commits(p.repo.Dir, p.mergeBase(), p.head), commit) {
			return unprocessable("The commitOID is not part of the pull request")
		}
		v.commit = commit
	}
	if refused := c.refuses(v, event); refused != nil {
		return *refused
	}
	drafts, wrong := c.drafts(v, comments)
	if wrong != "" {
		return unprocessable(wrong)
	}
	p.reviews = append(p.reviews, v)
	p.comments = append(p.comments, drafts...)
	if event != "" {
		v.submit(event)
	}
	return ok(v.wire())
}

func (p *pull) pendingOf(login string) *review {
	for _, v := range p.reviews {
		if v.state == pending && v.author == login {
			return v
		}
	}
	return nil
}

// refuses is what an event is refused with: nobody judges a pull request of their own, and workflows do not approve.
func (c *call) refuses(v *review, event string) *answer {
	var a answer
	switch {
	case event == "APPROVE" && v.author == v.pull.author:
		a = unprocessable("Review Can not approve your own pull request")
	case event == "REQUEST_CHANGES" && v.author == v.pull.author:
		a = unprocessable("Review Can not request changes on your own pull request")
	case event == "APPROVE" && v.author == ActionsLogin && !v.pull.repo.ActionsMayApprove:
		a = failure(http.StatusUnprocessableEntity, "GitHub Actions is not permitted to approve pull requests.")
	default:
		return nil
	}
	return &a
}

// drafts reads the comments of a new review. One that is off the diff refuses all of them, and nobody is told which.
func (c *call) drafts(v *review, given []any) ([]*comment, string) {
	byPath := map[string]changed{}
	for _, f := range c.git.diff(v.pull.repo.Dir, v.pull.mergeBase(), v.commit) {
		byPath[f.path] = f
	}
	var all []*comment
	for _, g := range given {
		fields, _ := g.(map[string]any)
		text := func(key string) string { s, _ := fields[key].(string); return s }
		whole := func(key string) int { n, _ := fields[key].(float64); return int(n) }
		d := &comment{id: c.id(), review: v, about: v.commit, path: text("path"), body: text("body"), side: text("side"), line: whole("line"), start: whole("start_line"), startSide: text("start_side"), created: c.now()}
		if d.side == "" {
			d.side = "RIGHT"
		}
		f, known := byPath[d.path]
		at := lines(f.patch)
		hunk := at[line{d.side, d.line}]
		switch {
		case !known:
			return nil, "Path could not be resolved, and Line could not be resolved"
		case hunk == 0:
			return nil, "Line could not be resolved"
		case d.start != 0 && (d.start >= d.line || at[line{d.side, d.start}] != hunk):
			return nil, "Start line could not be resolved" // words: not known
		case utf8.RuneCountInString(d.body) > bodyLimit || d.body == "":
			return nil, "Body is invalid" // words: not known
		}
		d.hunk = strings.TrimRight(strings.Split(f.patch, "\n@@")[0], "\n")
		all = append(all, d)
	}
	return all, ""
}

func (v *review) submit(event string) {
	v.state = map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}[event]
	v.submitted = v.pull.repo.server.now()
}

func (c *call) submitReview(v *review) answer {
	if v.state != pending {
		return unprocessable("Can not submit a review that has already been submitted") // words: not known
	}
	if v.pull.locked {
		return unprocessable("lock prevents review")
	}
	event := c.text("event")
	if refused := c.refuses(v, event); refused != nil {
		return *refused
	}
	if body := c.text("body"); body != "" {
		v.body = body
	}
	v.submit(event)
	return ok(v.wire())
}

func (c *call) deleteReview(v *review) answer {
	if v.state != pending {
		return unprocessable("Can not delete a non-pending pull request review")
	}
	wire := v.wire()
	p := v.pull
	p.reviews = slices.DeleteFunc(p.reviews, func(o *review) bool { return o == v })
	p.comments = slices.DeleteFunc(p.comments, func(d *comment) bool { return d.review == v })
	return ok(wire)
}

func (c *call) dismissReview(v *review) answer {
	switch {
	case !c.may(v.pull.repo, "write", "pull_requests"):
		return c.forbid("pull_requests")
	case v.state != "APPROVED" && v.state != "CHANGES_REQUESTED":
		return unprocessable("Can not dismiss a commented pull request review")
	}
	v.state = "DISMISSED"
	return ok(v.wire())
}

// listComments lists those of all reviews that are submitted, or those of one review.
func (c *call) listComments(p *pull, id int64) answer {
	var all []any
	for _, d := range p.comments {
		if id == 0 && d.review.state == pending || id != 0 && d.review.id != id {
			continue
		}
		all = append(all, d.wire(id == 0))
	}
	return c.page(all)
}

// wire tells where a comment's lines are now: null once they have changed.
func (d *comment) wire(now bool) map[string]any {
	p := d.review.pull
	s := p.repo.server
	api := fmt.Sprintf("%s/repos/%s/pulls/%d", s.APIURL(), p.repo.name(), p.number)
	web := fmt.Sprintf("%s/%s/pull/%d#discussion_r%d", s.URL(), p.repo.name(), p.number, d.id)
	wire := map[string]any{
		"id": d.id, "node_id": fmt.Sprintf("PRRC_%d", d.id), "url": fmt.Sprintf("%s/comments/%d", api, d.id), "pull_request_review_id": d.review.id,
		"diff_hunk": d.hunk, "path": d.path, "commit_id": p.head, "original_commit_id": d.about, "user": s.user(d.review.author).wire(),
		"body": d.body, "created_at": d.created, "updated_at": d.created, "html_url": web, "pull_request_url": api, "author_association": "COLLABORATOR",
		"_links":        map[string]any{"self": map[string]any{"href": api}, "html": map[string]any{"href": web}, "pull_request": map[string]any{"href": api}},
		"original_line": d.line, "side": d.side,
	}
	if d.start != 0 {
		wire["original_start_line"] = d.start
	}
	if d.answers != nil {
		wire["in_reply_to_id"] = d.answers.id
	}
	if !now {
		return wire
	}
	commit := d.about
	if d.side == "LEFT" {
		commit = p.head // the old side stays
	}
	wire["line"] = nil
	if n := s.git.carry(p.repo.Dir, d.path, commit, p.head, d.line); n > 0 {
		wire["line"] = n
		if d.start != 0 {
			wire["start_line"], wire["start_side"] = n-d.line+d.start, d.side
		}
	}
	return wire
}
