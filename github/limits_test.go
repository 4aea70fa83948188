package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func TestClient_GH09_limits(t *testing.T) {
	soon := testNow.Add(20 * time.Second).Unix()
	late := testNow.Add(40 * time.Minute)
	tests := []struct {
		name  string
		kind  githubtest.Kind
		times int
		pause time.Duration
		reset time.Time // zero where it goes on by itself
	}{
		{"secondary 403", githubtest.Limited(403, 5), 1, 6 * time.Second, time.Time{}},
		{"secondary 429", githubtest.Limited(429, 5), 2, 6 * time.Second, time.Time{}},
		{"secondary without a time", githubtest.Limited(403, -1), 1, time.Minute, time.Time{}},
		{"secondary, for long", githubtest.Limited(429, 3600), 1, 0, testNow.Add(time.Hour + time.Second)},
		{"primary, soon over", githubtest.Exhausted(403, soon), 1, 21 * time.Second, time.Time{}},
		{"primary by 429", githubtest.Exhausted(429, soon), 1, 21 * time.Second, time.Time{}},
		{"primary, for long", githubtest.Exhausted(403, late.Unix()), 1, 0, late},
		{"never over", githubtest.Limited(403, 1), 99, 2 * time.Second, testNow.Add(2 * time.Second)},
	}
	for _, tt := range tests {
		for _, op := range []string{"pulls/create-review", "pulls/get"} {
			t.Run(tt.name+" "+op, func(t *testing.T) {
				w := newWorld(t)
				pull := w.pull()
				w.Fail(op, tt.times, tt.kind)
				_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
				for _, p := range w.pauses {
					if p.For != tt.pause || !strings.Contains(p.Why, "limit") {
						t.Errorf("pause %+v, want %s", p, tt.pause)
					}
				}
				if tt.reset.IsZero() {
					must(t, err)
					w.only(pull.Number)
					if len(w.pauses) != tt.times {
						t.Errorf("%d pauses", len(w.pauses))
					}
					return
				}
				e, ok := errors.AsType[*RateLimitError](err)
				if !ok || !e.Reset.Equal(tt.reset) {
					t.Fatalf("got %v, want a reset at %s", err, tt.reset)
				}
				if got := w.repo.Reviews(pull.Number); len(got) > 0 {
					t.Errorf("got %+v", got)
				}
			})
		}
	}
}

func TestClient_reads_areRepeated(t *testing.T) {
	for name, kind := range map[string]githubtest.Kind{"502": githubtest.Before(502), "lost": githubtest.Lost, "truncated": githubtest.Truncated} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			pull := w.pull()
			w.Fail("pulls/get", 2, kind)
			if _, err := w.client(w.ada).Pull(t.Context(), pull.Number); err != nil {
				t.Fatal(err)
			}
			// net/http repeats a read by itself where a connection that it kept was closed.
			if name != "lost" && (len(w.pauses) != 2 || w.pauses[1] != (Pause{For: 2 * time.Second, Why: "server error", Try: 3, Most: 3})) {
				t.Errorf("paused %+v", w.pauses)
			}
			w.Fail("pulls/get", 12, kind)
			_, err := w.client(w.ada).Pull(t.Context(), pull.Number)
			if _, ok := errors.AsType[*ServerError](err); !ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestClient_hangsUntilInterrupted(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	w.Fail("pulls/get", 1, githubtest.Hang)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	c := w.clientOver(roundTrip(func(r *http.Request) (*http.Response, error) {
		go func() { cancel(stop) }()
		return http.DefaultTransport.RoundTrip(r)
	}), w.ada)
	if _, err := c.Pull(ctx, pull.Number); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestClient_errors(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	read := func(token string) error {
		_, err := w.client(token).Pull(t.Context(), pull.Number)
		return err
	}
	check := func(name string, err error, words, hint string) {
		t.Helper()
		hinted, ok := errors.AsType[interface {
			error
			Hint() string
		}](err)
		if !ok || !strings.Contains(err.Error(), words) || !strings.Contains(hinted.Hint(), hint) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	check("GH-01", read("ghp_unknown"), "not signed in to 127.0.0.1: the token is expired or revoked", "gh auth login --hostname 127.0.0.1")
	_, err := w.client(w.ada).Pull(t.Context(), 99)
	check("GH-03", err, "read pull request #99: not found, or no access", "gh auth status")
	w.Fail("pulls/get", 1, githubtest.SSO("https://github.com/orgs/octo/sso?x=1"))
	check("GH-02", read(w.ada), "SAML", "authorise the token for the organisation: https://github.com/orgs/octo/sso?x=1")
	w.Fail("pulls/get", 1, githubtest.Before(http.StatusForbidden))
	check("GH-02", read(w.ada), "forbidden", "gh auth refresh")
	w.repo.Private()
	w.repo.Allow("bob", "none")
	check("GH-03", read(w.bob), "not found, or no access", "")
}

func TestNew_GH01_withoutToken(t *testing.T) {
	_, err := New(Target{Host: "github.com", APIURL: "https://api.github.com/"}, Options{Redact: redactTest})
	if e, ok := errors.AsType[*SignInError](err); !ok || e.Error() != "not signed in to github.com" || e.Hint() != "gh auth login --hostname github.com" {
		t.Errorf("got %v", err)
	}
}

func TestClient_GH16_renamed(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	must(t, w.repo.Rename("goodbye"))
	got, err := w.client(w.octo).Pull(t.Context(), pull.Number)
	must(t, err)
	if got.Head != w.head {
		t.Errorf("got %+v", got)
	}
	_, err = w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	e, ok := errors.AsType[*RenamedError](err)
	if !ok || e.New != "octo/goodbye" || !strings.Contains(e.Hint(), "--repo octo/goodbye") {
		t.Errorf("got %v", err)
	}
	if got := w.repo.Reviews(pull.Number); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestClient_tokenGoesToItsHostOnly(t *testing.T) {
	var sent []string
	c, err := New(Target{Host: "ghe.example.com", Owner: "o", Repo: "r", APIURL: "https://ghe.example.com:8443/api/v3/"}, Options{
		Token: "t", Redact: redactTest,
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.URL.Host+" "+r.Header.Get("Authorization"))
			if r.URL.Host == "elsewhere.example.com" {
				return &http.Response{StatusCode: 404, Body: http.NoBody, Header: http.Header{}}, nil
			}
			return &http.Response{StatusCode: 301, Body: http.NoBody, Header: http.Header{"Location": {"https://elsewhere.example.com/x"}}}, nil
		}),
	})
	must(t, err)
	_, err = c.Pull(t.Context(), 1)
	if _, ok := errors.AsType[*NotFoundError](err); !ok {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"ghe.example.com:8443 token t", "elsewhere.example.com "}, sent); diff != "" {
		t.Error(diff)
	}
}
