package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/github/githubtest"
)

func TestClient_Viewer(t *testing.T) {
	w := newWorld(t)
	for token, want := range map[string]Account{w.ada: {Login: "ada"}, w.ActionsToken(nil): {Login: "github-actions", Bot: true}} {
		got, err := w.client(token).Viewer(t.Context())
		must(t, err)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestClient_Permission_AC10(t *testing.T) {
	w := newWorld(t)
	w.NewUser("tri")
	w.repo.Allow("tri", "triage")
	w.NewUser("main")
	w.repo.Allow("main", "maintain")
	for login, want := range map[string]Permission{"octo": Admin, "ada": Write, "main": Write, "tri": Read, "bob": Read, "nobody": None} {
		got, err := w.client(w.octo).Permission(t.Context(), Account{Login: login})
		must(t, err)
		if got != want || (got >= Write) != (login == "octo" || login == "ada" || login == "main") {
			t.Errorf("%s: got %s, want %s", login, got, want)
		}
	}
}

func TestParsePermission(t *testing.T) {
	for _, p := range []Permission{None, Read, Write, Admin} {
		if got, err := ParsePermission(p.String()); got != p || err != nil {
			t.Errorf("%s: got %s, %v", p, got, err)
		}
	}
	if _, err := ParsePermission("owner"); err == nil {
		t.Error("a word that GitHub has not is read")
	}
}

func TestParseEvent(t *testing.T) {
	for _, e := range []Event{Comment, RequestChanges, Approve} {
		if got, err := ParseEvent(e.String()); got != e || err != nil {
			t.Errorf("%s: got %s, %v", e, got, err)
		}
	}
	if _, err := ParseEvent("PENDING"); err == nil {
		t.Error("a word that GitHub has not is read")
	}
}

func TestClient_SetStatus(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.ada)
	status := Status{Context: PhaseContext, State: StateSuccess, Description: strings.Repeat("é", 200), URL: "https://example.com/x"}
	w.Fail("repos/create-commit-status", 1, githubtest.Lost)
	for _, want := range []bool{true, false} {
		did, err := c.SetStatus(t.Context(), w.head, status)
		must(t, err)
		if did != want {
			t.Errorf("did %t, want %t", did, want)
		}
	}
	if state, text := w.repo.Status(w.head, PhaseContext); state != "success" || text != strings.Repeat("é", 139)+"…" {
		t.Errorf("got %s %s", state, text)
	}
	status.State = StateFailure
	if did, err := c.SetStatus(t.Context(), w.head, status); err != nil || !did {
		t.Errorf("did %t, %v", did, err)
	}
	status.State = StateSuccess // an older status of the same kind does not count
	if did, err := c.SetStatus(t.Context(), w.head, status); err != nil || !did {
		t.Errorf("did %t, %v", did, err)
	}
	_, err := w.client(w.ActionsToken(nil)).SetStatus(t.Context(), w.head, Status{Context: "x", State: StatePending})
	if e, ok := errors.AsType[*ForbiddenError](err); !ok || e.Need != "`statuses: write`" {
		t.Errorf("got %v", err)
	}
}

func TestClient_Files(t *testing.T) {
	w := newWorld(t)
	w.commit(branch, map[string]string{"old.go": "", "renamed.go": lines(1, 29) + "end\n", "logo.png": "b\x00c", "empty": "\n"})
	p, err := w.client(w.ada).EnsurePull(t.Context(), draft())
	must(t, err)
	pull, err := w.client(w.ada).Pull(t.Context(), p.Number)
	must(t, err)
	got, err := w.client(w.ada).Files(t.Context(), pull)
	must(t, err)
	want := Files{Total: 5, Changed: []File{
		{Path: "empty", Status: "added", Hunks: []Hunk{{RightStart: 1, RightCount: 1}}},
		{Path: "logo.png", Status: "modified"},
		{Path: "main.go", Status: "modified", Hunks: []Hunk{{LeftStart: 7, LeftCount: 7, RightStart: 7, RightCount: 7}}},
		{Path: "new.go", Status: "added", Hunks: []Hunk{{RightStart: 1, RightCount: 5}}},
		{Path: "renamed.go", Previous: "old.go", Status: "renamed", Hunks: []Hunk{{LeftStart: 27, LeftCount: 4, RightStart: 27, RightCount: 4}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" || !got.Complete() {
		t.Error(diff)
	}
	if !got.Has("renamed.go", Left, 30, 30) || got.Has("old.go", Left, 30, 30) || got.Has("logo.png", Right, 1, 1) || got.Has("new.go", Left, 1, 1) {
		t.Error("commentable lines differ")
	}
}

func TestClient_Files_GH13_manyFiles(t *testing.T) {
	w := newWorld(t)
	many := map[string]string{}
	for i := range 250 {
		many[fmt.Sprintf("many/%03d.txt", i)] = "x\n"
	}
	w.head = w.commit(branch, many)
	p := w.pull()
	pull, err := w.client(w.ada).Pull(t.Context(), p.Number)
	must(t, err)
	files, err := w.client(w.ada).Files(t.Context(), pull)
	must(t, err)
	if len(files.Changed) != 252 || !files.Complete() {
		t.Errorf("%d of %d", len(files.Changed), files.Total)
	}
	files.Total = 4120
	r := Review{Event: Approve, Head: "h"}
	plan := PlanReview(Facts{Viewer: Account{Login: "x"}, Pull: PullRequest{Head: "h"}, Files: files, Sanitizer: Sanitizer{Redact: redactTest}}, r)
	if plan.Event != Comment || plan.Why != "GitHub shows 252 of 4120 files" {
		t.Errorf("got %s: %s", plan.Event, plan.Why)
	}
}

// What GitHub does not list it takes comments on all the same, and the clone knows the lines.
func TestClient_PublishReview_GH13_linesOfTheClone(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	w.repo.MostFiles = 1 // main.go
	r := w.review()
	r.Event = Approve
	r.Findings = append(r.Findings, Finding{ID: "R4", Severity: High, Text: "empty", Path: "new.go", Last: 3})
	c, err := New(w.target(), Options{Token: w.octo, Redact: redactTest, Local: func(_ context.Context, r Review) ([]File, error) {
		if r.Change != "add-oauth" {
			t.Errorf("asked about %+v", r)
		}
		return []File{{Path: "new.go", Hunks: []Hunk{{RightStart: 1, RightCount: 5}}}}, nil
	}})
	must(t, err)
	_, err = c.PublishReview(t.Context(), pull.Number, r)
	must(t, err)
	got := w.only(pull.Number)
	if len(got.Comments) != 2 || got.Comments[1].Path != "new.go" || got.Comments[1].Line != 3 {
		t.Errorf("got %+v", got.Comments)
	}
	if got.State != "COMMENTED" || !strings.Contains(got.Body, "GitHub shows 1 of 2 files") {
		t.Errorf("%s: %s", got.State, got.Body)
	}
}

func TestClient_PeopleReviews(t *testing.T) {
	w := newWorld(t)
	pull := w.pull()
	_, err := w.client(w.octo).PublishReview(t.Context(), pull.Number, w.review())
	must(t, err)
	must(t, w.repo.Review(pull.Number, "bob", "REQUEST_CHANGES", "please",
		githubtest.Comment{Path: "new.go", Line: 3, Start: 2, Body: "here"}, githubtest.Comment{Path: "main.go", Side: "LEFT", Line: 10, Body: "was better"}))
	must(t, w.repo.Review(pull.Number, "octo", "APPROVE", ""))
	must(t, w.repo.Review(pull.Number, githubtest.ActionsLogin, "COMMENT", "beep"))
	must(t, w.repo.Review(pull.Number, "bob", "", "begun"))
	before := w.head
	w.commit(branch, map[string]string{"new.go": "first\n" + lines(1, 2) + "other\n" + lines(4, 5)})
	got, err := w.client(w.octo).PeopleReviews(t.Context(), pull.Number)
	must(t, err)
	var told []string
	for _, r := range got {
		if m, ours := ParseMarker(r.Body); ours {
			r.Body = "ours: " + m.Kind
		}
		told = append(told, fmt.Sprintf("%s %s %q %t", r.Author, r.State, r.Body, r.Commit == before))
		for _, c := range r.Comments {
			told = append(told, fmt.Sprintf("  %s %s %d-%d was %d outdated %t: %s", c.Path, c.Side, c.First, c.Last, c.Original, c.Outdated, strings.Join(strings.Fields(c.Body), " ")))
		}
	}
	want := []string{
		`octo COMMENTED "ours: challenge" true`, `  main.go RIGHT 9-10 was 10 outdated false: **HIGH** leaks Suggestion: close it`,
		`bob CHANGES_REQUESTED "please" true`, `  new.go RIGHT 0-0 was 3 outdated true: here`, `  main.go LEFT 10-10 was 10 outdated false: was better`,
		`octo APPROVED "" true`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}
