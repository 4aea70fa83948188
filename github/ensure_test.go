package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func draft() PullDraft {
	return PullDraft{Branch: branch, Base: "main", Title: "Add OAuth", Body: "phase: proposed", Draft: true}
}

func TestClient_EnsurePull(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.ada)
	made, err := c.EnsurePull(t.Context(), draft())
	must(t, err)
	if !made.Created || !made.PullRequest.Draft || made.Head != w.head || made.Author != (Account{Login: "ada"}) || made.Fork {
		t.Errorf("got %+v", made)
	}
	w.Requests()
	again, err := c.EnsurePull(t.Context(), draft())
	must(t, err)
	if again.Created || again.Updated || again.Number != made.Number {
		t.Errorf("got %+v", again)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("the second time wrote %v", writes)
	}
	const person = "Hello.\r\n\r\n<!-- mine -->\r\n"
	w.repo.Edit(made.Number, person+w.repo.Pulls()[0].Body+"\r\nBye\x1b.")
	d := draft()
	d.Body, d.Title = "phase: challenged", "Another title"
	updated, err := c.EnsurePull(t.Context(), d)
	must(t, err)
	got := w.repo.Pulls()[0]
	want := person + regionBegin + "\nphase: challenged\n" + regionEnd + "\r\nBye\x1b."
	if diff := cmp.Diff(want, got.Body); diff != "" || !updated.Updated || got.Title != "Add OAuth" {
		t.Errorf("%+v\n%s", updated, diff)
	}
}

func TestClient_EnsurePull_GH11_lostAnswers(t *testing.T) {
	for name, kind := range map[string]githubtest.Kind{"lost": githubtest.Lost, "truncated": githubtest.Truncated, "after": githubtest.After(502), "before": githubtest.Before(503)} {
		for _, times := range []int{1, 2} {
			t.Run(fmt.Sprint(name, " ", times), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.Fail("pulls/create", times, kind)
				made, err := w.client(w.ada).EnsurePull(t.Context(), draft())
				must(t, err)
				if got := w.repo.Pulls(); len(got) != 1 || !made.Created || made.Number != 1 {
					t.Errorf("got %+v, %+v", made, got)
				}
				w.Fail("pulls/update", times, kind)
				d := draft()
				d.Body = "new"
				_, err = w.client(w.ada).EnsurePull(t.Context(), d)
				must(t, err)
				if body, _ := Region(w.repo.Pulls()[0].Body); body != "new" {
					t.Errorf("got %q", body)
				}
			})
		}
	}
}

func TestClient_EnsurePull_somebodyWasFaster(t *testing.T) {
	w := newWorld(t)
	w.pull()
	lagging := true
	c := w.clientOver(roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet && lagging {
			lagging = false
			q := r.URL.Query()
			q.Set("state", "closed")
			r.URL.RawQuery = q.Encode()
		}
		return http.DefaultTransport.RoundTrip(r)
	}), w.ada)
	got, err := c.EnsurePull(t.Context(), draft())
	must(t, err)
	if got.Created || !got.Updated && got.Number != 1 || len(w.repo.Pulls()) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestClient_EnsurePull_noDrafts(t *testing.T) {
	w := newWorld(t)
	w.repo.NoDrafts = true
	got, err := w.client(w.ada).EnsurePull(t.Context(), draft())
	must(t, err)
	if !got.NoDraft || got.PullRequest.Draft || !got.Created {
		t.Errorf("got %+v", got)
	}
}

