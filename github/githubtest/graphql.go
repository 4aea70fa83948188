package githubtest

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed testdata/schema.graphql
var graphSchema string

func loadGraphQL() (*ast.Schema, error) {
	return gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: graphSchema})
}

func (s *Server) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	c := &call{Server: s, method: r.Method, path: "/graphql", header: r.Header}
	if !c.read(w, r) {
		return
	}
	field, err := s.parseGraphQL(c.text("query"))
	c.op = "graphql/" + field
	s.serve(w, r, c, func() answer {
		switch {
		case err != nil:
			s.problems = append(s.problems, fmt.Sprintf("GraphQL: %v", err))
			return graphError("", err.Error())
		case c.token.login == "":
			return failure(http.StatusUnauthorized, "Bad credentials")
		}
		return c.graph(field)
	})
}

// parseGraphQL holds a document against GitHub's schema and returns its one field.
func (s *Server) parseGraphQL(document string) (string, error) {
	query, wrong := gqlparser.LoadQueryWithRules(s.graphQL, document, rules.NewDefaultRules())
	if len(wrong) > 0 {
		return "", wrong
	}
	field, ok := query.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok {
		return "", fmt.Errorf("%q asks for no field", document)
	}
	return field.Name, nil
}

func graphError(kind, message string) answer {
	return ok(map[string]any{"data": nil, "errors": []any{map[string]any{"type": kind, "message": message}}})
}

func data(field string, value any) answer {
	return ok(map[string]any{"data": map[string]any{field: value}})
}

func (c *call) graph(field string) answer {
	variables, _ := c.body["variables"].(map[string]any)
	id, _ := variables["id"].(string)
	switch field {
	case "viewer":
		u := c.user(c.token.login)
		return data(field, map[string]any{"login": strings.TrimSuffix(u.login, "[bot]"), "id": u.node()})
	case "nodes":
		ids, _ := variables["ids"].([]any)
		var nodes []any
		for _, id := range ids {
			nodes = append(nodes, nil)
			if _, v := c.node(fmt.Sprint(id)); v != nil {
				nodes[len(nodes)-1] = map[string]any{"id": v.node(), "isMinimized": v.minimized}
			}
		}
		return data(field, nodes)
	}
	p, v := c.node(id)
	if p == nil {
		return graphError("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'")
	}
	if !c.may(p.repo, "write", "pull_requests") && (p.author != c.token.login || field == "minimizeComment") {
		return graphError("FORBIDDEN", "Resource not accessible by integration")
	}
	switch {
	case field == "minimizeComment" && v != nil:
		v.minimized = true
		return data(field, map[string]any{"minimizedComment": map[string]any{"isMinimized": true}})
	case p.closed:
		return graphError("UNPROCESSABLE", "Pull request is closed")
	case field == "convertPullRequestToDraft" && p.repo.NoDrafts:
		return graphError("UNPROCESSABLE", "Draft pull requests are not supported in this repository.")
	}
	p.draft = field == "convertPullRequestToDraft"
	return data(field, map[string]any{"pullRequest": map[string]any{"isDraft": p.draft}})
}

// node finds a pull request, or a review and its pull request, by the name that GraphQL has for it.
func (c *call) node(id string) (*pull, *review) {
	for _, r := range c.repos {
		for _, p := range r.pulls {
			if p.node() == id {
				return p, nil
			}
			for _, v := range p.reviews {
				if v.node() == id {
					return p, v
				}
			}
		}
	}
	return nil, nil
}
