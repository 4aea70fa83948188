package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/go-github/v60/github"
)

// explain turns an error of go-github into one of ours; op is what was tried, in the imperative.
func (c *Client) explain(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	if e, ok := errors.AsType[*github.RateLimitError](err); ok {
		return &RateLimitError{Op: op, Reset: e.Rate.Reset.Time}
	}
	if e, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
		return c.limited(op, e.Response)
	}
	if e, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return c.refused(ctx, op, e)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || isJSON(err) {
		return &ServerError{Op: op, Status: http.StatusOK, Err: err}
	}
	return &ServerError{Op: op, Err: err}
}

func isJSON(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}

func (c *Client) refused(ctx context.Context, op string, e *github.ErrorResponse) error {
	message := messageOf(e)
	switch status := e.Response.StatusCode; {
	case limitOf(e.Response, message) != noLimit:
		return c.limited(op, e.Response)
	case status == http.StatusUnauthorized:
		return &SignInError{Host: c.target.Host, Expired: true}
	case status == http.StatusForbidden:
		return &ForbiddenError{Op: op, Message: message, Need: needed(e.Response.Header), SSO: ssoURL(e.Response.Header)}
	case status == http.StatusNotFound, status == http.StatusGone:
		return &NotFoundError{Op: op}
	case 300 <= status && status < 400:
		return c.renamed(ctx)
	case status >= 500:
		return &ServerError{Op: op, Status: status}
	}
	return &ValidationError{Op: op, Message: message}
}

// renamed asks for the name that a repository has now: reads are led there.
func (c *Client) renamed(ctx context.Context) error {
	e := &RenamedError{Old: c.target.Owner + "/" + c.target.Repo}
	if repo, _, err := c.rest.Repositories.Get(ctx, c.target.Owner, c.target.Repo); err == nil && !strings.EqualFold(repo.GetFullName(), e.Old) {
		e.New = repo.GetFullName()
	}
	return e
}

func (c *Client) limited(op string, r *http.Response) error {
	return &RateLimitError{Op: op, Reset: c.now().Add(pauseFor(r, c.now(), 1)), Secondary: r.Header.Get(remainingHeader) != "0"}
}

// messageOf is all that GitHub says: the details come as objects, or as plain text.
func messageOf(e *github.ErrorResponse) string {
	said := []string{cmp.Or(e.Message, e.Response.Status)}
	for _, d := range e.Errors {
		text := d.Message
		if text == "" {
			text = strings.TrimSpace(strings.Join([]string{d.Resource, d.Field, d.Code}, " "))
		}
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, ": ")
}

// needed reads `pull_requests=write,contents=read` and says it in the words of a workflow file.
func needed(h http.Header) string {
	accepted, _, _ := strings.Cut(h.Get("X-Accepted-GitHub-Permissions"), ";")
	if accepted == "" {
		if scopes := h.Get("X-Accepted-OAuth-Scopes"); scopes != "" {
			return "one of the scopes " + scopes
		}
		return ""
	}
	var wants []string
	for want := range strings.SplitSeq(accepted, ",") {
		name, level, _ := strings.Cut(strings.TrimSpace(want), "=")
		wants = append(wants, "`"+strings.ReplaceAll(name, "_", "-")+": "+level+"`")
	}
	return strings.Join(wants, " and ")
}

var ssoLink = regexp.MustCompile(`url=(https://\S+)`)

func ssoURL(h http.Header) string {
	if m := ssoLink.FindStringSubmatch(h.Get("X-GitHub-SSO")); m != nil {
		return m[1]
	}
	return ""
}

// unclear reports whether GitHub may have done what it did not confirm.
func unclear(err error) bool {
	_, ok := errors.AsType[*ServerError](err)
	return ok
}

// refusal is GitHub's refusal of a request, or nil.
func refusal(err error) *ValidationError {
	e, _ := errors.AsType[*ValidationError](err)
	return e
}
