//go:build linux

package clis

import (
	"os"
	"path/filepath"
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
