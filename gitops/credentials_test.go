package gitops_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestSignedIn_sendsTheTokenToItsServerAlone(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	var mu sync.Mutex
	got := map[string][]string{}
	server := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			got[name] = r.Header.Values("Authorization")
			http.NotFound(w, r)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	ours, other := server("ours"), server("other")
	repo.Git("remote", "add", "origin", ours+"/octo/hello.git")
	repo.Git("remote", "add", "other", other+"/octo/hello.git")
	// A checkout may have kept a header, and whoever starts us may have settings for git.
	repo.Git("config", "http."+ours+"/.extraheader", "AUTHORIZATION: basic b2xk")
	opened, err := gitops.Open(t.Context(), gitops.Env{Dir: repo.Dir, Environ: append(slices.Clip(repo.Environ),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=agentd.probe", "GIT_CONFIG_VALUE_0=kept")})
	if err != nil {
		t.Fatal(err)
	}
	in := opened.SignedIn(ours, "ghs_canary")
	for _, remote := range []string{"origin", "other"} {
		if _, err := in.RemoteTip(t.Context(), remote, changeRef); err == nil {
			t.Errorf("%s answered", remote)
		}
	}
	want := "basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:ghs_canary"))
	if !slices.Equal(got["ours"], []string{want}) {
		t.Errorf("our server got %q, want %q and nothing else", got["ours"], want)
	}
	if len(got["other"]) > 0 {
		t.Errorf("another server got %q", got["other"])
	}
	if value, _, err := in.Config(t.Context(), "agentd.probe"); value != "kept" || err != nil {
		t.Errorf("what the caller says to git: %q, %v", value, err)
	}
	// Nothing of it stays, and what talks to nobody has no token.
	if err := filepath.WalkDir(repo.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "ghs_canary") || strings.Contains(string(data), want) {
			t.Errorf("%s holds the token", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAs_commitsWhereGitKnowsNobody(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	environ := append(slices.Clip(repo.Environ), "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
	opened, err := gitops.Open(t.Context(), gitops.Env{Dir: repo.Dir, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := opened.Identity(t.Context()); err == nil {
		t.Fatal("git knows somebody")
	}
	name, email, err := opened.As("robot", "robot@example.com").Identity(t.Context())
	if name != "robot" || email != "robot@example.com" || err != nil {
		t.Errorf("it is by %q <%s>, %v", name, email, err)
	}
}
