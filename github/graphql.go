package github

import (
	"context"
	"net/http"
	"strings"
)

// Only what REST cannot do is asked in GraphQL. go-gh's own GraphQL client cannot be pointed at GITHUB_API_URL,
// so the same HTTP client posts to the address that the target has.
const (
	viewerQuery = `query { viewer { login id } }`

	minimizedQuery = `query($ids: [ID!]!) { nodes(ids: $ids) { ... on PullRequestReview { id isMinimized } } }`

	readyMutation = `mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`

	draftMutation = `mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`

	minimizeMutation = `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } } }`
)

// graphError is one of the errors that come with status 200.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type graphAnswer struct {
	Data   any          `json:"data"`
	Errors []graphError `json:"errors"`
}

// graph asks GraphQL and reads "data" into out.
func (c *Client) graph(ctx context.Context, op, query string, variables map[string]any, out any) error {
	if strings.HasPrefix(query, "query") {
		ctx = context.WithValue(ctx, onlyReads{}, true)
	}
	if variables == nil {
		variables = map[string]any{}
	}
	answer := graphAnswer{Data: out}
	r := newRequest(http.MethodPost, c.target.GraphQLURL, map[string]any{"query": query, "variables": variables})
	if err := c.send(ctx, op, r, &answer); err != nil {
		return err
	}
	if len(answer.Errors) == 0 {
		return nil
	}
	first := answer.Errors[0]
	switch first.Type {
	case "RATE_LIMITED":
		return &RateLimitError{Op: op, Reset: c.now().Add(fullHour)}
	case "NOT_FOUND":
		return &NotFoundError{Op: op}
	case "FORBIDDEN", "INSUFFICIENT_SCOPES":
		return &ForbiddenError{Op: op, Message: first.Message}
	}
	return &ValidationError{Op: op, Message: first.Message}
}
