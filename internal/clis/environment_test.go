//go:build linux

package clis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// storedPassword is what git's credential helper knows in the person's home.
const storedPassword = "seeded-stored-password"

// Each CLI is started with an environment that holds nothing to speak to GitHub with, and none of the person's other secrets.
func TestEnvironment_ofEachCLI_AG24(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, modeltest.Play(greeting(t, "plan")), everyone(vendor))
			seen := w.watch(vendor)
			w.agentd(0, "proposal", change, "Greet")
			environ := read(t, seen)
			if !strings.Contains(environ, "HOME="+filepath.Join(w.dir, "home")+"\n") || !strings.Contains(environ, modeltest.Key) {
				t.Errorf("that is not the environment of %s:\n%s", vendor, environ)
			}
			for name := range secrets {
				if strings.Contains(environ, "\n"+name+"=") {
					t.Errorf("%s sees %s", vendor, name)
				}
			}
			for _, value := range secretValues() {
				if strings.Contains(environ, value) {
					t.Errorf("%s sees %s", vendor, value)
				}
			}
			for other, key := range map[modeltest.Vendor]string{modeltest.Gemini: "GEMINI_API_KEY", modeltest.Codex: "CODEX_API_KEY", modeltest.Claude: "ANTHROPIC_API_KEY"} {
				if other != vendor && strings.Contains(environ, key+"=") {
					t.Errorf("%s sees the key of %s", vendor, other)
				}
			}
		})
	}
}

// What a model runs in Codex's shell sees no secret either, not even Codex's own, and git tells it no password.
func TestEnvironment_ofCommands_AG24(t *testing.T) {
	t.Parallel()
	var said []string
	w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
		switch len(r.Done) {
		case 0:
			return modeltest.Do(modeltest.Run("env"))
		case 1:
			return modeltest.Do(modeltest.Run(`printf 'protocol=https\nhost=github.com\n\n' | git credential fill; echo "git ended with $?"`))
		default:
			for _, d := range r.Done {
				said = append(said, d.Result)
			}
			return modeltest.Say("I looked.")
		}
	}, everyone(modeltest.Codex))
	put(t, filepath.Join(w.dir, "home", ".gitconfig"), personal["home/.gitconfig"])
	w.agentd(1, "proposal", change, "Greet") // for nothing is handed in
	all := strings.Join(said, "\n")
	if !strings.Contains(all, "HOME=") || !strings.Contains(all, "git ended with") {
		t.Fatalf("the commands were not run: %q", said)
	}
	for _, value := range append(secretValues(), modeltest.Key, storedPassword) {
		if strings.Contains(all, value) {
			t.Errorf("a command of the agent sees %s:\n%s", value, all)
		}
	}
}

// watch puts a program before the CLI on the PATH that writes the environment down and then becomes the CLI.
func (w *world) watch(vendor modeltest.Vendor) (seen string) {
	w.t.Helper()
	seen = filepath.Join(w.dir, "environment.txt")
	script := filepath.Join(w.dir, "watch", string(vendor))
	put(w.t, script, "#!/bin/sh\n[ \"$1\" = --version ] || env >'"+seen+"'\nexec '"+filepath.Join(w.use.clis, string(vendor))+"' \"$@\"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for i, v := range w.environ {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			w.environ[i] = "PATH=" + filepath.Dir(script) + string(os.PathListSeparator) + path
		}
	}
	return seen
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
