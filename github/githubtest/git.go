package githubtest

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// git runs the program on the server's repositories, blind to whoever runs the tests.
type git struct {
	path string
	env  []string
}

func findGit(home string) (git, error) {
	path, err := proc.Look("git", os.Getenv("PATH"))
	const when = "2026-01-02T03:04:05+00:00"
	return git{path: path, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "TZ=UTC",
		"GIT_AUTHOR_NAME=GitHub", "GIT_AUTHOR_EMAIL=noreply@github.com", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=noreply@github.com", "GIT_COMMITTER_DATE=" + when,
	}}, err
}

func (g git) run(dir, input string, args ...string) (string, error) {
	res, err := proc.Run(context.Background(), proc.Cmd{
		Path: g.path, Args: args, Dir: dir, Env: g.env, Stdin: strings.NewReader(input), Limits: proc.Limits{Wall: time.Minute},
	})
	return strings.TrimSuffix(string(res.Stdout), "\n"), err
}

// commits are what a side has and another has not.
func (g git) commits(dir, from, to string) []string {
	out, err := g.run(dir, "", "rev-list", to, "^"+from)
	if err != nil || out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// rev is a commit, or "".
func (g git) rev(dir, name string) string {
	out, err := g.run(dir, "", "rev-parse", "--quiet", "--verify", name+"^{commit}")
	if err != nil {
		return ""
	}
	return out
}

// branches are the branches of a repository and where they are.
func (g git) branches(dir string) map[string]string {
	all := map[string]string{}
	out, err := g.run(dir, "", "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads/")
	if err != nil {
		return all
	}
	for text := range strings.Lines(out) {
		commit, name, _ := strings.Cut(strings.TrimSpace(text), " ")
		all[name] = commit
	}
	return all
}

// preReceive refuses pushes to the branches that a file of the repository lists.
const preReceive = `#!/bin/sh
while read -r old new ref; do
	if grep -qxF "$ref" protected 2>/dev/null; then
		echo "error: GH006: Protected branch update failed for $ref." >&2
		exit 1
	fi
done
`

// setUp lets a repository be pushed to over HTTP, without work in the background, and guards its protected branches.
func setUp(dir string) error {
	config, err := os.OpenFile(filepath.Join(dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = config.WriteString("[http]\n\treceivepack = true\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n")
	return errors.Join(err, config.Close(), writeHook(dir))
}

// writeHook writes a program that can be executed at once; see golang/go#22315.
func writeHook(dir string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	hooks := filepath.Join(dir, "hooks")
	if err := os.MkdirAll(hooks, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(hooks, "pre-receive"), []byte(preReceive), 0o755)
}

// serveGit is git over HTTP, by git's own server. The token is the password, as with GitHub.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	words := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 3)
	if len(words) < 3 {
		http.NotFound(w, r)
		return
	}
	_, password, signedIn := r.BasicAuth()
	s.mu.Lock()
	repo := s.find(words[0], strings.TrimSuffix(words[1], ".git"))
	c := &call{Server: s, token: s.tokens[password]}
	pushes := strings.HasSuffix(r.URL.Path, "/git-receive-pack") || r.URL.Query().Get("service") == "git-receive-pack"
	level := map[bool]string{false: "read", true: "write"}[pushes]
	allowed := repo != nil && c.token.login != "" && c.may(repo, level, "contents")
	s.mu.Unlock()
	switch {
	case !signedIn || c.token.login == "":
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Authentication required", http.StatusUnauthorized)
		return
	case repo == nil:
		http.NotFound(w, r)
		return
	case !allowed:
		http.Error(w, "Permission to "+repo.name()+".git denied to "+c.token.login+".", http.StatusForbidden)
		return
	}
	r.URL.Path = "/" + repo.Owner + "/" + repo.Name + ".git/" + words[2]
	(&cgi.Handler{
		Path: s.git.path, Args: []string{"http-backend"},
		Env: append(s.git.env, "GIT_PROJECT_ROOT="+s.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER="+c.token.login),
	}).ServeHTTP(w, r)
}
