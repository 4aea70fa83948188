//go:build linux

package clis

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/agents/modeltest"
	"github.com/agentd/gh-agentd/templates"
)

// change is the one that the demo's recording plays.
const change = templates.DemoChange

// What a person has in their environment and no agent may ever see.
var secrets = map[string]string{
	"GH_TOKEN":                "ghp_seeded0seeded0seeded0seeded0seeded0",
	"GITHUB_TOKEN":            "ghs_seeded1seeded1seeded1seeded1seeded1",
	"GIT_ASKPASS":             "/usr/bin/askpass-seeded",
	"SSH_AUTH_SOCK":           "/run/agent-seeded.sock",
	"DATABASE_PASSWORD":       "seeded-database-password",
	"ACTIONS_RUNTIME_TOKEN":   "seeded-actions-runtime-token",
	"GIT_CONFIG_COUNT":        "1",
	"GIT_CONFIG_KEY_0":        "credential.helper",
	"GIT_CONFIG_VALUE_0":      "!echo password=seeded-credential-helper",
	"AWS_SECRET_ACCESS_KEY":   "seeded-aws-secret-access-key",
	"GITHUB_ENTERPRISE_TOKEN": "ghp_seeded2seeded2seeded2seeded2seeded2",
}

// world is a person with a project, the three CLIs, and a provider of models for all of them.
type world struct {
	t       testing.TB
	use     *bench
	dir     string
	server  *modeltest.Server
	environ []string
}

// roles say who plays; a role that is empty is played by its default.
type roles struct{ proposer, challenger, implementer, reviewer modeltest.Vendor }

var vendors = []modeltest.Vendor{modeltest.Gemini, modeltest.Codex, modeltest.Claude}

// everyone is one CLI in all roles.
func everyone(v modeltest.Vendor) roles { return roles{v, v, v, v} }

// newWorld makes the demo's project in a repository, with further lines of configuration.
func newWorld(t testing.TB, script modeltest.Script, cast roles, config ...string) *world {
	t.Helper()
	use := tools(t)
	dir, err := os.MkdirTemp(use.dir, "world-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, use: use, dir: dir, server: modeltest.Start(t, script)}
	t.Cleanup(func() {
		w.nobodyLeft()
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("take the world away: %v", err)
		}
	})
	for _, name := range []string{"home", "cache", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	w.environ = append(w.server.Install(t, home),
		"PATH="+use.clis+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "TMPDIR="+filepath.Join(dir, "tmp"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "LANG=C.UTF-8", "TERM=dumb",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GOCACHE="+goenv(t, "GOCACHE"), "GOFLAGS=-mod=mod", "GOPROXY=off")
	for name, value := range secrets {
		w.environ = append(w.environ, name+"="+value)
	}
	w.project(cast, config)
	return w
}

// project writes the demo's project and its first commit.
func (w *world) project(cast roles, config []string) {
	w.t.Helper()
	story := templates.Demo()
	err := fs.WalkDir(story, ".", func(name string, entry fs.DirEntry, err error) error {
		path, inside := strings.CutPrefix(name, "project/")
		if err != nil || entry.IsDir() || !inside && name != "clarifications.json" {
			return err
		}
		content, err := fs.ReadFile(story, name)
		if name == "clarifications.json" {
			path = "../" + name
		}
		put(w.t, filepath.Join(w.repo(), filepath.FromSlash(path)), string(content))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.configure(cast, config...)
	w.git("init", "--quiet", "--initial-branch=main")
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", "Begin the project")
}

// configure writes the project's configuration: the cast, a check that costs nothing, and further lines.
func (w *world) configure(cast roles, config ...string) {
	w.t.Helper()
	var settings strings.Builder
	settings.WriteString("project_name = \"demo\"\n\n[roles]\n")
	for _, role := range []struct {
		name string
		who  modeltest.Vendor
	}{{"proposer", cast.proposer}, {"challenger", cast.challenger}, {"implementer", cast.implementer}, {"reviewer", cast.reviewer}} {
		if role.who != "" {
			fmt.Fprintf(&settings, "%s = %q\n", role.name, role.who)
		}
	}
	settings.WriteString("\n[review]\ncommands = [\"git diff --check main HEAD\"]\nscan = \"off\"\n")
	for _, lines := range config {
		settings.WriteString("\n" + lines + "\n")
	}
	put(w.t, filepath.Join(w.repo(), "agentd", "config.toml"), settings.String())
}

func (w *world) repo() string { return filepath.Join(w.dir, "repo") }

// git is the person's git, without what the world hides in the environment.
func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.repo()
	cmd.Env = slices.DeleteFunc(slices.Clone(w.environ), func(v string) bool {
		return strings.HasPrefix(v, "GIT_CONFIG_COUNT") || strings.HasPrefix(v, "GIT_ASKPASS")
	})
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, out, complaint.String())
	}
	return strings.TrimRight(string(out), "\n")
}

// outcome is how a command of ours ended.
type outcome struct {
	code     int // exit code, -1 if a signal ended it
	out, err string
}

func (o outcome) String() string { return fmt.Sprintf("exit code %d\n%s%s", o.code, o.out, o.err) }

// patience is for one command on a busy machine. A command that takes longer is killed, and the test fails.
const patience = 3 * time.Minute

// process is a command of ours at work.
type process struct {
	*exec.Cmd
	w        *world
	out, err bytes.Buffer
	terminal *os.File // the person's side of it, if it has one
	done     chan struct{}
}

// begin starts gh-agentd in a process group of its own, as a shell does.
func (w *world) begin(args ...string) *process {
	w.t.Helper()
	return w.start(func(p *process) error {
		p.Stdout, p.Stderr = &p.out, &p.err
		p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return p.Start()
	}, args...)
}

func (w *world) start(how func(*process) error, args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: exec.Command(w.use.product, args...), w: w, done: make(chan struct{})}
	p.Dir, p.Env, p.WaitDelay = w.repo(), w.environ, time.Second
	if err := how(p); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		_ = p.Wait() // its state says it
		close(p.done)
	}()
	return p
}

