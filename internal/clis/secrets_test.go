//go:build linux

package clis

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// secretsStaySecret looks for everything that is secret in all that is kept of a run:
// the commits and their messages, the run folders with their logs, and the prompts that were sent.
func (w *world) secretsStaySecret() {
	w.t.Helper()
	kept := map[string][]byte{"the history": []byte(w.git("log", "--all", "--patch", "--format=fuller"))}
	err := filepath.WalkDir(filepath.Join(w.dir, "cache"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		kept[strings.TrimPrefix(path, w.dir)] = data
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range w.server.Exchanges() {
		kept["a prompt"] = append(kept["a prompt"], e.Prompt...)
	}
	const few = 3
	if len(kept) < few {
		w.t.Errorf("only %d things to look into", len(kept))
	}
	for where, data := range kept {
		for _, value := range append(secretValues(), modeltest.Key) {
			if bytes.Contains(data, []byte(value)) {
				w.t.Errorf("%s holds %s", where, value)
			}
		}
	}
}

// secretValues are the values of secrets but for those that are words of git's own.
func secretValues() []string {
	var values []string
	for name, value := range secrets {
		if name != "GIT_CONFIG_COUNT" && name != "GIT_CONFIG_KEY_0" {
			values = append(values, value)
		}
	}
	return values
}
