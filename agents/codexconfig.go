package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// codexConfig is what a run has to know of the configuration that Codex reads.
// Options are merged into it table by table, so what must stay out has to be named.
type codexConfig struct {
	servers map[string]map[string]any // MCP servers that are not ours, switched off
	keys    []string                  // variables that hold the keys of the person's own providers
}

// readCodexConfig reads the files that Codex reads: the person's, and the project's, which counts only if the person trusts it.
// Whoever wrote the project names no variable of the person's, and does not decide whether Codex works:
// one that cannot be read starts no server, for untrusted it is not read, and trusted Codex refuses it.
func readCodexConfig(r Request) (codexConfig, error) {
	all := codexConfig{servers: map[string]map[string]any{}}
	own, err := decodeCodexConfig(personsCodexConfig(r))
	if err != nil {
		return all, &Error{Kind: Config, Detail: err.Error(), Advice: codexConfigAdvice(r), Err: err}
	}
	if project, err := decodeCodexConfig(projectsCodexConfig(r)); err == nil {
		all.switchOff(project.Servers)
	}
	if len(tomlValue(all.without())) > longestArgument { // no program can be started with so many words
		clear(all.servers)
	}
	all.switchOff(own.Servers)
	for _, name := range sortedKeys(own.Providers) {
		provider := own.Providers[name]
		for _, key := range append([]string{provider.Key}, sortedValues(provider.Headers)...) {
			if key != "" {
				all.keys = append(all.keys, key)
			}
		}
	}
	return all, nil
}

func personsCodexConfig(r Request) string {
	home := lookup(r.Environ, "CODEX_HOME")
	if home == "" {
		home = filepath.Join(lookup(r.Environ, "HOME"), ".codex")
	}
	return filepath.Join(home, "config.toml")
}

func projectsCodexConfig(r Request) string { return filepath.Join(r.Dir, ".codex", "config.toml") }

// codexConfigAdvice names the files that Codex reads, for one of them is at fault: it does not say which.
func codexConfigAdvice(r Request) string {
	files := personsCodexConfig(r)
	if project := projectsCodexConfig(r); isFile(project) {
		files += ", or " + project + " if codex trusts this project"
	}
	return "mend " + files + "; then run the same command again"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// largestConfig is far beyond what anybody writes by hand.
const largestConfig = 1 << 20

// codexFile is the part of a configuration of Codex that matters here.
type codexFile struct {
	Servers   map[string]any `toml:"mcp_servers"`
	Providers map[string]struct {
		Key     string            `toml:"env_key"`
		Headers map[string]string `toml:"env_http_headers"`
	} `toml:"model_providers"`
}

// decodeCodexConfig reads a file; one that is not there is empty.
func decodeCodexConfig(path string) (codexFile, error) {
	var file codexFile
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("read codex's configuration: %w", err)
	}
	if info.Size() > largestConfig {
		return file, fmt.Errorf("read codex's configuration: %s has %d bytes", path, info.Size())
	}
	if _, err := toml.DecodeFile(path, &file); err != nil {
		return codexFile{}, fmt.Errorf("read codex's configuration: %s: %w", path, err)
	}
	return file, nil
}

// switchOff names each server with the one thing that says how it is reached:
// where Codex does not read the file that defines it, an entry without that is refused, and one with both as well.
// What says neither or both would never start, and is named with a command that Codex takes.
func (c *codexConfig) switchOff(servers map[string]any) {
	for name, value := range servers {
		if name == serverName {
			continue
		}
		described, _ := value.(map[string]any)
		command, hasCommand := described["command"].(string)
		url, hasURL := described["url"].(string)
		off := map[string]any{"enabled": false}
		switch {
		case hasCommand == hasURL:
			off["command"] = "false"
		case hasURL:
			off["url"] = url
		default:
			off["command"] = command
		}
		c.servers[name] = off
	}
}

// without is the switched off servers as a value of mcp_servers.
func (c codexConfig) without() map[string]any {
	all := map[string]any{}
	for name, off := range c.servers {
		all[name] = off
	}
	return all
}
