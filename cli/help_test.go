package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the golden files")

// everyCommand walks the whole tree, hidden commands included.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, everyCommand(c)...)
	}
	return all
}

func testTree(t *testing.T) *cobra.Command {
	t.Helper()
	return newRootCommand(newApp(testEnv(t, "gh-agentd")))
}

func TestHelp_everyCommandIsGolden(t *testing.T) {
	want := map[string]bool{}
	for _, cmd := range everyCommand(testTree(t)) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "_") + ".txt"
		want[name] = true
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			words := strings.Fields(cmd.CommandPath())
			run := runCLI(t, append(words, "--help")...)
			if run.code != ExitOK || run.err != "" {
				t.Fatalf("exit code %d, stderr %q", run.code, run.err)
			}
			golden(t, filepath.Join("testdata", "help", name), run.out)
		})
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "help"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !want[entry.Name()] {
			t.Errorf("testdata/help/%s is the help of no command", entry.Name())
		}
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestHelp_everyCommandSaysItsExitCodesAndAnExample(t *testing.T) {
	for _, cmd := range everyCommand(testTree(t)) {
		if cmd.Name() == "help" {
			continue
		}
		if cmd.Annotations[annotationCodes] == "" {
			t.Errorf("%s lists no exit codes", cmd.CommandPath())
		}
		if !strings.Contains(cmd.Example, cmd.Name()) {
			t.Errorf("%s has no example of itself", cmd.CommandPath())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s has the short text %q", cmd.CommandPath(), cmd.Short)
		}
		for line := range strings.Lines(helpText(cmd)) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 124 {
				t.Errorf("%s: a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	}
}

func helpText(cmd *cobra.Command) string {
	var b strings.Builder
	helpPage(&b, cmd, false)
	return b.String()
}

func TestHelp_speaksTheNameItWasCalledBy(t *testing.T) {
	env := testEnv(t, "/home/ada/.local/share/gh/extensions/gh-agentd/gh-agentd", "plan", "--help")
	run := runEnv(t, env)
	if !strings.Contains(run.out, "\n  gh agentd plan <id>") || strings.Contains(run.out, "gh-agentd plan") {
		t.Errorf("as an extension the help says:\n%s", run.out)
	}
	run = runCLI(t, "gh-agentd", "plan", "--help")
	if !strings.Contains(run.out, "\n  gh-agentd plan <id>") || strings.Contains(run.out, "gh agentd") {
		t.Errorf("by itself the help says:\n%s", run.out)
	}
}

func TestRoot_outsideARepositoryIsHelp(t *testing.T) {
	run := runCLI(t, "gh-agentd")
	if run.code != ExitOK || !strings.Contains(run.out, "WORK\n  plan:     ") {
		t.Errorf("exit code %d, stdout:\n%s\nstderr:\n%s", run.code, run.out, run.err)
	}
}

func TestRoot_oldNamesWork(t *testing.T) {
	root := testTree(t)
	for alias, name := range map[string]string{
		"plan-change": "plan", "impl-change": "impl", "merge-change": "archive", "resolve-reviews": "resolve", "ls": "list",
	} {
		cmd, _, err := root.Find([]string{alias})
		if err != nil || cmd.Name() != name {
			t.Errorf("%s is %v (%v), want %s", alias, cmd.Name(), err, name)
		}
	}
	for _, text := range stepTexts() {
		step, _, err := root.Find([]string{"step", text.name})
		if err != nil || step.Name() != text.name {
			t.Errorf("step %s is not there: %v", text.name, err)
		}
		top, _, err := root.Find([]string{text.name})
		if err != nil || top.Name() != text.name || top.GroupID != groupSteps {
			t.Errorf("%s is not among the steps: %v", text.name, err)
		}
	}
}
