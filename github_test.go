package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
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
		"as":       {1, h.as},
		"fail":     {2, h.fail},
		"writes":   {0, h.writes},
		"pulls":    {0, h.pulls},
		"body":     {1, h.body},
		"reviews":  {1, h.reviews},
		"status":   {1, h.status},
		"pull":     {2, h.pull},
		"review":   {4, h.review},
		"reply":    {4, h.reply},
		"dismiss":  {2, h.dismiss},
		"forget":   {2, h.forget},
		"commit":   {3, h.commit},
		"fork":     {1, h.fork},
		"open":     {2, h.open},
		"job":      {1, h.job},
		"home":     {0, h.home},
		"outputs":  {0, h.outputs},
		"rename":   {1, func(ts *testscript.TestScript, args []string) { ts.Check(h.repo.Rename(args[0])) }},
		"protect":  {1, h.protect},
		"settings": {1, h.settings},
		"merge":    {2, h.merge},
		"deaths":   {2, h.deaths},
		"release":  {2, h.release},
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

// protect lets a branch move by pull requests alone, whose head needs our status where "required" is said.
func (h *hub) protect(ts *testscript.TestScript, args []string) {
	ts.Check(h.repo.Protect(args[0]))
	if len(args) > 1 && args[1] == "required" {
		h.repo.Require(args[0], "agentd / phase")
	}
}

// settings are a person's in the settings of the repository: settings squash-only.
func (h *hub) settings(ts *testscript.TestScript, args []string) {
	if args[0] != "squash-only" {
		ts.Fatalf("github settings: %q is none", args[0])
	}
	h.repo.SquashOnly = true
}

// merge is the merge button, or what it answers: merge N merge|squash.
func (h *hub) merge(ts *testscript.TestScript, args []string) {
	if err := h.repo.Merge(h.number(ts, args[0]), githubtest.Method(args[1])); err != nil {
		fmt.Fprintln(ts.Stdout(), err)
		return
	}
	fmt.Fprintln(ts.Stdout(), "merged")
}

// release makes a release of octo/gh-agentd with a program, and has gh find it there: release TAG PROGRAM.
func (h *hub) release(ts *testscript.TestScript, args []string) {
	repo, err := h.NewRepo("octo", "gh-agentd", map[string]string{"README.md": "# The extension\n"})
	ts.Check(err)
	repo.Release(args[0], args[1])
	// A socket's path is short on every system, and the folders of tests are not.
	dir, err := os.MkdirTemp("", "hub")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	ts.Check(h.Socket(socket))
	ts.Check(os.MkdirAll(ts.Getenv("GH_CONFIG_DIR"), 0o700))
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("GH_CONFIG_DIR"), "config.yml"), []byte("http_unix_socket: "+socket+"\n"), 0o600))
	ts.Setenv("GH_TOKEN", h.NewUser("newcomer"))
}

// deaths runs a program again and again, and kills it at its first request, at its second, and so on, before or after
// GitHub has done what it asks for, until it gets through: deaths before|after PROGRAM ARGS. How often it died is `stdout`.
func (h *hub) deaths(ts *testscript.TestScript, args []string) {
	const most = 100
	for died := range most {
		cmd := exec.Command(args[1], args[2:]...) //nolint:noctx // it ends by itself, or is killed
		cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnvironment(ts)
		var said strings.Builder
		cmd.Stderr = &said
		h.FailLater(died, githubtest.Death(func() { _ = cmd.Process.Kill() }, args[0] == "after"))
		ts.Check(cmd.Start())
		err := cmd.Wait()
		h.Heal()
		if err == nil {
			fmt.Fprintf(ts.Stdout(), "died %d times\n", died)
			return
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Exited() {
			ts.Fatalf("%v: %s", err, said.String())
		}
	}
	ts.Fatalf("died %d times, and does not get through", most)
}

// review is a review by somebody, with the text of a file and comments on lines with that of others:
// review N LOGIN EVENT FILE [PATH:LINE=FILE...].
func (h *hub) review(ts *testscript.TestScript, args []string) {
	var comments []githubtest.Comment
	for _, arg := range args[4:] {
		place, file, _ := strings.Cut(arg, "=")
		colon := strings.LastIndexByte(place, ':')
		line, err := strconv.Atoi(place[colon+1:])
		ts.Check(err)
		comments = append(comments, githubtest.Comment{Path: place[:colon], Line: line, Body: ts.ReadFile(file)})
	}
	ts.Check(h.repo.Review(h.number(ts, args[0]), args[1], args[2], ts.ReadFile(args[3]), comments...))
}

// reply is an answer to the n-th comment on lines, from 1: reply N COMMENT LOGIN FILE.
func (h *hub) reply(ts *testscript.TestScript, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	h.repo.Reply(h.number(ts, args[0]), n, args[2], ts.ReadFile(args[3]))
}

// dismiss takes back the n-th review, from 1: dismiss N REVIEW.
func (h *hub) dismiss(ts *testscript.TestScript, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	h.repo.Dismiss(h.number(ts, args[0]), n)
}

// forget deletes the account that wrote the n-th review, from 1: forget N REVIEW.
func (h *hub) forget(ts *testscript.TestScript, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	h.repo.Forget(h.number(ts, args[0]), n)
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
