package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentd/gh-agentd/github/githubtest"
)

// hub is the GitHub of one script. It is made when the script says `github new`.
type hub struct {
	*githubtest.Server
	repo   *githubtest.Repo
	tokens map[string]string
	away   map[string]string // the environment at home, while a job is done
}

// theHub is the key of a script's hub among its values.
type theHub struct{}

// cmdGitHub speaks to the script's GitHub in the place of everybody else: github VERB ARGS.
func cmdGitHub(ts *testscript.TestScript, neg bool, args []string) {
	h, ok := ts.Value(theHub{}).(*hub)
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: github verb [args...]")
	}
	verb, args := args[0], args[1:]
	if verb == "new" {
		h.begin(ts)
		return
	}
	if h.Server == nil {
		ts.Fatalf("github new comes first")
	}
	verbs := map[string]struct {
		least int
		do    func(*testscript.TestScript, []string)
	}{
		"as":      {1, h.as},
		"fail":    {2, h.fail},
		"writes":  {0, h.writes},
		"pulls":   {0, h.pulls},
		"body":    {1, h.body},
		"reviews": {1, h.reviews},
		"status":  {1, h.status},
		"pull":    {2, h.pull},
		"review":  {4, h.review},
		"commit":  {3, h.commit},
		"fork":    {1, h.fork},
		"open":    {2, h.open},
		"job":     {1, h.job},
		"home":    {0, h.home},
		"outputs": {0, h.outputs},
		"rename":  {1, func(ts *testscript.TestScript, args []string) { ts.Check(h.repo.Rename(args[0])) }},
		"protect": {1, func(ts *testscript.TestScript, args []string) { ts.Check(h.repo.Protect(args[0])) }},
	}
	v, known := verbs[verb]
	if !known || len(args) < v.least {
		ts.Fatalf("github: want one of new, %s, with its arguments", strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
	}
	v.do(ts, args)
}

// begin starts a GitHub with octo/hello, which gets the branches of the repository that the script stands in,
// and becomes its origin. Ada, who may write, is signed in.
func (h *hub) begin(ts *testscript.TestScript) {
	dir := filepath.Join(ts.Getenv("WORK"), ".github")
	ts.Check(os.MkdirAll(dir, 0o777))
	server, err := githubtest.New(dir)
	ts.Check(err)
	ts.Defer(func() {
		server.Close()
		if problems := server.Problems(); len(problems) > 0 {
			ts.Fatalf("not GitHub's wire: %s", strings.Join(problems, "\n"))
		}
	})
	h.Server, h.tokens = server, map[string]string{}
	h.repo, err = server.NewRepo("octo", "hello", map[string]string{"README.md": "# Empty\n"})
	ts.Check(err)
	ts.Check(ts.Exec("git", "push", "--quiet", "--force", h.repo.Dir, "refs/heads/*:refs/heads/*"))
	ts.Check(ts.Exec("git", "remote", "add", "origin", h.repo.GitURL()))
	// The password is the account's token, whatever the API is told.
	ts.Check(ts.Exec("git", "config", "--global", "credential.helper", `!printf 'username=x\npassword=%s\n' "$GIT_TOKEN" #`))
	ts.Setenv("GITHUB_API_URL", server.APIURL())
	ts.Setenv("GITHUB_SERVER_URL", server.URL())
	h.as(ts, []string{"ada"})
	ts.Setenv("GIT_TOKEN", h.tokens["ada"])
}

// as signs somebody in: a login and what it may do (write), "actions" with the rights of its job, "nobody", or "stranger" with a bad token.
func (h *hub) as(ts *testscript.TestScript, args []string) {
	name, token := args[0], ""
	switch name {
	case "nobody":
	case "stranger":
		token = "ghp_revoked0000000000000000000000000"
	case "actions":
		rights := map[string]string{}
		for _, right := range args[1:] {
			key, level, _ := strings.Cut(right, "=")
			rights[key] = level
		}
		token = h.ActionsToken(rights)
	default:
		if h.tokens[name] == "" {
			h.tokens[name] = h.NewUser(name)
		}
		level := "write"
		if len(args) > 1 {
			level = args[1]
		}
		h.repo.Allow(name, level)
		token = h.tokens[name]
	}
	if ts.Getenv("GITHUB_ACTIONS") == "true" {
		ts.Setenv("GITHUB_TOKEN", token)
		return
	}
	ts.Setenv("GH_ENTERPRISE_TOKEN", token)
}

