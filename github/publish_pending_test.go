package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func TestClient_PublishReview_diedBeforeSubmitting(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	ctx, cancel := context.WithCancel(t.Context())
	c := w.clientOver(roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			cancel()
		}
		return http.DefaultTransport.RoundTrip(r)
	}), w.octo)
	if _, err := c.PublishReview(ctx, pull.Number, w.review()); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if got := w.only(pull.Number); got.State != "PENDING" {
		t.Fatalf("got %+v", got)
	}
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if got := w.only(pull.Number); got.State != "COMMENTED" {
		t.Errorf("got %+v", got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestClient_PublishReview_GH17_manyAtOnce(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	var runs sync.WaitGroup
	const many = 6
	errs := make([]error, many)
	for i := range many {
		c, err := New(w.target(), Options{Token: w.octo, Redact: redactTest, Pause: func(context.Context, Pause) error { return nil }})
		must(t, err)
		runs.Go(func() { _, errs[i] = c.PublishReview(t.Context(), pull.Number, w.review()) })
	}
	runs.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if got := w.only(pull.Number); got.State != "COMMENTED" {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH06_personsPendingReview(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	must(t, w.repo.Review(pull.Number, "octo", "", "not finished"))
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	if _, ok := errors.AsType[*PendingReviewError](err); !ok {
		t.Errorf("got %v", err)
	}
	if got := w.only(pull.Number); got.State != "PENDING" || got.Body != "not finished" {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH06_ourPendingReview(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	other := w.review()
	other.Round = 7
	must(t, w.repo.Review(pull.Number, "octo", "", "left\n\n"+other.marker().String()))
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if got := w.only(pull.Number); got.State != "COMMENTED" || strings.HasPrefix(got.Body, "left") {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH06_personWentOnWithOurs(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	must(t, w.repo.Review(pull.Number, "octo", "", w.review().marker().String(), githubtest.Comment{Path: "new.go", Line: 1, Body: "a note of my own"}))
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	if _, ok := errors.AsType[*PendingReviewError](err); !ok {
		t.Errorf("got %v", err)
	}
	if got := w.only(pull.Number); got.State != "PENDING" {
		t.Errorf("got %+v", got)
	}
}

// Another run made the same review after we had looked.
func TestPublisher_GH17_placeIsTaken(t *testing.T) {
	for _, event := range []string{"", "COMMENT"} {
		w := newWorld(t)
		pull := w.pull()
		c := w.client(w.octo)
		r := w.review()
		f, err := c.facts(t.Context(), pull.Number, r)
		must(t, err)
		must(t, w.repo.Review(pull.Number, "octo", event, r.marker().String()))
		p := &publisher{Client: c, number: pull.Number, viewer: f.Viewer, key: r.Key()}
		_, posted, err := p.post(t.Context(), PlanReview(f, r), nil)
		must(t, err)
		if got := w.only(pull.Number); got.State != "COMMENTED" || !strings.HasSuffix(got.Body, r.marker().String()) || posted.Reused != (event != "") {
			t.Errorf("after %q: got %+v, reused %t", event, got, posted.Reused)
		}
	}
}
