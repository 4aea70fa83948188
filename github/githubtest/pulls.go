package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// pull is a pull request.
type pull struct {
	repo   *Repo
	number int
	id     int64
	author string
	title  string
	body   string
	base   string // branch
	branch string
	from   *Repo // where the branch is
	head   string
	tip    string // of the base
	gone   bool   // its repository was deleted

	draft, closed, merged, locked bool

	created, updated, mergedAt string

	reviews  []*review
	comments []*comment
}

// bodyLimit is GitHub's, in characters.
const bodyLimit = 65536

// refresh takes from git where the heads are now.
// A pull request whose branch is gone is closed, one whose head got into the base is merged, as GitHub does it.
func (r *Repo) refresh() {
	g := r.server.git
	at := map[*Repo]map[string]string{}
	branches := func(of *Repo) map[string]string {
		if at[of] == nil {
			at[of] = g.branches(of.Dir)
		}
		return at[of]
	}
	for _, p := range r.pulls {
		if p.closed {
			continue
		}
		p.gone = p.from.gone
		head, tip := "", branches(r)[p.base]
		if !p.gone {
			head = branches(p.from)[p.branch]
		}
		if head == "" {
			p.closed = true
			continue
		}
		if head == p.head && tip == p.tip {
			continue
		}
		if head != p.head {
			if p.from != r {
				_, _ = g.run(r.Dir, "", "fetch", "--quiet", "--no-tags", p.from.Dir, head) // from a folder of ours
			}
			_, _ = g.run(r.Dir, "", "update-ref", fmt.Sprintf("refs/pull/%d/head", p.number), head)
		}
		p.head, p.tip, p.updated = head, tip, r.server.now()
		if tip != "" && len(g.commits(r.Dir, tip, head)) == 0 {
			p.closed, p.merged, p.mergedAt = true, true, r.server.now()
		}
	}
}

// mergeBase is where the diff begins.
func (p *pull) mergeBase() string {
	out, err := p.repo.server.git.run(p.repo.Dir, "", "merge-base", "refs/heads/"+p.base, p.head)
	if err != nil {
		return p.repo.server.git.rev(p.repo.Dir, "refs/heads/"+p.base)
	}
	return out
}

func (p *pull) wire(whole bool) map[string]any {
	s := p.repo.server
	state := map[bool]string{false: "open", true: "closed"}[p.closed]
	label := p.from.Owner + ":" + p.branch
	head := map[string]any{"label": label, "ref": p.branch, "sha": p.head, "user": s.user(p.from.Owner).wire(), "repo": any(nil)}
	if !p.gone {
		head["repo"] = p.from.wire()
	}
	web := fmt.Sprintf("%s/%s/pull/%d", s.URL(), p.repo.name(), p.number)
	wire := map[string]any{
		"id": p.id, "node_id": p.node(), "number": p.number, "state": state, "locked": p.locked, "title": p.title, "body": p.body, "draft": p.draft,
		"user": s.user(p.author).wire(), "html_url": web, "created_at": p.created, "updated_at": p.updated, "closed_at": any(nil), "merged_at": any(nil),
		"merge_commit_sha": any(nil), "head": head, "author_association": "CONTRIBUTOR",
		"base": map[string]any{
			"label": p.repo.Owner + ":" + p.base, "ref": p.base, "sha": p.tip, "user": s.user(p.repo.Owner).wire(), "repo": p.repo.wire(),
		},
	}
	if p.closed {
		wire["closed_at"] = p.updated
	}
	if p.body == "" {
		wire["body"] = nil
	}
	if p.merged {
		wire["merged_at"] = p.mergedAt
	}
	if whole {
		wire["merged"], wire["changed_files"], wire["mergeable_state"] = p.merged, len(p.files()), "clean"
	}
	return wire
}

func (p *pull) node() string { return fmt.Sprintf("PR_%d", p.id) }

