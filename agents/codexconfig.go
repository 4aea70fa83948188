package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"
)

// codexConfig is what a run has to know of the person's own configuration of Codex.
// Options are merged into it table by table, so what must stay out has to be named.
type codexConfig struct {
	servers []string // MCP servers that are not ours
	keys    []string // variables that hold the keys of providers of one's own
}

// readCodexConfig reads the files that Codex reads: the person's, and the project's, which counts if the person trusts it.
func readCodexConfig(r Request) (codexConfig, error) {
	home := lookup(r.Environ, "CODEX_HOME")
	if home == "" {
		home = filepath.Join(lookup(r.Environ, "HOME"), ".codex")
	}
	var all codexConfig
	for _, path := range []string{filepath.Join(home, "config.toml"), filepath.Join(r.Dir, ".codex", "config.toml")} {
		if err := all.read(path); err != nil {
			return all, err
		}
	}
	slices.Sort(all.servers)
	all.servers = slices.Compact(all.servers)
	return all, nil
}

// largestConfig is far beyond what anybody writes by hand.
const largestConfig = 1 << 20

func (c *codexConfig) read(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read codex's configuration: %w", err)
	}
	if info.Size() > largestConfig {
		return fmt.Errorf("read codex's configuration: %s has %d bytes", path, info.Size())
	}
	var file struct {
		Servers   map[string]any `toml:"mcp_servers"`
		Providers map[string]struct {
			Key     string            `toml:"env_key"`
			Headers map[string]string `toml:"env_http_headers"`
		} `toml:"model_providers"`
	}
	if _, err := toml.DecodeFile(path, &file); err != nil {
		return fmt.Errorf("read codex's configuration: %s: %w", path, err)
	}
	for _, name := range sortedKeys(file.Servers) {
		if name != serverName {
			c.servers = append(c.servers, name)
		}
	}
	for _, name := range sortedKeys(file.Providers) {
		provider := file.Providers[name]
		for _, key := range append([]string{provider.Key}, sortedValues(provider.Headers)...) {
			if key != "" {
				c.keys = append(c.keys, key)
			}
		}
	}
	return nil
}

// without switches the person's servers off, as a value of mcp_servers.
func (c codexConfig) without() map[string]any {
	off := map[string]any{}
	for _, name := range c.servers {
		off[name] = map[string]any{"enabled": false}
	}
	return off
}
