package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
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

func TestClient_PublishReview_ownPullRequest(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	r := w.review()
	r.Event = RequestChanges
	posted, err := w.client(w.ada).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	if got := w.only(pull.Number); got.State != "COMMENTED" || !strings.Contains(got.Body, "Posted as a comment: GitHub lets nobody judge") || posted.Event != Comment {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH05_actionsToken(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	token := w.ActionsToken(map[string]string{"pull_requests": "write"})
	r := w.review()
	r.Event = Approve
	_, err := w.client(token).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	if got := w.only(pull.Number); got.State != "COMMENTED" || got.Author != githubtest.ActionsLogin {
		t.Errorf("got %+v", got)
	}
	r.Event, r.Round = RequestChanges, 2
	_, err = w.client(token).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	if got := w.repo.Reviews(pull.Number); len(got) != 2 || got[1].State != "CHANGES_REQUESTED" || !got[0].Minimized {
		t.Errorf("got %+v", got)
	}
}

// An app of another name is refused only by GitHub.
func TestPublisher_submit_downgradesWhatIsRefused(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	token := w.ActionsToken(map[string]string{"pull_requests": "write"})
	c := w.client(token)
	f, err := c.facts(t.Context(), pull.Number, w.review())
	must(t, err)
	f.Viewer.Login = "another-app"
	r := w.review()
	r.Event = Approve
	plan := PlanReview(f, r)
	p := &publisher{Client: c, number: pull.Number, viewer: Account{Login: actionsBot, Bot: true}, key: r.Key()}
	there, posted, err := p.post(t.Context(), plan, nil)
	must(t, err)
	if there.State != "COMMENTED" || posted.Plan.Why != whyActions {
		t.Errorf("got %+v, %+v", there, posted.Plan)
	}
	if got := w.only(pull.Number); !strings.Contains(got.Body, "Posted as a comment: "+whyActions) || len(got.Comments) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH02_readOnlyToken(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	_, err := w.client(w.ActionsToken(nil)).PublishReview(t.Context(), pull.Number, w.review())
	e, ok := errors.AsType[*ForbiddenError](err)
	if !ok || e.Hint() != "the token needs `pull-requests: write`" {
		t.Errorf("got %v", err)
	}
}

func TestClient_PublishReview_GH07_offTheDiff(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	r := w.review()
	r.Findings = []Finding{
		{Severity: High, Text: "gone", Path: "logo.png", Last: 1}, {Severity: High, Text: "far", Path: "main.go", Last: 20},
		{Severity: High, Text: "half", Path: "main.go", First: 1, Last: 9}, {Severity: High, Text: "none", Path: "../etc/`passwd`\n", Last: 3}, {Severity: High, Text: "old", Path: "main.go", Side: Left, Last: 10},
	}
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	got := w.only(pull.Number)
	want := []githubtest.Comment{{Path: "main.go", Side: "RIGHT", Line: 9, Body: "**HIGH**\n\nhalf"}, {Path: "main.go", Side: "LEFT", Line: 10, Body: "**HIGH**\n\nold"}}
	if diff := cmp.Diff(want, got.Comments); diff != "" {
		t.Error(diff)
	}
	if posted.Plan.InBody != 3 || !strings.Contains(got.Body, "`` ../etc/`passwd`:3 ``") && !strings.Contains(got.Body, "``../etc/`passwd` :3``") {
		t.Errorf("got %s", got.Body)
	}
}

// The diff that was read is not the diff that GitHub has when the review comes.
func TestClient_PublishReview_GH07_diffMovedMeanwhile(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	c := w.client(w.octo)
	r := w.review()
	f, err := c.facts(t.Context(), pull.Number, r)
	must(t, err)
	f.Files.Changed = append(f.Files.Changed, File{Path: "old.go", Hunks: []Hunk{{RightStart: 1, RightCount: 5}}})
	r.Findings = append(r.Findings, Finding{Severity: High, Text: "gone by now", Path: "old.go", Last: 2})
	p := &publisher{Client: c, number: pull.Number, viewer: f.Viewer, key: r.Key()}
	_, posted, err := p.post(t.Context(), PlanReview(f, r), nil)
	must(t, err)
	got := w.only(pull.Number)
	if len(got.Comments) != 0 || posted.Plan.InBody != 4 || !strings.Contains(got.Body, "gone by now") || !strings.Contains(got.Body, "leaks") {
		t.Errorf("got %+v", got)
	}
}

func TestClient_PublishReview_GH08_longBody(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	r := w.review()
	r.Findings = nil
	for i := range 60 {
		r.Findings = append(r.Findings, Finding{ID: fmt.Sprint(i), Severity: Severity(i % 3), Text: strings.Repeat("😀 and on ", 900)})
	}
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	got := w.only(pull.Number)
	if utf16Len(got.Body) > bodyLimit || posted.Plan.Omitted == 0 || posted.Plan.InBody+posted.Plan.Omitted != 60 {
		t.Errorf("body of %d, plan %d in body, %d omitted", utf16Len(got.Body), posted.Plan.InBody, posted.Plan.Omitted)
	}
	if !strings.Contains(got.Body, fmt.Sprintf("… and %d findings more", posted.Plan.Omitted)) || strings.Contains(got.Body, "**LOW**") {
		t.Error("the rest is not counted, or the worst do not come first")
	}
	if m, ok := ParseMarker(got.Body); !ok || m.Key != r.Key() {
		t.Error("the marker is gone")
	}
}

func TestClient_PublishReview_atMost30Inline(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	r := w.review()
	r.Findings = nil
	for i := range 40 {
		r.Findings = append(r.Findings, Finding{ID: fmt.Sprint(i), Severity: Severity((i + 1) % 2 * 2), Text: "x", Path: "new.go", Last: i%5 + 1})
	}
	posted, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	got := w.only(pull.Number)
	if len(got.Comments) != 30 || posted.Plan.InBody != 10 || !strings.HasPrefix(got.Comments[19].Body, "**HIGH**") || !strings.HasPrefix(got.Comments[20].Body, "**LOW**") {
		t.Errorf("%d inline, %d in the body", len(got.Comments), posted.Plan.InBody)
	}
}

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

func TestClient_PublishReview_GH12_closedMergedLocked(t *testing.T) {
	tests := []struct {
		name   string
		merged bool
	}{{"closed", false}, {"merged", true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			pull := w.pull()
			if tt.merged {
				must(t, w.repo.Merge(pull.Number))
			} else {
				w.repo.Close(pull.Number)
			}
			_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
			if e, ok := errors.AsType[*ClosedError](err); !ok || e.Merged != tt.merged {
				t.Errorf("got %v", err)
			}
		})
	}
	w := newWorld(t)
	pull := w.pull()
	w.repo.Lock(pull.Number)
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	if _, ok := errors.AsType[*LockedError](err); !ok {
		t.Errorf("got %v", err)
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