// fail makes the next requests of an operation go wrong: fail OP KIND [TIMES], where KIND is lost, truncated,
// after-STATUS, which does the work first, or STATUS.
func (h *hub) fail(ts *testscript.TestScript, args []string) {
	kind := githubtest.Lost
	switch word, after := strings.CutPrefix(args[1], "after-"); {
	case word == "lost":
	case word == "truncated":
		kind = githubtest.Truncated
	default:
		status, err := strconv.Atoi(word)
		ts.Check(err)
		if kind = githubtest.Before(status); after {
			kind = githubtest.After(status)
		}
	}
	times := 1
	if len(args) > 2 {
		var err error
		times, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	h.Fail(args[0], times, kind)
}

// writes prints the operations since it was asked last that could change something, or "nothing".
func (h *hub) writes(ts *testscript.TestScript, _ []string) {
	ops := h.Writes()
	if len(ops) == 0 {
		ops = []string{"nothing"}
	}
	fmt.Fprintln(ts.Stdout(), strings.Join(ops, "\n"))
}

func (h *hub) pulls(ts *testscript.TestScript, _ []string) {
	for _, p := range h.repo.Pulls() {
		state := "ready"
		switch {
		case p.Merged:
			state = "merged"
		case p.Closed:
			state = "closed"
		case p.Draft:
			state = "draft"
		}
		fmt.Fprintf(ts.Stdout(), "#%d %s onto %s by %s: %s\n", p.Number, state, p.Base, p.Author, p.Title)
	}
}

func (h *hub) body(ts *testscript.TestScript, args []string) {
	fmt.Fprintln(ts.Stdout(), h.repo.Pulls()[h.number(ts, args[0])-1].Body)
}

// reviews prints a pull request's reviews with the subject of the commit they are about, their text and their comments.
func (h *hub) reviews(ts *testscript.TestScript, args []string) {
	for i, r := range h.repo.Reviews(h.number(ts, args[0])) {
		outdated := ""
		if r.Minimized {
			outdated = ", outdated"
		}
		fmt.Fprintf(ts.Stdout(), "review %d by %s: %s%s\n", i+1, r.Author, r.State, outdated)
		for line := range strings.Lines(r.Body) {
			fmt.Fprintf(ts.Stdout(), "  %s\n", strings.TrimRight(line, "\r\n"))
		}
		for _, c := range r.Comments {
			fmt.Fprintf(ts.Stdout(), "  at %s:%d: %s\n", c.Path, c.Line, strings.Join(strings.Fields(c.Body), " "))
		}
	}
}

// status prints the newest "agentd / phase" of a branch's head.
func (h *hub) status(ts *testscript.TestScript, args []string) {
	state, text := h.repo.Status(h.repo.Head(args[0]), "agentd / phase")
	fmt.Fprintf(ts.Stdout(), "%s %s\n", state, text)
}

// pull does what a person does on GitHub's pages: pull N close | lock | text FILE.
func (h *hub) pull(ts *testscript.TestScript, args []string) {
	n := h.number(ts, args[0])
	switch {
	case args[1] == "close":
		h.repo.Close(n)
	case args[1] == "lock":
		h.repo.Lock(n)
	case args[1] == "text" && len(args) == 3:
		h.repo.Edit(n, ts.ReadFile(args[2]))
	default:
		ts.Fatalf("github pull N close | lock | text FILE")
	}
}

// review is a review by somebody, with the text of a file: review N LOGIN EVENT FILE.
func (h *hub) review(ts *testscript.TestScript, args []string) {
	ts.Check(h.repo.Review(h.number(ts, args[0]), args[1], args[2], ts.ReadFile(args[3])))
}

// commit puts a file onto a branch, as the pages of GitHub do: commit BRANCH FILE TEXT.
func (h *hub) commit(ts *testscript.TestScript, args []string) {
	_, err := h.repo.Commit(args[0], "From the web", map[string]string{args[1]: args[2] + "\n"})
	ts.Check(err)
}

// fork makes a fork of somebody's, and the remote "fork" of it.
func (h *hub) fork(ts *testscript.TestScript, args []string) {
	fork, err := h.repo.Fork(args[0])
	ts.Check(err)
	ts.Check(ts.Exec("git", "remote", "add", "fork", fork.GitURL()))
}

func (h *hub) number(ts *testscript.TestScript, word string) int {
	n, err := strconv.Atoi(word)
	ts.Check(err)
	if n < 1 || n > len(h.repo.Pulls()) {
		ts.Fatalf("there is no pull request %d", n)
	}
	return n
}
