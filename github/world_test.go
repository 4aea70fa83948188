package github

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/github/githubtest"
)

// world is a GitHub with octo/hello: main, and branch agentd/add-oauth of ada's, who may write. octo owns it, bob may read.
type world struct {
	*githubtest.Server
	t      *testing.T
	repo   *githubtest.Repo
	octo   string // tokens
	ada    string
	bob    string
	head   string // of the branch
	pauses []Pause
}

const branch = "agentd/add-oauth"

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: githubtest.Start(t), t: t}
	repo, err := w.NewRepo("octo", "hello", map[string]string{"main.go": lines(1, 20), "old.go": lines(1, 30), "logo.png": "a\x00b"})
	must(t, err)
	w.repo = repo
	w.octo, w.ada, w.bob = w.NewUser("octo"), w.NewUser("ada"), w.NewUser("bob")
	repo.Allow("ada", "write")
	repo.Allow("bob", "read")
	w.head = w.commit(branch, map[string]string{"main.go": lines(1, 9) + "changed\n" + lines(11, 20), "new.go": lines(1, 5)})
	return w
}

// lines are numbered lines of a file.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString("line ")
		b.WriteString(strings.Repeat("x", i))
		b.WriteByte('\n')
	}
	return b.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) commit(branch string, files map[string]string) string {
	w.t.Helper()
	commit, err := w.repo.Commit(branch, "change", files)
	must(w.t, err)
	return commit
}

func (w *world) target() Target {
	w.t.Helper()
	env := map[string]string{"GITHUB_API_URL": w.APIURL(), "GITHUB_SERVER_URL": w.URL(), "GH_REPO": "octo/hello"}
	target, err := Resolve(Sources{Getenv: func(name string) string { return env[name] }})
	must(w.t, err)
	return target
}

// testNow is the time of a client in tests.
var testNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// client is a client that waits for nothing.
func (w *world) client(token string, accounts ...string) *Client {
	w.t.Helper()
	return w.clientOver(nil, token, accounts...)
}

func (w *world) clientOver(transport http.RoundTripper, token string, accounts ...string) *Client {
	w.t.Helper()
	c, err := New(w.target(), Options{
		Token: token, Redact: redactTest, Accounts: accounts, Now: func() time.Time { return testNow }, Transport: transport,
		Pause: func(_ context.Context, p Pause) error {
			w.pauses = append(w.pauses, p)
			return nil
		},
	})
	must(w.t, err)
	return c
}

func redactTest(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }

// pull opens ada's pull request.
func (w *world) pull() PullRequest {
	w.t.Helper()
	got, err := w.client(w.ada).EnsurePull(w.t.Context(), PullDraft{Branch: branch, Base: "main", Title: "Add OAuth", Body: "phase: proposed"})
	must(w.t, err)
	w.Requests()
	return got.PullRequest
}

// review is a review of the head with a finding on the diff, one off it, and one about the whole.
func (w *world) review() Review {
	return Review{
		Kind: "challenge", Change: "add-oauth", Round: 1, Head: w.head, Event: Comment, Heading: "### Challenge", Summary: "Good, but.", Footer: "Round 1",
		Findings: []Finding{
			{ID: "R2", Severity: Low, Text: "no tests", Path: "main.go", Last: 1},
			{ID: "R1", Severity: High, Text: "leaks", Suggestion: "close it", Path: "main.go", First: 9, Last: 10},
			{ID: "R3", Severity: Medium, Text: "think again"},
		},
	}
}

// only is the one review of a pull request.
func (w *world) only(number int) githubtest.Posted {
	w.t.Helper()
	all := w.repo.Reviews(number)
	if len(all) != 1 {
		w.t.Fatalf("%d reviews: %+v", len(all), all)
	}
	return all[0]
}
