package github

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func public(owner, repo string) Target {
	return Target{Host: "github.com", Owner: owner, Repo: repo, APIURL: "https://api.github.com/", GraphQLURL: "https://api.github.com/graphql", ServerURL: "https://github.com"}
}

func TestResolve_GH16(t *testing.T) {
	ghes := Target{Host: "ghe.example.com", Owner: "o", Repo: "r", APIURL: "https://ghe.example.com/api/v3/", GraphQLURL: "https://ghe.example.com/api/graphql", ServerURL: "https://ghe.example.com"}
	tests := []struct {
		name string
		s    Sources
		want Target
	}{
		{"named", Sources{Repo: "o/r", Getenv: env("GH_REPO", "x/y")}, public("o", "r")},
		{"named with host", Sources{Repo: "ghe.example.com/o/r", Getenv: env()}, ghes},
		{"named by URL", Sources{Repo: "https://github.com/o/r.git", Getenv: env()}, public("o", "r")},
		{"GH_REPO", Sources{Getenv: env("GH_REPO", "o/r"), Remotes: []Remote{{"origin", "https://github.com/x/y"}}}, public("o", "r")},
		{"GH_HOST", Sources{Repo: "o/r", Getenv: env("GH_HOST", "ghe.example.com")}, ghes},
		{"the one host that gh knows", Sources{Repo: "o/r", Getenv: env(), Hosts: Hosts{Default: "ghe.example.com"}}, ghes},
		{"ghe.com", Sources{Repo: "acme.ghe.com/o/r", Getenv: env()}, Target{Host: "acme.ghe.com", Owner: "o", Repo: "r", APIURL: "https://api.acme.ghe.com/", GraphQLURL: "https://api.acme.ghe.com/graphql", ServerURL: "https://acme.ghe.com"}},
		{"Actions", Sources{Getenv: env("GITHUB_ACTIONS", "true", "GITHUB_REPOSITORY", "o/r", "GITHUB_SERVER_URL", "https://github.com", "GITHUB_API_URL", "https://api.github.com")}, public("o", "r")},
		{"Actions on Enterprise", Sources{Getenv: env("GITHUB_ACTIONS", "true", "GITHUB_REPOSITORY", "o/r", "GITHUB_SERVER_URL", "https://ghe.example.com", "GITHUB_API_URL", "https://ghe.example.com/api/v3", "GITHUB_GRAPHQL_URL", "https://ghe.example.com/api/graphql")}, ghes},
		{"Actions, another host named", Sources{Repo: "github.com/o/r", Getenv: env("GITHUB_SERVER_URL", "https://ghe.example.com", "GITHUB_API_URL", "https://ghe.example.com/api/v3")}, public("o", "r")},
		{"GITHUB_REPOSITORY outside of Actions", Sources{Getenv: env("GITHUB_REPOSITORY", "x/y"), Remotes: []Remote{{"origin", "https://github.com/o/r"}}}, public("o", "r")},
		{"GITHUB_API_URL alone", Sources{Repo: "o/r", Getenv: env("GITHUB_API_URL", "http://127.0.0.1:8080/x")}, Target{Host: "github.com", Owner: "o", Repo: "r", APIURL: "http://127.0.0.1:8080/x/", GraphQLURL: "http://127.0.0.1:8080/x/graphql", ServerURL: "https://github.com"}},
		{"remotes in gh's order", Sources{Getenv: env(), Remotes: []Remote{{"a", "git@github.com:a/a"}, {"origin", "git@github.com:o/fork.git"}, {"upstream", "ssh://git@github.com/o/r.git"}}}, public("o", "r")},
		{"remote elsewhere is passed over", Sources{Getenv: env(), Remotes: []Remote{{"origin", "https://gitlab.com/x/y.git"}, {"gh", "https://user@github.com/o/r"}}}, public("o", "r")},
		{"remote of an enterprise account", Sources{Getenv: env(), Remotes: []Remote{{"origin", "org-1234@github.com:o/r.git"}}}, public("o", "r")},
		{"ssh over 443", Sources{Getenv: env(), Remotes: []Remote{{"origin", "ssh://git@ssh.github.com:443/o/r.git"}}}, public("o", "r")},
		{"a known host", Sources{Getenv: env(), Hosts: Hosts{Known: []string{"ghe.example.com"}}, Remotes: []Remote{{"origin", "git@GHE.example.com:o/r.git"}}}, ghes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Resolve(tt.s)
			must(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolve_GH16_refuses(t *testing.T) {
	none := []Sources{
		{Getenv: env()},
		{Getenv: env(), Remotes: []Remote{{"origin", "../other/repo"}, {"b", "/srv/git/o/r.git"}, {"c", `C:\git\r`}, {"d", "https://gitlab.com/o/r"}, {"e", "file:///srv/o/r"}}},
	}
	for _, s := range none {
		if got, err := Resolve(s); err == nil {
			t.Errorf("%v: got %+v", s.Remotes, got)
		} else if _, ok := errors.AsType[*NoRepositoryError](err); !ok {
			t.Errorf("got %v", err)
		}
	}
	bad := []Sources{
		{Repo: "o", Getenv: env()}, {Repo: "o/..", Getenv: env()}, {Repo: "o/r?x=1", Getenv: env()}, {Repo: "a/b/c/d", Getenv: env()},
		{Repo: "o/r", Getenv: env("GITHUB_API_URL", "http://ghe.example.com/api/v3")},
		{Repo: "o/r", Getenv: env("GITHUB_API_URL", "https://user:secret@ghe.example.com")},
		{Repo: "o/r", Getenv: env("GITHUB_SERVER_URL", "ftp://x")},
	}
	for _, s := range bad {
		if got, err := Resolve(s); err == nil {
			t.Errorf("%q: got %+v", s.Repo, got)
		} else if _, ok := errors.AsType[*TargetError](err); !ok {
			t.Errorf("got %v", err)
		}
	}
}

func TestTarget_Permalink(t *testing.T) {
	got := public("o", "r").Permalink("abc", "a b/#c?/é.go", 3)
	if want := "https://github.com/o/r/blob/abc/a%20b/%23c%3F/%C3%A9.go#L3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFindToken(t *testing.T) {
	t.Setenv("GH_CONFIG_DIR", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_PATH"} {
		t.Setenv(name, "")
	}
	all := env("GH_TOKEN", "a", "GITHUB_TOKEN", "b", "GH_ENTERPRISE_TOKEN", "c", "GITHUB_ACTIONS", "true", "GITHUB_SERVER_URL", "https://own.example.com")
	tests := []struct {
		host   string
		getenv func(string) string
		want   string
	}{
		{"github.com", all, "a GH_TOKEN"}, {"acme.ghe.com", env("GITHUB_TOKEN", "b"), "b GITHUB_TOKEN"}, {"ghe.example.com", all, "c GH_ENTERPRISE_TOKEN"},
		{"ghe.example.com", env("GH_TOKEN", "a"), ""}, {"own.example.com", env("GITHUB_TOKEN", "b", "GITHUB_ACTIONS", "true", "GITHUB_SERVER_URL", "https://own.example.com"), "b GITHUB_TOKEN"},
		{"github.com", env(), ""},
	}
	for _, tt := range tests {
		got, err := FindToken(Target{Host: tt.host}, tt.getenv)
		if tt.want == "" {
			if _, ok := errors.AsType[*SignInError](err); !ok {
				t.Errorf("%s: got %v, %v", tt.host, got, err)
			}
			continue
		}
		if got.Value+" "+got.Source != tt.want {
			t.Errorf("%s: got %v, want %s", tt.host, got, tt.want)
		}
	}
}
