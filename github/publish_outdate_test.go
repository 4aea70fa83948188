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

func TestClient_PublishReview_GH14_headMoved(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	old := w.review()
	w.head = w.commit(branch, map[string]string{"new.go": lines(1, 6)})
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, old)
	e, ok := errors.AsType[*MovedError](err)
	if !ok || e.Want != old.Head || e.Have != w.head {
		t.Fatalf("got %v", err)
	}
	if got := w.repo.Reviews(pull.Number); len(got) > 0 {
		t.Fatalf("got %+v", got)
	}
	old.Moved, old.Event = MovedComment, RequestChanges
	_, err = w.client(w.octo).PublishReview(t.Context(), pull.Number, old)
	must(t, err)
	got := w.only(pull.Number)
	if got.State != "COMMENTED" || got.Commit != old.Head || len(got.Comments) > 0 || !strings.Contains(got.Body, "About commit "+old.Head) {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH14_forcePush(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	old := w.review()
	must(t, w.repo.SetBranch(branch, w.repo.Head("main")))
	w.head = w.commit(branch, map[string]string{"other.go": lines(1, 6)})
	old.Moved = MovedComment
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, old)
	must(t, err)
	if got := w.only(pull.Number); got.Commit != w.head || !strings.Contains(got.Body, "About commit "+old.Head) {
		t.Errorf("got %+v", got)
	}
}

// The head moves between the look at it and the post.
func TestPublisher_GH14_headMovedMeanwhile(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	c := w.client(w.octo)
	r := w.review()
	f, err := c.facts(t.Context(), pull.Number, r)
	must(t, err)
	must(t, w.repo.SetBranch(branch, w.repo.Head("main")))
	w.commit(branch, map[string]string{"other.go": lines(1, 6)})
	p := &publisher{Client: c, number: pull.Number, viewer: f.Viewer, key: r.Key()}
	_, _, err = p.post(t.Context(), PlanReview(f, r), nil)
	if _, ok := errors.AsType[*MovedError](err); !ok {
		t.Errorf("got %v", err)
	}
}

func TestPlanReview_withoutPullRequest(t *testing.T) {
	r := Review{Kind: "challenge", Change: "add-oauth", Head: "abc", Event: RequestChanges, Findings: []Finding{{Text: "x", Path: "a.go", Last: 2}}}
	f := Facts{Sanitizer: testSanitizer, Viewer: Account{Login: "ada"}, Files: Files{Changed: []File{{Path: "a.go", Hunks: []Hunk{{RightStart: 1, RightCount: 3}}}}}}
	plan := PlanReview(f, r)
	if plan.Moved || plan.Event != RequestChanges || len(plan.Inline) != 1 {
		t.Errorf("got %+v", plan)
	}
	var paths []string
	for _, request := range plan.Requests() {
		paths = append(paths, request.Path)
	}
	if diff := cmp.Diff([]string{"repos/octo/hello/pulls/{number}/reviews", "repos/octo/hello/pulls/{number}/reviews/{id}/events"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestClient_PublishReview_GH15_strangersMarker(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	must(t, w.repo.Review(pull.Number, "bob", "COMMENT", "I am agentd\n\n"+w.review().marker().String()))
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if got := w.repo.Reviews(pull.Number); len(got) != 2 || posted.Reused || got[0].Minimized {
		t.Errorf("got %+v", got)
	}
	again, err := w.client(w.ada, "OCTO").PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if !again.Reused || again.ID != posted.ID {
		t.Error("a configured account's review is not found")
	}
}

func TestClient_PublishReview_outdatesOlderOnes(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	c := w.client(w.octo)
	post := func(round int, kind string, event Event) {
		t.Helper()
		r := w.review()
		r.Round, r.Kind, r.Event, r.Head = round, kind, event, w.head
		posted, err := c.PublishReview(t.Context(), pull.Number, r)
		must(t, err)
		if len(posted.Warnings) > 0 {
			t.Error(posted.Warnings)
		}
	}
	post(1, "challenge", RequestChanges)
	post(1, "review", RequestChanges)
	must(t, w.repo.Review(pull.Number, "bob", "REQUEST_CHANGES", "mine"))
	w.head = w.commit(branch, map[string]string{"new.go": lines(1, 7)})
	post(2, "challenge", Comment)
	var got []string
	for _, v := range w.repo.Reviews(pull.Number) {
		got = append(got, fmt.Sprint(v.Author, " ", v.State, " ", v.Minimized))
	}
	want := []string{"octo DISMISSED true", "octo CHANGES_REQUESTED false", "bob CHANGES_REQUESTED false", "octo COMMENTED false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestClient_PublishReview_outdatingIsBestEffort(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	c := w.client(w.octo)
	_, err := c.PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	r := w.review()
	r.Round = 2
	w.Fail("graphql/minimizeComment", 1, githubtest.Before(http.StatusBadGateway))
	posted, err := c.PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	if len(posted.Warnings) != 1 || w.repo.Reviews(pull.Number)[0].Minimized {
		t.Errorf("got %v", posted.Warnings)
	}
	posted, err = c.PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	if !posted.Reused || !w.repo.Reviews(pull.Number)[0].Minimized {
		t.Error("the next run does not finish it")
	}
}

func TestClient_PublishReview_GH20_manyReviews(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	for range 130 {
		must(t, w.repo.Review(pull.Number, "bob", "COMMENT", "again"))
	}
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	if all, err := w.client(w.octo).Reviews(t.Context(), pull.Number); !posted.Reused || err != nil || len(all) != 131 {
		t.Errorf("%d reviews, %v", len(all), err)
	}
}