func (c *call) listPulls(r *Repo) answer {
	var all []any
	owner, branch, filtered := strings.Cut(c.query["head"], ":")
	for i := range r.pulls {
		p := r.pulls[len(r.pulls)-1-i] // the newest first is the usual order
		if c.query["direction"] == "asc" {
			p = r.pulls[i]
		}
		state := c.query["state"]
		if (state == "" || state == "open") && p.closed || state == "closed" && !p.closed {
			continue
		}
		if filtered && (!strings.EqualFold(owner, p.from.Owner) || branch != p.branch) || c.query["base"] != "" && c.query["base"] != p.base {
			continue
		}
		all = append(all, p.wire(false))
	}
	return c.page(all)
}

func (c *call) createPull(r *Repo) answer {
	if c.token.rights != nil && !c.may(r, "write", "pull_requests") {
		return c.forbid("pull_requests")
	}
	owner, branch, foreign := strings.Cut(c.text("head"), ":")
	from := r
	if !foreign {
		branch = c.text("head")
	} else if from = c.headRepo(r, owner); from == nil {
		return invalidField("PullRequest", "head")
	}
	if c.token.rights == nil && rank(from.permission(c.token.login)) < rank("write") {
		return failure(http.StatusForbidden, "Resource not accessible by personal access token")
	}
	head, base := c.git.rev(from.Dir, "refs/heads/"+branch), c.git.rev(r.Dir, "refs/heads/"+c.text("base"))
	if head == "" {
		return invalidField("PullRequest", "head")
	}
	if base == "" {
		return invalidField("PullRequest", "base")
	}
	draft, _ := c.body["draft"].(bool)
	switch {
	case c.text("title") == "":
		return invalid("PullRequest", "title can't be blank")
	case utf8.RuneCountInString(c.text("title")) > 256:
		return invalid("PullRequest", "title is too long (maximum is 256 characters)")
	case utf8.RuneCountInString(c.text("body")) > bodyLimit:
		return invalid("PullRequest", "body is too long (maximum is 65536 characters)")
	case draft && r.NoDrafts:
		return failure(http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository.")
	}
	for _, p := range r.pulls {
		if !p.closed && p.from == from && p.branch == branch && p.base == c.text("base") {
			return invalid("PullRequest", "A pull request already exists for "+from.Owner+":"+branch+".")
		}
	}
	p := &pull{
		repo: r, number: len(r.pulls) + 1, id: c.id(), author: c.token.login, title: c.text("title"), body: c.text("body"),
		base: c.text("base"), branch: branch, from: from, draft: draft, created: c.now(), updated: c.now(),
	}
	if from != r {
		_, _ = c.git.run(r.Dir, "", "fetch", "--quiet", "--no-tags", from.Dir, head)
	}
	if len(c.git.commits(r.Dir, base, head)) == 0 {
		return invalid("PullRequest", fmt.Sprintf("No commits between %s and %s", c.text("base"), branch))
	}
	r.pulls = append(r.pulls, p)
	r.refresh()
	return answer{status: http.StatusCreated, body: p.wire(true)}
}

func (c *call) headRepo(r *Repo, owner string) *Repo {
	for _, other := range c.repos {
		if strings.EqualFold(other.Owner, owner) && (other == r || other.fork == r) && !other.gone {
			return other
		}
	}
	return nil
}

func invalidField(resource, field string) answer {
	return answer{status: http.StatusUnprocessableEntity, body: map[string]any{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
		"errors": []any{map[string]any{"resource": resource, "field": field, "code": "invalid"}},
	}}
}

func (c *call) updatePull(p *pull) answer {
	if c.token.login != p.author && !c.may(p.repo, "write", "pull_requests") {
		return c.forbid("pull_requests")
	}
	if utf8.RuneCountInString(c.text("body")) > bodyLimit {
		return invalid("PullRequest", "body is too long (maximum is 65536 characters)")
	}
	if body, given := c.body["body"].(string); given {
		p.body = body
	}
	if title, given := c.body["title"].(string); given {
		p.title = title
	}
	if state, given := c.body["state"].(string); given && !p.merged {
		p.closed = state == "closed"
	}
	p.updated = c.now()
	return ok(p.wire(true))
}
