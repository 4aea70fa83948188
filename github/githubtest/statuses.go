package githubtest

import (
	"net/http"
	"slices"
	"unicode/utf8"
)

func (c *call) createStatus(r *Repo) answer {
	if !c.may(r, "write", "statuses") {
		return c.forbid("statuses")
	}
	sha := c.git.rev(r.Dir, c.params["sha"])
	if sha == "" {
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["sha"])
	}
	if utf8.RuneCountInString(c.text("description")) > 140 {
		return invalid("Status", "description is too long (maximum is 140 characters)")
	}
	status := map[string]any{
		"id": c.id(), "state": c.text("state"), "context": c.text("context"), "created_at": c.now(), "updated_at": c.now(),
		"creator": c.user(c.token.login).wire(), "sha": sha,
	}
	for _, key := range []string{"description", "target_url"} {
		if v, given := c.body[key]; given {
			status[key] = v
		}
	}
	r.statuses = append(r.statuses, status)
	return answer{status: http.StatusCreated, body: withoutSHA(status)}
}

func (c *call) listStatuses(r *Repo) answer {
	var all []any
	for _, s := range slices.Backward(r.statuses) {
		if s["sha"] == c.git.rev(r.Dir, c.params["ref"]) {
			all = append(all, withoutSHA(s))
		}
	}
	return c.page(all)
}

func withoutSHA(status map[string]any) map[string]any {
	shown := map[string]any{}
	for key, value := range status {
		if key != "sha" {
			shown[key] = value
		}
	}
	return shown
}

// Status is the newest status of a commit by its name: state and description.
func (r *Repo) Status(commit, context string) (state, description string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return r.status(commit, context)
}

func (r *Repo) status(commit, context string) (state, description string) {
	for _, s := range slices.Backward(r.statuses) {
		if s["sha"] == commit && s["context"] == context {
			state, _ = s["state"].(string)
			description, _ = s["description"].(string)
			return state, description
		}
	}
	return "", ""
}
