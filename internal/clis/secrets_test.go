//go:build linux

package clis

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// secretsStaySecret looks for everything that is secret in all that is kept of a run:
// the commits and their messages, the run folders with their logs, and the prompts that were sent.
// What an agent has submitted lies in the folder of its run, which is the person's alone; but may leave that out.
func (w *world) secretsStaySecret(but ...string) {
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
	maps.DeleteFunc(kept, func(where string, _ []byte) bool { return slices.Contains(but, filepath.Base(where)) })
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

// A model that got hold of a secret tells it, and writes it into what it submits:
// the log and the screen show it blackened, and what holds it is not committed.
func TestSecrets_modelThatTellsThem(t *testing.T) {
	t.Parallel()
	secret := secrets["DATABASE_PASSWORD"]
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			told := []byte(`{"summary": "The project greets.", "why": "` + secret + `", "what_changes": ["A file."],
				"impact": {"scope": "minor", "affected_specs": ["greeting"], "affected_files": 1, "new_files": 1, "affected_code": ["greeting.txt"]}}`)
			var submitted onlyOnce
			w := newWorld(t, func(modeltest.Request) modeltest.Answer {
				if submitted.first() {
					answer := modeltest.Do(modeltest.Call("create_proposal", told))
					answer.Text = "I found " + secret + "."
					return answer
				}
				return modeltest.Say("The password is " + secret + ".")
			}, everyone(vendor), "[workflow]\nscript_retries = 0")
			o := w.begin("proposal", change, "Greet", "--verbose").end()
			if o.code != 1 || w.tip() != "" || !strings.Contains(o.err, "proposal.md holds the value of DATABASE_PASSWORD: nothing was committed") {
				t.Errorf("want exit code 1 and nothing committed, got %s", o)
			}
			w.secretsStaySecret("proposal.md")
			if strings.Contains(o.out+o.err, secret) {
				t.Errorf("the secret is on the screen: %s", o)
			}
		})
	}
}
