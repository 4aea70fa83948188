package templates_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/templates"
)

// demoCall is what these tests read of a call of the cassette; package agents owns the format.
type demoCall struct {
	Step  string
	Round int
	Task  string
	Tools []struct {
		Name      string
		Arguments map[string]any
	}
	Write []struct{ Path, Content string }
	Usage struct {
		In, Cached, Out int64
		Model           string
	}
}

func (c demoCall) name() string { return strings.TrimSpace(c.Step + " " + c.Task) }

func demoCalls(t *testing.T) []demoCall {
	t.Helper()
	var cassette struct{ Calls []demoCall }
	if err := yaml.Unmarshal(demoFile(t, "cassette.yaml"), &cassette); err != nil {
		t.Fatal(err)
	}
	if len(cassette.Calls) == 0 {
		t.Fatal("the cassette has no calls")
	}
	return cassette.Calls
}

func demoFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(templates.Demo(), name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDemo_isAFileSystem(t *testing.T) {
	err := fstest.TestFS(templates.Demo(), "cassette.yaml", "clarifications.json",
		"project/go.mod", "project/README.md", "project/shortlink.go", "project/shortlink_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"_project", "_project/go.mod.txt", "project/go.mod.txt", "project/none", "../demo.go"} {
		if _, err := templates.Demo().Open(name); err == nil {
			t.Errorf("%q can be opened", name)
		}
	}
}

func TestDemo_canBeCopied(t *testing.T) {
	dir := t.TempDir()
	project, err := fs.Sub(templates.Demo(), "project")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, project); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(mod, []byte("module example.com/shortlink\n")) || bytes.Contains(mod, []byte("require")) {
		t.Errorf("go.mod is\n%s", mod)
	}
}

// The project is what a newcomer's machine has: it builds and passes before the change, after every call that writes, and at the end.
func TestDemo_projectHoldsAfterEveryCall(t *testing.T) {
	if testing.Short() && os.Getenv("CI") != "true" {
		t.Skip("runs the go command once for every call that writes")
	}
	dir := demoProject(t)
	goCommand(t, dir, "test", "-vet=all", "./...")
	for _, call := range demoCalls(t) {
		if len(call.Write) == 0 {
			continue
		}
		apply(t, dir, call)
		if unformatted := strings.TrimSpace(program(t, dir, "gofmt", "-l", ".")); unformatted != "" {
			t.Errorf("after %s: not formatted: %s", call.name(), unformatted)
		}
		started := time.Now()
		goCommand(t, dir, "test", "-vet=all", "./...") // what go vet says is an error here too
		t.Logf("%-14s go test ./... took %v", call.name(), time.Since(started).Round(time.Millisecond))
	}
}

// The fault that the review finds is one: it is where the review says,
// and the test of the repair fails on the code that was reviewed.
func TestDemo_reviewFindsARealFault(t *testing.T) {
	dir := demoProject(t)
	calls := demoCalls(t)
	resolve := slices.IndexFunc(calls, func(c demoCall) bool { return c.Step == "resolve" })
	for _, call := range calls[:resolve] {
		apply(t, dir, call)
	}

	review := calls[slices.IndexFunc(calls, func(c demoCall) bool { return c.Step == "review" })]
	finding := review.Tools[len(review.Tools)-1].Arguments["findings"].([]any)[0].(map[string]any)
	source, err := os.ReadFile(filepath.Join(dir, finding["file"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(source), "\n")[finding["line"].(int)-1]
	if !strings.Contains(line, ">= idle") {
		t.Errorf("the finding points at %q, want the line that drops buckets after a fixed time", line)
	}

	if testing.Short() && os.Getenv("CI") != "true" {
		t.Skip("runs the go command")
	}
	for _, file := range calls[resolve].Write {
		if strings.HasSuffix(file.Path, "_test.go") {
			write(t, dir, file.Path, file.Content)
		}
	}
	out, err := run(t, dir, "go", "test", "./...")
	if err == nil || !strings.Contains(out, "--- FAIL: TestLimiter_forgettingGivesNoLinks") {
		t.Errorf("the test of the repair passes on the code that was reviewed: %v\n%s", err, out)
	}
}

// The code that is reviewed touches every file that a task names: the state machine asks for it.
func TestDemo_everyTaskTouchesItsFile(t *testing.T) {
	wrote := map[string][]string{}
	tasks := map[string]string{}
	for _, call := range demoCalls(t) {
		for _, tool := range call.Tools {
			if tool.Name != "create_tasks" {
				continue
			}
			clear(tasks) // the newest tasks are the ones that count
			numbers := map[string]string{"data": "1", "logic": "2", "integration": "3", "testing": "4"}
			for _, item := range tool.Arguments["tasks"].([]any) {
				task := item.(map[string]any)
				id := numbers[task["layer"].(string)] + "." + string(rune('0'+task["number"].(int)))
				tasks[id] = task["file"].(map[string]any)["path"].(string)
			}
		}
		for _, file := range call.Write {
			if call.Step == "implement" {
				wrote[call.Task] = append(wrote[call.Task], file.Path)
			}
		}
	}
	if len(tasks) != 6 || len(wrote) != 6 {
		t.Errorf("%d tasks and %d calls that implement one, want 6 and 6", len(tasks), len(wrote))
	}
	for id, path := range tasks {
		if !slices.Contains(wrote[id], path) {
			t.Errorf("task %s names %s, its call writes %v", id, path, wrote[id])
		}
	}
}

func TestDemo_everyCallSaysWhatItCost(t *testing.T) {
	models := []string{"gemini-3-flash-preview", "gpt-5.3-codex", "claude-sonnet-5-5"}
	for _, call := range demoCalls(t) {
		u := call.Usage
		if u.In <= 0 || u.Out <= 0 || u.Cached < 0 || u.Cached > u.In || !slices.Contains(models, u.Model) {
			t.Errorf("%s: usage is %+v", call.name(), u)
		}
	}
}

// demoProject is a fresh copy of the project.
func demoProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	project, err := fs.Sub(templates.Demo(), "project")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, project); err != nil {
		t.Fatal(err)
	}
	return dir
}

func apply(t *testing.T, dir string, call demoCall) {
	t.Helper()
	for _, file := range call.Write {
		write(t, dir, file.Path, file.Content)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goCommand(t *testing.T, dir string, args ...string) { t.Helper(); program(t, dir, "go", args...) }

func program(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// run starts a program as on a machine without network: the project needs nothing but the go command.
func run(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
