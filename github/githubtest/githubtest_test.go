package githubtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// hub is a GitHub with octo/hello, and a pull request of ada's with a line more in a.txt.
type hub struct {
	*Server
	t         *testing.T
	repo      *Repo
	octo, ada string
}

func newHub(t *testing.T) *hub {
	t.Helper()
	s := Start(t)
	repo, err := s.NewRepo("octo", "hello", map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	must(t, err)
	h := &hub{Server: s, t: t, repo: repo, octo: s.NewUser("octo"), ada: s.NewUser("ada")}
	repo.Allow("ada", "write")
	_, err = repo.Commit("topic", "more", map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"})
	must(t, err)
	status, body := h.ask(h.ada, "POST", "/pulls", map[string]any{"title": "More", "head": "topic", "base": "main"})
	if status != http.StatusCreated {
		t.Fatalf("got %d %s", status, body)
	}
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask asks about octo/hello.
func (h *hub) ask(token, method, path string, body any) (int, string) {
	h.t.Helper()
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		must(h.t, err)
		sent = strings.NewReader(string(data))
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.APIURL()+"/repos/octo/hello"+path, sent)
	must(h.t, err)
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	must(h.t, err)
	return resp.StatusCode, string(data)
}

func TestServer_refusesWhatGitHubRefuses(t *testing.T) {
	h := newHub(t)
	type m = map[string]any
	reader := h.ActionsToken(nil)
	writer := h.ActionsToken(map[string]string{"pull_requests": "write"})
	const reviews = "/pulls/1/reviews"
	tests := []struct {
		name, token, method, path string
		body                      any
		status                    int
		words                     string
	}{
		{"no token", "x", "GET", "/pulls/1", nil, 401, "Bad credentials"},
		{"no such pull request", h.ada, "GET", "/pulls/2", nil, 404, "Not Found"},
		{"a second pull request", h.ada, "POST", "/pulls", m{"title": "x", "head": "topic", "base": "main"}, 422, "A pull request already exists for octo:topic."},
		{"no such head", h.ada, "POST", "/pulls", m{"title": "x", "head": "nope", "base": "main"}, 422, `"field":"head"`},
		{"a fork's token", reader, "POST", reviews, m{"body": "x", "event": "COMMENT"}, 403, "Resource not accessible by integration"},
		{"own approval", h.ada, "POST", reviews, m{"event": "APPROVE"}, 422, "Can not approve your own pull request"},
		{"own refusal", h.ada, "POST", reviews, m{"body": "x", "event": "REQUEST_CHANGES"}, 422, "Can not request changes on your own pull request"},
		{"a workflow's approval", writer, "POST", reviews, m{"event": "APPROVE"}, 422, "GitHub Actions is not permitted to approve pull requests."},
		{"an empty review", h.octo, "POST", reviews, m{"event": "COMMENT"}, 422, "blank"},
		{"a long body", h.octo, "POST", reviews, m{"body": strings.Repeat("é", 65537), "event": "COMMENT"}, 422, "too long"},
		{"another commit", h.octo, "POST", reviews, m{"body": "x", "event": "COMMENT", "commit_id": h.repo.Head("main")}, 422, "The commitOID is not part of the pull request"},
		{"a line off the diff", h.octo, "POST", reviews, m{"event": "COMMENT", "comments": []any{m{"path": "a.txt", "line": 1, "body": "x"}}}, 422, "Line could not be resolved"},
		{"a path off the diff", h.octo, "POST", reviews, m{"event": "COMMENT", "comments": []any{m{"path": "b.txt", "line": 1, "body": "x"}}}, 422, "Path could not be resolved"},
		{"a long status", h.ada, "POST", "/statuses/" + h.repo.Head("topic"), m{"state": "success", "description": strings.Repeat("x", 141)}, 422, "140 characters"},
		{"a permission of nobody", h.ada, "GET", "/collaborators/nobody/permission", nil, 404, "not a user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if status, body := h.ask(tt.token, tt.method, tt.path, tt.body); status != tt.status || !strings.Contains(body, tt.words) {
				t.Errorf("got %d %s, want %d %s", status, body, tt.status, tt.words)
			}
		})
	}
	if got := h.repo.Reviews(1); len(got) > 0 {
		t.Errorf("a refused review is there: %+v", got)
	}
	must(t, h.repo.Review(1, "octo", "", "begun"))
	if status, body := h.ask(h.octo, "POST", reviews, m{"body": "x", "event": "COMMENT"}); status != 422 || !strings.Contains(body, "only have one pending review") {
		t.Errorf("got %d %s", status, body)
	}
	if _, body := h.ask(h.ada, "GET", reviews, nil); body != "[]" {
		t.Errorf("another's unsubmitted review is seen: %s", body)
	}
}

