package gitopstest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
)

// Who commits, and when.
const (
	Name  = "Ada Lovelace"
	Email = "ada@example.com"
	When  = "2026-01-02T03:04:05+00:00"
)

// Repo is a repository of a test's own.
type Repo struct {
	t       testing.TB
	Dir     string   // the worktree, or the bare repository
	Home    string   // $HOME of every command
	Environ []string // the whole environment of every command
}

// New makes a repository with branch main and one commit that holds the files of a txtar archive.
// An archive without files makes no commit.
func New(t testing.TB, archive string) *Repo { return newRepo(t, archive) }

func newRepo(t testing.TB, archive string, initArgs ...string) *Repo {
	t.Helper()
	top := tempDir(t)
	r := &Repo{t: t, Dir: filepath.Join(top, "repo"), Home: filepath.Join(top, "home")}
	r.Environ = Environ(t, r.Home)
	mkdir(t, r.Dir)
	r.Git(append([]string{"init", "--quiet"}, initArgs...)...)
	files := txtar.Parse([]byte(archive)).Files
	for _, file := range files {
		r.Write(file.Name, string(file.Data))
	}
	if len(files) > 0 {
		r.Commit("first")
	}
	return r
}

// tempDir is t.TempDir with symbolic links resolved, as git prints paths.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Environ is an environment with a home of its own, and a git configuration with nothing but
// who commits, a branch named main, and no work in the background.
func Environ(t testing.TB, home string) []string {
	t.Helper()
	mkdir(t, home)
	config := "[user]\n\tname = " + Name + "\n\temail = " + Email + "\n" +
		"[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n" +
		"[core]\n\tfsync = none\n" // tests kill processes, not machines
	path := filepath.Join(home, ".gitconfig")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		writeFile(t, path, config)
	}
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + path,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_DATE=" + When,
		"GIT_COMMITTER_DATE=" + When,
		"TZ=UTC",
		"GORACE=atexit_sleep_ms=0",
	}
}

// Env is what gitops.Open takes.
func (r *Repo) Env() gitops.Env { return gitops.Env{Dir: r.Dir, Environ: r.Environ} }

// Open opens the repository.
func (r *Repo) Open() *gitops.Repo {
	r.t.Helper()
	repo, err := gitops.Open(r.t.Context(), r.Env())
	if err != nil {
		r.t.Fatal(err)
	}
	return repo
}

// At is the same repository from another folder, with the same home.
func (r *Repo) At(dir string) *Repo {
	at := *r
	at.Dir = dir
	return &at
}

// With is the repository with further environment variables.
func (r *Repo) With(environ ...string) *Repo {
	with := *r
	with.Environ = append(append([]string{}, r.Environ...), environ...)
	return &with
}

// For hands the repository to a subtest.
func (r *Repo) For(t testing.TB) *Repo {
	sub := *r
	sub.t = t
	return &sub
}

// Git runs git, fails the test unless it succeeds, and returns its output without the last line break.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.TryGit(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit runs git and returns what it printed on both streams.
func (r *Repo) TryGit(args ...string) (string, error) {
	r.t.Helper()
	return r.run("", args)
}

// Feed is Git with something on standard input.
func (r *Repo) Feed(input string, args ...string) string {
	r.t.Helper()
	out, err := r.run(input, args)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (r *Repo) run(input string, args []string) (string, error) {
	r.t.Helper()
	git, err := proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := proc.Run(context.Background(), proc.Cmd{
		Path: git, Args: args, Dir: r.Dir, Env: r.Environ, Stdin: strings.NewReader(input), Limits: proc.Limits{Wall: time.Minute},
	})
	if err != nil {
		return string(res.Stdout) + string(res.Stderr), err
	}
	return strings.TrimSuffix(string(res.Stdout), "\n"), nil
}

// Commit commits everything in the worktree and returns the commit.
func (r *Repo) Commit(message string) gitops.ID {
	r.t.Helper()
	r.Git("add", "--all", "--sparse")
	r.Git("commit", "--quiet", "--allow-empty", "-m", message)
	return r.Rev("HEAD")
}

// Rev is what a revision names.
func (r *Repo) Rev(rev string) gitops.ID {
	r.t.Helper()
	return gitops.ID(r.Git("rev-parse", "--verify", rev))
}

// Write writes a file of the worktree.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	mkdir(r.t, filepath.Dir(full))
	writeFile(r.t, full, content)
}

// Read reads a file of the worktree.
func (r *Repo) Read(path string) string {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(path)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(content)
}

// Exists says whether something stands at a path of the worktree.
func (r *Repo) Exists(path string) bool {
	_, err := os.Lstat(filepath.Join(r.Dir, filepath.FromSlash(path)))
	return err == nil
}

// Hook writes an executable hook.
func (r *Repo) Hook(name, script string) {
	r.t.Helper()
	path := filepath.Join(r.Git("rev-parse", "--path-format=absolute", "--git-path", "hooks"), name)
	mkdir(r.t, filepath.Dir(path))
	WriteProgram(r.t, path, "#!/bin/sh\n"+script)
}

// LinkedWorktree checks a branch out beside the repository, making it if need be.
func (r *Repo) LinkedWorktree(branch string) *Repo {
	r.t.Helper()
	dir := r.Dir + "-" + strings.ReplaceAll(branch, "/", "-")
	if _, err := r.TryGit("rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		r.Git("branch", branch)
	}
	r.Git("worktree", "add", "--quiet", dir, branch)
	return r.At(dir)
}

// Clone clones beside the repository, over git's own protocol, so that depth and filters hold.
func (r *Repo) Clone(args ...string) *Repo {
	r.t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(r.Dir), "clone-*")
	if err != nil {
		r.t.Fatal(err)
	}
	r.Git(append(append([]string{"clone", "--quiet"}, args...), "file://"+r.Dir, dir)...)
	return r.At(dir)
}

// Bare is a bare clone.
func (r *Repo) Bare() *Repo {
	r.t.Helper()
	return r.Clone("--bare")
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Sh runs a shell script in the worktree and fails the test unless it succeeds.
func (r *Repo) Sh(script string) {
	r.t.Helper()
	res, err := proc.Run(context.Background(), proc.Cmd{
		Path: "/bin/sh", Args: []string{"-e", "-c", script}, Dir: r.Dir, Env: r.Environ, Limits: proc.Limits{Wall: time.Minute},
	})
	if err != nil {
		r.t.Fatalf("%s: %v\n%s%s", script, err, res.Stdout, res.Stderr)
	}
}
