//go:build linux

package clis

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// helper is a credential helper that knows the password, as a value in .gitconfig.
const helper = "\"!f() { echo username=ada; echo password=" + storedPassword + "; }; f\"\n"

// What a person has in their home and in the project beside the code, in the formats of those who read it.
var personal = map[string]string{
	"home/.gitconfig":                  "[user]\n\tname = Ada\n[credential]\n\thelper = " + helper + "[credential \"https://github.com\"]\n\thelper = " + helper,
	"home/.bashrc":                     "# nothing\n",
	"home/.config/gh/config.yml":       "version: 1\n",
	"home/.gemini/GEMINI.md":           "Be kind.\n",
	"home/.codex/AGENTS.md":            "Be kind.\n",
	"home/.claude/CLAUDE.md":           "Be kind.\n",
	"repo/.gemini/settings.json":       "{\"ui\": {\"hideTips\": true}}\n",
	"repo/.codex/config.toml":          "model_verbosity = \"low\"\n",
	"repo/.claude/settings.json":       "{\"includeCoAuthoredBy\": false}\n",
	"repo/.mcp.json":                   "{\"mcpServers\": {}}\n",
	"repo/GEMINI.md":                   "Be brief.\n",
	"repo/AGENTS.md":                   "Be brief.\n",
	"repo/CLAUDE.md":                   "Be brief.\n",
	"repo/notes-that-nobody-knows.txt": "untracked\n",
}

// What the CLIs keep of themselves: sessions, logs, caches, counters of starts.
var theirs = []string{
	"home/.gemini/projects.json", "home/.gemini/history/", "home/.gemini/tmp/", "home/.gemini/installation_id", "home/.gemini/state.json",
	"home/.codex/", "home/.claude/", "home/.claude.json", "home/.cache/", "home/.npm/",
}

// belongings are what nobody but the person may change.
type belongings struct {
	files  map[string]string // their digests
	status string            // what git says of the checkout
}

// personal puts the person's files there and remembers everything.
func (w *world) personal() belongings {
	w.t.Helper()
	for name, content := range personal {
		put(w.t, filepath.Join(w.dir, name), content)
	}
	return belongings{w.files(), w.git("status", "--porcelain", "--untracked-files=all")}
}

// leftAlone compares: nothing but the change's branch and our cache may differ after a plan and an implementation,
// no configuration in the home or in the repository, nothing of git's own, no file of the person.
func (w *world) leftAlone(before belongings) {
	w.t.Helper()
	after := w.files()
	for name := range after {
		if _, was := before.files[name]; !was && w.mayAppear(name) {
			delete(after, name)
		}
	}
	if diff := cmp.Diff(before.files, after); diff != "" {
		w.t.Errorf("files (-before +after):\n%s", diff)
	}
	if got := w.git("status", "--porcelain", "--untracked-files=all"); got != before.status {
		w.t.Errorf("git status was\n%s\nand is\n%s", before.status, got)
	}
	if got := w.git("-C", filepath.Join(w.dir, "repo-agentd", change), "status", "--porcelain", "--untracked-files=all"); got != "" {
		w.t.Errorf("uncommitted in the worktree:\n%s", got)
	}
	if got := w.git("diff", "--name-only", "main...agentd/"+change, "--", ".", ":!agentd"); got != "greeting.txt" {
		w.t.Errorf("the change touches\n%s", got)
	}
}

// mayAppear says of a new file whether it is the change's, ours, or what a CLI keeps of itself.
func (w *world) mayAppear(name string) bool {
	ours := []string{
		"cache/", "tmp/", "repo-agentd/" + change + "/",
		"repo/.git/objects/", "repo/.git/refs/", "repo/.git/logs/refs/", "repo/.git/worktrees/", "repo/.git/agentd/",
	}
	return slices.ContainsFunc(slices.Concat(ours, theirs), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// files are the digests of all files of the world.
func (w *world) files() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		found[strings.TrimPrefix(path, w.dir+"/")] = hex.EncodeToString(sum[:4])
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}