func TestServer_saysWhatIsNotGitHubsWire(t *testing.T) {
	s, err := New(t.TempDir())
	must(t, err)
	t.Cleanup(s.Close)
	repo, err := s.NewRepo("octo", "hello", map[string]string{"a": "x"})
	must(t, err)
	h := &hub{Server: s, t: t, repo: repo, octo: s.NewUser("octo")}
	for _, r := range []struct {
		method, path string
		body         any
		want         string
	}{
		{"POST", "/pulls", map[string]any{"title": "x", "head": "main", "base": "main", "labels": "y"}, "labels is not described"},
		{"POST", "/pulls", map[string]any{"title": 1, "head": "main", "base": "main"}, "1 is no text"},
		{"GET", "/pulls?stat=all", nil, `no query parameter "stat"`},
		{"GET", "/pulls?state=every", nil, "want one of"},
		{"GET", "/issues", nil, "no operation of ours"},
		{"POST", "/statuses/main", map[string]any{"description": "x"}, "no state"},
	} {
		h.ask(h.octo, r.method, r.path, r.body)
		problems := s.Problems()
		if len(problems) == 0 || !strings.Contains(problems[len(problems)-1], r.want) {
			t.Errorf("%s %s: got %v, want %s", r.method, r.path, problems, r.want)
		}
	}
	op := s.spec.Paths["/repos/{owner}/{repo}"]["get"]
	if got := s.spec.checkAnswer(op, ok(map[string]any{"id": "1"})); len(got) == 0 {
		t.Error("an answer that lacks everything is not seen")
	}
}

// What is held happens when it is let go, and not before.
func TestServer_Held(t *testing.T) {
	h := newHub(t)
	let := make(chan struct{})
	h.Fail("pulls/create-review", 1, Held(let))
	done := make(chan int)
	go func() {
		status, _ := h.ask(h.octo, "POST", "/pulls/1/reviews", map[string]any{"body": "x", "event": "COMMENT"})
		done <- status
	}()
	if status, body := h.ask(h.octo, "GET", "/pulls/1/reviews", nil); status != http.StatusOK || body != "[]" {
		t.Errorf("got %d %s", status, body)
	}
	close(let)
	if status := <-done; status != http.StatusOK || len(h.repo.Reviews(1)) != 1 {
		t.Errorf("got %d", status)
	}
}

func TestServer_git(t *testing.T) {
	h := newHub(t)
	clone := gitopstest.New(t, "").With("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.proxy", "GIT_CONFIG_VALUE_0=")
	address := func(token string) string {
		return strings.Replace(h.repo.GitURL(), "http://", "http://x:"+token+"@", 1)
	}
	clone.Git("fetch", "--quiet", address(h.ada), "topic")
	clone.Git("checkout", "--quiet", "-b", "topic", "FETCH_HEAD")
	clone.Write("b.txt", "new\n")
	commit := clone.Commit("second")
	if out, err := clone.TryGit("push", address(h.ActionsToken(nil)), "topic"); err == nil {
		t.Errorf("a reader may push: %s", out)
	}
	clone.Git("push", "--quiet", address(h.ada), "topic")
	if got := h.repo.Pulls()[0].Head; got != string(commit) {
		t.Errorf("the pull request's head is %s, want %s", got, commit)
	}
	must(t, h.repo.Protect("main"))
	if out, err := clone.TryGit("push", address(h.ada), "topic:main"); err == nil || !strings.Contains(out, "GH006: Protected branch update failed for refs/heads/main") {
		t.Errorf("a protected branch moved: %s", out)
	}
	if out, err := clone.TryGit("push", h.repo.Dir, "topic:main"); err == nil {
		t.Errorf("a protected branch moved: %s", out)
	}
	must(t, h.repo.Merge(1, MergeCommit))
	if out := clone.Git("ls-remote", address(h.ada), "refs/heads/main"); !strings.HasPrefix(out, h.repo.Head("main")) || !h.repo.Pulls()[0].Merged {
		t.Errorf("got %s", out)
	}
}

func TestServer_pullRequestFollowsItsBranch(t *testing.T) {
	h := newHub(t)
	must(t, h.repo.SetBranch("main", h.repo.Head("topic")))
	if got := h.repo.Pulls()[0]; !got.Merged || !got.Closed {
		t.Errorf("its head is in the base: %+v", got)
	}
	h = newHub(t)
	must(t, h.repo.SetBranch("topic", ""))
	if got := h.repo.Pulls()[0]; !got.Closed || got.Merged {
		t.Errorf("its branch is gone: %+v", got)
	}
}
