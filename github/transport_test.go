package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// silent never answers. In a test's bubble the minutes pass at once.
type silent struct{ asked int }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTransport_GH11_timesOut(t *testing.T) {
	for method, want := range map[string]struct {
		asked int
		took  time.Duration
	}{
		http.MethodGet:  {3, 3*requestTimeout + 3*time.Second},
		http.MethodPost: {1, requestTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &silent{}
			c, err := New(Target{Host: "github.com", Owner: "o", Repo: "r", APIURL: "https://api.github.com/"}, Options{Token: "t", Redact: redactTest, Transport: base})
			must(t, err)
			began := time.Now()
			req, err := c.rest.NewRequest(method, "user", nil)
			must(t, err)
			_, err = c.rest.Do(t.Context(), req, nil)
			err = c.explain(t.Context(), "ask", err)
			if _, ok := errors.AsType[*ServerError](err); !ok || !strings.Contains(err.Error(), "ask: no answer from GitHub") {
				t.Errorf("%s: got %v", method, err)
			}
			if took := time.Since(began); base.asked != want.asked || took != want.took {
				t.Errorf("%s: asked %d times in %s, want %d in %s", method, base.asked, took, want.asked, want.took)
			}
		})
	}
}

func TestTransport_waitIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		time.AfterFunc(2*time.Second, func() { cancel(stop) })
		if err := (Pause{For: time.Minute}).Sleep(ctx); !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTransport_controlCharactersStay(t *testing.T) {
	body := `{"body":"a` + "\\u001b" + `[31m\u0000b"}`
	base := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	})
	c, err := New(Target{Host: "github.com", Owner: "o", Repo: "r", APIURL: "https://api.github.com/"}, Options{Token: "t", Redact: redactTest, Transport: base})
	must(t, err)
	p, err := c.Pull(t.Context(), 1)
	must(t, err)
	if p.Body != "a\x1b[31m\x00b" {
		t.Errorf("got %q", p.Body)
	}
}
