package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// dispatch does what an operation is for. Whoever may not see a repository is told that there is none.
func (c *call) dispatch() answer {
	r := c.find(c.params["owner"], c.params["repo"])
	if r == nil || !c.may(r, "read", "metadata") {
		return failure(http.StatusNotFound, "Not Found")
	}
	r.refresh()
	switch c.op {
	case "repos/get":
		return ok(r.wire())
	case "repos/get-branch":
		return c.branch(r)
	case "repos/get-branch-rules":
		return ok([]any{}) // what is protected here is protected by the branch's own settings
	case "repos/get-collaborator-permission-level":
		return c.permissionLevel(r)
	case "repos/create-commit-status":
		return c.createStatus(r)
	case "repos/list-commit-statuses-for-ref":
		return c.listStatuses(r)
	case "repos/get-latest-release":
		return c.latestRelease(r)
	case "repos/get-release-asset":
		return c.releaseAsset(r)
	case "pulls/list":
		return c.listPulls(r)
	case "pulls/create":
		return c.createPull(r)
	}
	number, err := strconv.Atoi(c.params["pull_number"])
	if err != nil || number < 1 || number > len(r.pulls) {
		return failure(http.StatusNotFound, "Not Found")
	}
	p := r.pulls[number-1]
	switch c.op {
	case "pulls/get":
		return ok(p.wire(true))
	case "pulls/update":
		return c.updatePull(p)
	case "pulls/list-files":
		return c.listFiles(p)
	case "pulls/list-reviews":
		return c.listReviews(p)
	case "pulls/create-review":
		return c.createReview(p)
	case "pulls/list-review-comments":
		return c.listComments(p, 0)
	}
	id, err := strconv.ParseInt(c.params["review_id"], 10, 64)
	v := p.review(id)
	if err != nil || v == nil || v.state == pending && v.author != c.token.login {
		return failure(http.StatusNotFound, "Not Found")
	}
	switch c.op {
	case "pulls/list-comments-for-review":
		return c.listComments(p, id)
	case "pulls/submit-review":
		return c.submitReview(v)
	case "pulls/delete-pending-review":
		return c.deleteReview(v)
	case "pulls/dismiss-review":
		return c.dismissReview(v)
	}
	return failure(http.StatusNotFound, "Not Found")
}

// forbid is the answer to a token without a permission: apps are told which one they miss.
func (c *call) forbid(permission string) answer {
	if c.token.rights == nil {
		return failure(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	a := failure(http.StatusForbidden, "Resource not accessible by integration")
	a.header = http.Header{"X-Accepted-Github-Permissions": {permission + "=write"}}
	return a
}

// page cuts a list, and says in a header where the next page is.
func (c *call) page(all []any) answer {
	size := number(c.query["per_page"], 30)
	page := number(c.query["page"], 1)
	size = min(max(size, 1), 100)
	from := min((max(page, 1)-1)*size, len(all))
	to := min(from+size, len(all))
	a := ok(append([]any{}, all[from:to]...))
	if to < len(all) {
		var query []string
		for key, value := range c.query {
			if key != "page" {
				query = append(query, key+"="+value)
			}
		}
		query = append(query, fmt.Sprintf("page=%d", page+1))
		a.header = http.Header{"Link": {fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.APIURL(), c.path, strings.Join(query, "&"))}}
	}
	return a
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

// text is a field of the body, "" where there is none.
func (c *call) text(key string) string {
	s, _ := c.body[key].(string)
	return s
}

func (c *call) permissionLevel(r *Repo) answer {
	if c.token.rights == nil && !c.may(r, "write", "metadata") {
		return failure(http.StatusForbidden, "Must have push access to view collaborator permission.")
	}
	u := c.users[c.params["username"]]
	if u == nil {
		return failure(http.StatusNotFound, c.params["username"]+" is not a user")
	}
	level := r.permission(u.login)
	old := map[string]string{"triage": "read", "maintain": "write"}[level]
	if old == "" {
		old = level
	}
	return ok(map[string]any{"permission": old, "role_name": level, "user": u.wire()})
}

// branch is one branch with what protects it.
func (c *call) branch(r *Repo) answer {
	name := c.params["branch"]
	head := c.git.rev(r.Dir, "refs/heads/"+name)
	if head == "" {
		return failure(http.StatusNotFound, "Branch not found")
	}
	contexts := []any{}
	for _, context := range r.required[name] {
		contexts = append(contexts, context)
	}
	return ok(map[string]any{
		"name": name, "commit": map[string]any{"sha": head}, "protected": r.protected(name),
		"protection": map[string]any{"enabled": r.protected(name), "required_status_checks": map[string]any{"contexts": contexts}},
	})
}
