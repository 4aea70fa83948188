package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

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
	r.Findings, r.Report = nil, "agentd/changes/add-oauth/REVIEW.md"
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
	const link = "\n\nAll of it: [REVIEW.md]("
	if !strings.Contains(got.Body, link) || !strings.Contains(got.Body, "/blob/"+w.head+"/agentd/changes/add-oauth/REVIEW.md)\n") {
		t.Error("nothing says where the rest stands")
	}
}

// The full text is a file of the branch: it is pointed to where a text is cut, and nowhere else.
func TestPlanReview_GH08_pointsToTheWholeReport(t *testing.T) {
	target := Target{Host: "github.com", Owner: "octo", Repo: "hello", ServerURL: "https://github.com"}
	for _, row := range []struct {
		name   string
		bend   func(*Review)
		points bool
	}{
		{"all of it is there", func(*Review) {}, false},
		{"as long as is shown", func(r *Review) { r.Findings[0].Text = strings.Repeat("x", findingLimit) }, false},
		{"a long summary", func(r *Review) { r.Summary = strings.Repeat("word ", summaryLimit) }, true},
		{"a long finding", func(r *Review) { r.Findings[0].Text = strings.Repeat("word ", findingLimit) }, true},
		{"a long suggestion", func(r *Review) { r.Findings[0].Suggestion = strings.Repeat("word ", findingLimit) }, true},
		{"a long finding without a report", func(r *Review) { r.Report, r.Findings[0].Text = "", strings.Repeat("word ", findingLimit) }, false},
	} {
		r := Review{Kind: "review", Change: "add-oauth", Head: "abc123", Report: "a b/REVIEW.md", Summary: "Short.", Findings: []Finding{{Text: "Short, too."}}}
		row.bend(&r)
		plan := PlanReview(Facts{Viewer: Account{Login: "x"}, Pull: PullRequest{Number: 1, Head: "abc123"}, Sanitizer: Sanitizer{Target: target, Redact: redactTest}}, r)
		if got := strings.Contains(plan.Body, "All of it: [REVIEW.md](https://github.com/octo/hello/blob/abc123/a%20b/REVIEW.md)"); got != row.points {
			t.Errorf("%s: points to the report: %t, want %t", row.name, got, row.points)
		}
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
				must(t, w.repo.Merge(pull.Number, githubtest.MergeCommit))
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
