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
	"strings"
	"testing"

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
