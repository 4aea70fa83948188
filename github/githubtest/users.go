package githubtest

import (
	"fmt"
	"maps"
	"strings"
)

type user struct {
	login string
	id    int64
	bot   bool
}

// token is what a request is made with.
type token struct {
	login  string
	rights map[string]string // of an app: permission to level; nil for a person, who has their own
}

// NewUser makes a person and returns a token of theirs.
func (s *Server) NewUser(login string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user(login)
	value := fmt.Sprintf("ghp_%s%032d", strings.ReplaceAll(login, "-", ""), len(s.tokens))
	s.tokens[value] = token{login: login}
	return value
}

// ActionsLogin is who a workflow's own token is.
const ActionsLogin = "github-actions[bot]"

// ActionsToken is a token as a workflow gets it, with the rights that its job names: "pull_requests": "write".
// Without any it is that of a fork's pull request, which may read everything.
func (s *Server) ActionsToken(rights map[string]string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user(ActionsLogin).bot = true
	value := fmt.Sprintf("ghs_actions%032d", len(s.tokens))
	held := map[string]string{"metadata": "read", "contents": "read", "pull_requests": "read", "statuses": "read"}
	maps.Copy(held, rights)
	s.tokens[value] = token{login: ActionsLogin, rights: held}
	return value
}

// Revoke makes a token one that GitHub does not know.
func (s *Server) Revoke(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, value)
}

func (s *Server) user(login string) *user {
	if s.users[login] == nil {
		s.users[login] = &user{login: login, id: s.id()}
	}
	return s.users[login]
}

// node is the user's name in GraphQL, of which the beginning tells what it is.
func (u *user) node() string {
	if u.bot {
		return fmt.Sprintf("BOT_%d", u.id)
	}
	return fmt.Sprintf("U_%d", u.id)
}

func (u *user) wire() map[string]any {
	kind := "User"
	if u.bot {
		kind = "Bot"
	}
	return map[string]any{"login": u.login, "id": u.id, "node_id": u.node(), "type": kind, "site_admin": false}
}

// may reports whether the request's token allows it: reading, or writing something that apps have a permission for.
func (c *call) may(r *Repo, level, permission string) bool {
	if c.token.rights != nil {
		have := c.token.rights[permission]
		return have == "write" || have == level
	}
	return rank(r.permission(c.token.login)) >= rank(level)
}

func rank(level string) int {
	return map[string]int{"none": 0, "read": 1, "triage": 1, "write": 2, "maintain": 2, "admin": 3}[level]
}