func TestClient_EnsurePull_GH12_closedMergedRetargeted(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		w := newWorld(t)
		w.repo.Close(w.pull().Number)
		_, err := w.client(w.ada).EnsurePull(t.Context(), draft())
		if e, ok := errors.AsType[*ClosedError](err); !ok || e.Merged || e.Number != 1 {
			t.Fatalf("got %v", err)
		}
		d := draft()
		d.Again = true
		got, err := w.client(w.ada).EnsurePull(t.Context(), d)
		must(t, err)
		if got.Number != 2 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("merged", func(t *testing.T) {
		w := newWorld(t)
		must(t, w.repo.Merge(w.pull().Number, githubtest.MergeCommit))
		_, err := w.client(w.ada).EnsurePull(t.Context(), draft())
		if e, ok := errors.AsType[*ClosedError](err); !ok || !e.Merged {
			t.Errorf("got %v", err)
		}
	})
	t.Run("base changed by a person", func(t *testing.T) {
		w := newWorld(t)
		w.commit("release", map[string]string{"notes.md": "x"})
		w.repo.Retarget(w.pull().Number, "release")
		got, err := w.client(w.ada).EnsurePull(t.Context(), draft())
		must(t, err)
		if got.Number != 1 || got.Base != "release" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("nothing to show", func(t *testing.T) {
		w := newWorld(t)
		must(t, w.repo.SetBranch(branch, w.repo.Head("main")))
		_, err := w.client(w.ada).EnsurePull(t.Context(), draft())
		if e, ok := errors.AsType[*ValidationError](err); !ok || !strings.Contains(e.Error(), "No commits between main and "+branch) {
			t.Errorf("got %v", err)
		}
	})
}

func TestClient_EnsurePull_GH12_fork(t *testing.T) {
	w := newWorld(t)
	fork, err := w.repo.Fork("bob")
	must(t, err)
	head, err := fork.Commit("agentd/fix", "fix", map[string]string{"fix.go": "x\n"})
	must(t, err)
	d := draft()
	d.Branch, d.Owner = "agentd/fix", "bob"
	got, err := w.client(w.bob).EnsurePull(t.Context(), d)
	must(t, err)
	if !got.Fork || got.HeadRepo != "bob/hello" || got.Head != head {
		t.Errorf("got %+v", got)
	}
	r := w.review()
	r.Head, r.Findings = head, []Finding{{Text: "look", Path: "fix.go", Last: 1}}
	_, err = w.client(w.octo).PublishReview(t.Context(), got.Number, r)
	must(t, err)
	if posted := w.only(got.Number); len(posted.Comments) != 1 {
		t.Errorf("got %+v", posted)
	}
	fork.Delete()
	gone, err := w.client(w.octo).Pull(t.Context(), got.Number)
	must(t, err)
	if gone.HeadRepo != "" || !gone.Closed {
		t.Errorf("got %+v", gone)
	}
}

func TestPlanPull_isWhatIsSent(t *testing.T) {
	w := newWorld(t)
	request, open, err := PlanPull(w.client(w.ada).Sanitizer(), draft(), nil)
	must(t, err)
	if request == nil || open != nil || request.Method != http.MethodPost || request.Path != "repos/octo/hello/pulls" {
		t.Fatalf("got %+v", request)
	}
	_, err = w.client(w.ada).EnsurePull(t.Context(), draft())
	must(t, err)
	for _, r := range w.Requests() {
		if r.Op == "pulls/create" {
			var planned, sent map[string]any
			must(t, json.Unmarshal(request.Body, &planned))
			must(t, json.Unmarshal(r.Body, &sent))
			if diff := cmp.Diff(planned, sent); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestPlanPull_sanitizes(t *testing.T) {
	request, _, err := PlanPull(testSanitizer, PullDraft{Branch: branch, Title: "Fix #1\nfor @ada with hunter2", Body: "hunter2 " + regionEnd}, nil)
	must(t, err)
	var sent struct{ Title, Body string }
	must(t, json.Unmarshal(request.Body, &sent))
	if sent.Title != "Fix #"+breaker+"1 for @"+breaker+"ada with [redacted]" || sent.Body != regionBegin+"\n[redacted] <! -- agentd:end -->\n"+regionEnd {
		t.Errorf("got %+q", sent)
	}
}

func TestPlanPull_GH08_longBody(t *testing.T) {
	person := strings.Repeat("p", 40_000)
	request, _, err := PlanPull(testSanitizer, PullDraft{Branch: branch, Body: strings.Repeat("😀", 30_000)}, []PullRequest{{Number: 1, Branch: branch, Body: person}})
	must(t, err)
	var sent struct{ Body string }
	must(t, json.Unmarshal(request.Body, &sent))
	if !strings.HasPrefix(sent.Body, person+"\n\n"+regionBegin) || !strings.HasSuffix(sent.Body, regionEnd) || utf16Len(sent.Body) > bodyLimit || utf16Len(sent.Body) < bodyLimit-4 {
		t.Errorf("a body of %d", utf16Len(sent.Body))
	}
}

func TestClient_SetDraft(t *testing.T) {
	w := newWorld(t)
	made, err := w.client(w.ada).EnsurePull(t.Context(), draft())
	must(t, err)
	c := w.client(w.ada)
	w.Fail("graphql/markPullRequestReadyForReview", 1, githubtest.Lost)
	for _, want := range []bool{true, false} {
		did, err := c.SetDraft(t.Context(), made.Number, false)
		must(t, err)
		if did != want || w.repo.Pulls()[0].Draft {
			t.Errorf("did %t, want %t", did, want)
		}
	}
	did, err := c.SetDraft(t.Context(), made.Number, true)
	must(t, err)
	if !did || !w.repo.Pulls()[0].Draft {
		t.Error("it is no draft")
	}
	if _, err = w.client(w.bob).SetDraft(t.Context(), made.Number, false); err == nil {
		t.Error("a reader may")
	} else if _, ok := errors.AsType[*ForbiddenError](err); !ok {
		t.Errorf("got %v", err)
	}
}