// end waits for the command.
func (p *process) end() outcome {
	p.w.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.done
		p.w.t.Errorf("%s was not done after %s", strings.Join(p.Args[1:], " "), patience)
	}
	return outcome{p.ProcessState.ExitCode(), p.out.String(), p.err.String()}
}

// agentd runs a command of ours and wants it to end with that exit code.
func (w *world) agentd(code int, args ...string) outcome {
	w.t.Helper()
	o := w.begin(args...).end()
	if o.code != code {
		w.t.Fatalf("gh-agentd %s: want exit code %d, got %s", strings.Join(args, " "), code, o)
	}
	return o
}

// answers is the file of the person's answers in the demo.
func (w *world) answers() string { return filepath.Join(w.dir, "clarifications.json") }

// tip is the change's branch, "" where there is none.
func (w *world) tip() string {
	w.t.Helper()
	return w.git("for-each-ref", "--format=%(objectname)", "refs/heads/agentd/"+change)
}

// phase is what the history says.
func (w *world) phase() string {
	w.t.Helper()
	return w.git("log", "-1", "--format=%(trailers:key=Agentd-Phase,valueonly,separator=)", "agentd/"+change)
}

// living are the processes of the world with their command lines, but for zombies.
func (w *world) living() map[int]string {
	w.t.Helper()
	found := map[int]string{}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(w.dir+"/")) {
			continue // gone, or not ours to look at
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		line, readErr := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && readErr == nil && len(line) > 0 {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// await returns when a process of the world has a command line with that text.
func (w *world) await(text string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for _, line := range w.living() {
			if strings.Contains(line, text) {
				return
			}
		}
	}
	w.t.Fatalf("nobody ran %q within a minute", text)
}

// nobodyLeft fails the test if a process of the world is alive shortly after its commands have ended.
func (w *world) nobodyLeft() {
	w.t.Helper()
	const shortly = 2 * time.Second
	for deadline := time.Now().Add(shortly); ; time.Sleep(10 * time.Millisecond) {
		left := w.living()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for pid, line := range left {
				w.t.Errorf("still running: %d %s", pid, line)
				_ = syscall.Kill(pid, syscall.SIGKILL) // it would disturb the other tests
			}
			return
		}
	}
}

// onlyOnce is true once.
type onlyOnce struct{ done atomic.Bool }

func (o *onlyOnce) first() bool { return o.done.CompareAndSwap(false, true) }

// demo is the recording of the demo.
func demo(t testing.TB) *agents.Cassette {
	t.Helper()
	src, err := fs.ReadFile(templates.Demo(), "cassette.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(src))
}

// greeting is the recording of a small change that the product's own scripts tell, of one spec and one task.
func greeting(t testing.TB, parts ...string) *agents.Cassette {
	t.Helper()
	return parse(t, greetingSource(t, parts...))
}

func greetingSource(t testing.TB, parts ...string) string {
	t.Helper()
	src := "version: 1\ncalls:\n"
	for _, part := range parts {
		src += read(t, filepath.Join("..", "..", "testdata", "cassette", part+".yaml"))
	}
	return src
}

func parse(t testing.TB, src string) *agents.Cassette {
	t.Helper()
	cassette, err := agents.ParseCassette("cassette.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return cassette
}

func goenv(t testing.TB, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
