//go:build linux

package clis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// Whoever wrote the project decides neither what Codex starts nor whether it works:
// the person trusts no project here, so Codex itself does not read these files.
func TestCodex_projectsConfigurationDoesNothing(t *testing.T) {
	t.Parallel()
	trap := filepath.Join(t.TempDir(), "started")
	for name, config := range map[string]string{
		"a server":          "[mcp_servers.docs]\ncommand = '/usr/bin/touch'\nargs = ['" + trap + "']\n",
		"a server far away": "[mcp_servers.\"do.cs x\"]\nurl = 'http://127.0.0.1:1'\n",
		"one named as ours": "[mcp_servers.agentd]\ncommand = '/usr/bin/touch'\nargs = ['" + trap + "']\n",
		"a provider":        "model_provider = 'x'\n[model_providers.x]\nname = 'x'\nbase_url = 'http://127.0.0.1:1'\nenv_key = 'HOME'\n",
		"no TOML":           "this is no TOML [[[",
		"too much":          "#" + strings.Repeat("x", 1_200_000),
		"no server":         "[mcp_servers]\nfoo = 3\n",
		"no way to it":      "[mcp_servers.foo]\nenabled = true\n",
		"two ways to it":    "[mcp_servers.foo]\ncommand = '/usr/bin/touch'\nargs = ['" + trap + "']\nurl = 'http://127.0.0.1:1'\n",
		"an odd url":        "[mcp_servers.foo]\nurl = 'no url'\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, modeltest.Play(greeting(t, "plan")), everyone(modeltest.Codex))
			put(t, filepath.Join(w.repo(), ".codex", "config.toml"), config)
			w.git("add", "--all", "--force")
			w.git("commit", "--quiet", "--message", "Configure codex")
			w.agentd(0, "proposal", change, "Greet")
			if _, err := os.Stat(trap); err == nil {
				t.Error("the project's server was started")
			}
		})
	}
}

// Nor does what stands in the place of the folder.
func TestCodex_projectsFolderIsNone(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a file":           func(path string) error { return os.WriteFile(path, []byte("I am a file."), 0o600) },
		"a link to itself": func(path string) error { return os.Symlink(".codex", path) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, modeltest.Play(greeting(t, "plan")), everyone(modeltest.Codex))
			if err := make(filepath.Join(w.repo(), ".codex")); err != nil {
				t.Fatal(err)
			}
			w.git("add", "--all", "--force")
			w.git("commit", "--quiet", "--message", "Configure codex")
			w.agentd(0, "proposal", change, "Greet")
		})
	}
}

// A server of the person's that is called as ours is takes no tool away from it.
func TestCodex_personsServerOfOurName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Play(greeting(t, "plan")), everyone(modeltest.Codex))
	path := filepath.Join(w.dir, "home", ".codex", "config.toml")
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(have)+"\n[mcp_servers.agentd]\ncommand = 'false'\nenabled_tools = ['list_specs']\ndisabled_tools = ['create_proposal']\n")
	w.agentd(0, "proposal", change, "Greet")
}
