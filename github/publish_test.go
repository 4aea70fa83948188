package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func TestClient_PublishReview(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	got := w.only(pull.Number)
	if got.Author != "octo" || got.State != "COMMENTED" || got.Commit != w.head || posted.ID != got.ID || posted.Reused || len(posted.Warnings) > 0 {
		t.Errorf("got %+v, %+v", got, posted)
	}
	want := []githubtest.Comment{{Path: "main.go", Side: "RIGHT", Start: 9, Line: 10, Body: "**HIGH**\n\nleaks\n\nSuggestion:\n\nclose it"}}
	if diff := cmp.Diff(want, got.Comments); diff != "" {
		t.Error(diff)
	}
	wantBody := fmt.Sprintf("### Challenge\n\nGood, but.\n\n**MEDIUM**\n\nthink again\n\n**LOW** `main.go:1` ([look](%s/octo/hello/blob/%s/main.go#L1))\n\nno tests\n\nRound 1\n\n%s",
		w.URL(), w.head, w.review().marker())
	if diff := cmp.Diff(wantBody, got.Body); diff != "" {
		t.Error(diff)
	}
}

func TestClient_PublishReview_twiceIsOnce(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	first, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	w.Requests()
	second, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if !second.Reused || second.ID != first.ID || second.URL != first.URL {
		t.Errorf("got %+v, want that of %+v", second, first)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("the second time wrote %v", writes)
	}
}

// Whatever happens to an answer, running again ends with one review, and mostly the first run does.
func TestClient_PublishReview_GH11_lostAnswers(t *testing.T) {
	kinds := map[string]githubtest.Kind{
		"lost": githubtest.Lost, "truncated": githubtest.Truncated,
		"502 before": githubtest.Before(http.StatusBadGateway), "502 after": githubtest.After(http.StatusBadGateway), "500 after": githubtest.After(http.StatusInternalServerError),
	}
	for name, kind := range kinds {
		for _, op := range []string{"pulls/create-review", "pulls/submit-review", "pulls/list-reviews"} {
			for _, times := range []int{1, attempts + 1} {
				t.Run(fmt.Sprintf("%s %s %d", name, op, times), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					pull := w.pull()
					w.Fail(op, times, kind)
					_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
					if err != nil {
						if _, ok := errors.AsType[*ServerError](err); !ok || times < attempts {
							t.Fatal(err)
						}
						_, err = w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
						must(t, err)
					}
					if got := w.only(pull.Number); got.State != "COMMENTED" || len(got.Comments) != 1 {
						t.Errorf("got %+v", got)
					}
				})
			}
		}
	}
}

func TestClient_PreviewReview_sendsNothingAndIsWhatIsSent(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	c := w.client(w.octo)
	plan, posted, err := c.PreviewReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if writes := w.Writes(); len(writes) > 0 || posted {
		t.Fatalf("a preview wrote %v", writes)
	}
	_, err = c.PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	var sent []string
	for _, r := range w.Requests() {
		if strings.HasPrefix(r.Op, "pulls/") && r.Method != http.MethodGet {
			sent = append(sent, string(r.Body))
		}
	}
	var planned []string
	for _, r := range plan.Requests() {
		planned = append(planned, string(r.Body)+"\n")
	}
	if diff := cmp.Diff(planned, sent); diff != "" {
		t.Error(diff)
	}
	if _, posted, err = c.PreviewReview(t.Context(), pull.Number, w.review()); !posted || err != nil {
		t.Errorf("it is not seen as posted: %v", err)
	}
}
