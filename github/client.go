package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/api"
	"github.com/google/go-github/v60/github"
)

// Options are what a client needs beside its target.
type Options struct {
	Token  string              // required
	Redact func(string) string // required: blanks secrets in what a model wrote

	// Accounts are logins whose marked reviews count as ours, beside the login of the token:
	// two accounts that publish the same change know each other's reviews.
	Accounts []string

	// Local is asked for the files of a review's findings, as the clone tells of them,
	// where GitHub does not list all that a pull request changes; nil knows none.
	Local func(context.Context, Review) ([]File, error)

	Transport http.RoundTripper                  // nil is http.DefaultTransport, which obeys HTTPS_PROXY; gh's http_unix_socket is the caller's to dial
	Pause     func(context.Context, Pause) error // waits, and shows that it does; nil sleeps
	MaxWait   time.Duration                      // for one request; 0 is one minute
	Now       func() time.Time                   // nil is time.Now
	UserAgent string
}

// Client speaks to one repository.
type Client struct {
	target   Target
	rest     *github.Client
	http     *http.Client
	sanitize Sanitizer
	accounts []string
	local    func(context.Context, Review) ([]File, error)
	bot      bool // by the token's kind
	now      func() time.Time
}

// New makes a client. It makes no request.
func New(t Target, o Options) (*Client, error) {
	if o.Token == "" {
		return nil, &SignInError{Host: t.Host}
	}
	if o.Redact == nil {
		return nil, errors.New("a client needs a Redact: models' words are not posted unread")
	}
	base, err := url.Parse(t.APIURL)
	if err != nil || base.Hostname() == "" {
		return nil, &TargetError{From: "API", Value: t.APIURL, Reason: "it is no URL"}
	}
	c := &Client{target: t, accounts: o.Accounts, local: o.Local, now: o.Now, bot: strings.HasPrefix(o.Token, "ghs_")}
	if c.now == nil {
		c.now = time.Now
	}
	pause := o.Pause
	if pause == nil {
		pause = func(ctx context.Context, p Pause) error { return p.Sleep(ctx) }
	}
	under := o.Transport
	if under == nil {
		under = http.DefaultTransport
	}
	c.http, err = api.NewHTTPClient(api.ClientOptions{
		Host:          base.Hostname(), // without its port: go-gh sends the token to this name only
		AuthToken:     o.Token,
		Transport:     &transport{base: under, pause: pause, maxWait: cmp.Or(o.MaxWait, time.Minute), now: c.now},
		CheckRedirect: followReads,
	})
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", t.Host, err)
	}
	c.rest = github.NewClient(c.http)
	c.rest.BaseURL = base
	c.rest.UserAgent = cmp.Or(o.UserAgent, "gh-agentd")
	c.sanitize = Sanitizer{Target: t, Redact: o.Redact}
	return c, nil
}

// Target is the repository that the client speaks to.
func (c *Client) Target() Target { return c.target }

// Sanitizer is what a model's words go through for this repository.
func (c *Client) Sanitizer() Sanitizer { return c.sanitize }

// followReads stops at a redirect of a write: Go would make a GET of it, and a POST to a renamed repository would look done.
func followReads(req *http.Request, via []*http.Request) error {
	const most = 5
	if via[0].Method != http.MethodGet || len(via) >= most {
		return http.ErrUseLastResponse
	}
	return nil
}

// repo is the path of the repository's resources in REST.
func (t Target) repo(format string, args ...any) string {
	return fmt.Sprintf("repos/%s/%s", t.Owner, t.Repo) + fmt.Sprintf(format, args...)
}
