package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workflowTree is a repository's folder with action.yml, our workflows, and those that init writes.
func workflowTree(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	texts := map[string]string{}
	for name, text := range rendered() {
		// By its path, so that the inputs are held against action.yml.
		texts[filepath.Join(".github", "workflows", name)] = strings.ReplaceAll(text, actionPin, "./")
	}
	ours, err := filepath.Glob(filepath.Join(".github", "workflows", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(ours, "action.yml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(data)
	}
	for file, text := range texts {
		files = append(files, writeFile(t, filepath.Join(dir, file), text))
	}
	return dir, files
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWorkflows_passActionlint, which knows types of expressions, contexts of keys, and what is untrusted in a script.
func TestWorkflows_passActionlint_AC01(t *testing.T) {
	t.Parallel()
	need(t, "actionlint", "shellcheck")
	dir, _ := workflowTree(t)
	mustRun(t, dir, "git", "init", "--quiet")
	mustRun(t, dir, "actionlint")

	const hostile = "on: issues\njobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n"
	writeFile(t, filepath.Join(dir, ".github", "workflows", "hostile.yml"), hostile)
	cmd := exec.Command("actionlint")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("potentially untrusted")) {
		t.Errorf("actionlint has nothing against a title in a script: %v\n%s", err, out)
	}
}

// TestWorkflows_passGitHubsOwnParser: it also reads actions, and misses nothing that GitHub would miss.
func TestWorkflows_passGitHubsOwnParser(t *testing.T) {
	t.Parallel()
	need(t, "node")
	installed := os.Getenv("AGENTD_WORKFLOW_PARSER")
	if installed == "" {
		const how = "AGENTD_WORKFLOW_PARSER is no folder in which testdata/workflowparser was installed with `npm ci`"
		if os.Getenv("CI") == "true" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	script := t.TempDir()
	source, err := os.ReadFile(filepath.Join("testdata", "workflowparser", "validate.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(script, "validate.mjs"), string(source))
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(script, "node_modules")); err != nil {
		t.Fatal(err)
	}
	dir, files := workflowTree(t)
	data, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	broken := writeFile(t, filepath.Join(dir, "broken", "action.yml"), strings.Replace(string(data), "      shell: bash\n", "", 1))
	got := mustRun(t, dir, "node", append([]string{filepath.Join(script, "validate.mjs"), broken}, files...)...)
	if strings.Count(got, "\n") > 0 || !strings.HasPrefix(got, broken) || !strings.HasSuffix(got, "Required property is missing: shell") {
		t.Errorf("want one complaint, about the step whose shell was taken away:\n%s", got)
	}
}
