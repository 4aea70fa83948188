//go:build unix

package hooks_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/hooks"
)

// shells are what runs a script that says #!/bin/sh, on one system or another.
var shells = [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}}

// need finds a program. Where it is missing a test is skipped, but not in CI.
func need(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed, and CI must have it", name)
	}
	t.Skipf("%s is not installed", name)
}

// yard is a folder of hooks with a program beside it that writes down how it was called.
type yard struct {
	t    *testing.T
	dir  string // of the hooks
	prog string
	log  string
}

func newYard(t *testing.T) yard {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a person's folder, with $HOME and `id`")
	y := yard{t: t, dir: filepath.Join(root, "hooks"), prog: filepath.Join(root, "gh-agentd"), log: filepath.Join(root, "log")}
	y.write(y.prog, `#!/bin/sh
{ echo "called $*"; [ "$3" != pre-push ] || cat; } >>"${0%/*}/log"
[ ! -e "${0%/*}/refuse" ]
`)
	return y
}

func (y yard) write(path, text string) {
	y.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o777)); err != nil {
		y.t.Fatal(err)
	}
}

func (y yard) install(s hooks.Script) {
	y.t.Helper()
	s.Program = y.prog
	if _, err := hooks.Install(y.dir, s); err != nil {
		y.t.Fatal(err)
	}
}

// run starts a hook by a shell, and returns what it said, what the program was told, and whether it let pass.
func (y yard) run(shell []string, hook, in string, args ...string) (said, told string, pass bool) {
	y.t.Helper()
	if err := os.RemoveAll(y.log); err != nil {
		y.t.Fatal(err)
	}
	words := append(append(shell[1:len(shell):len(shell)], filepath.Join(y.dir, hook)), args...)
	cmd := exec.CommandContext(y.t.Context(), shell[0], words...)
	cmd.Dir = y.t.TempDir()
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		y.t.Fatal(err)
	}
	log, _ := os.ReadFile(y.log) // none where it was not called
	return string(out), string(log), err == nil
}

func TestPrePush_inEveryShell_HK13(t *testing.T) {
	line := func(local, remote string) string { return fmt.Sprintf("%s %s %s %s\n", local, one, remote, two) }
	other := line("refs/heads/x", "refs/heads/x")
	change := line("refs/heads/agentd/x", "refs/heads/agentd/x")
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			need(t, shell[0])
			y := newYard(t)
			y.install(hooks.Script{Hook: hooks.PrePush, Base: "refs/heads/main"})

			for name, in := range map[string]string{
				"nothing": "", "another": other, "a tag": line("refs/tags/a", "refs/tags/a"), "patterns": line(":/*?[a] \\n", "refs/heads/x"),
				"many others": strings.Repeat(other, 3000),
			} {
				if said, told, pass := y.run(shell, "pre-push", in, "origin", "url"); said != "" || told != "" || !pass {
					t.Errorf("%s: said %q, told %q, pass %v", name, said, told, pass)
				}
			}
			// One line of another branch needs no program at all, whatever it is called.
			if path, err := exec.LookPath(shell[0]); err != nil {
				t.Error(err)
			} else if said, _, pass := y.run(append([]string{"/usr/bin/env", "PATH=/nonexistent", path}, shell[1:]...), "pre-push", other, "origin", "url"); said != "" || !pass {
				t.Errorf("another without any program: said %q, pass %v", said, pass)
			}
			for name, in := range map[string]string{
				"a change": change, "from a change": line("refs/heads/agentd/x", "refs/heads/f"), "to a change": line("HEAD", "refs/heads/agentd/x"),
				"last of two": other + change, "first of three": change + other + other, "in the middle of many": strings.Repeat(other, 500) + change + strings.Repeat(other, 500),
				"an expression": line("agentd/x@{1 day ago}", "refs/heads/f"),
			} {
				if said, told, pass := y.run(shell, "pre-push", in, "origin", "a url; $(id)"); told != "called hook run pre-push origin a url; $(id)\n"+in || !pass {
					t.Errorf("%s: said %q, told %q, pass %v", name, said, told, pass)
				}
			}
			// What git cannot say about the base is asked.
			if _, told, _ := y.run(shell, "pre-push", line("refs/heads/main", "refs/heads/main"), "origin", "url"); !strings.HasPrefix(told, "called") {
				t.Errorf("main where git answers nothing: told %q", told)
			}

			y.write(filepath.Join(filepath.Dir(y.prog), "refuse"), "")
			if _, told, pass := y.run(shell, "pre-push", change, "origin", "url"); told == "" || pass {
				t.Errorf("refused, and still let pass")
			}
			if err := os.Remove(y.prog); err != nil {
				t.Fatal(err)
			}
			if said, _, pass := y.run(shell, "pre-push", change, "origin", "url"); pass || !strings.Contains(said, "gh-agentd: error: ") || !strings.Contains(said, "gh-agentd: hint: ") || !strings.Contains(said, y.prog) {
				t.Errorf("without a program: said %q, pass %v", said, pass)
			}
			if said, _, pass := y.run(shell, "pre-push", other, "origin", "url"); said != "" || !pass {
				t.Errorf("another branch without a program: said %q, pass %v", said, pass)
			}
		})
	}
}

func TestPrePush_callsTheHookBefore(t *testing.T) {
	change := "refs/heads/agentd/x " + one + " refs/heads/agentd/x " + two + "\n"
	other := "HEAD " + one + " refs/heads/x " + two + "\n"
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			need(t, shell[0])
			y := newYard(t)
			before := filepath.Join(y.dir, "pre-push")
			y.write(before, "#!/bin/sh\necho \"before $*\"; cat; exit 7\n")
			y.install(hooks.Script{Hook: hooks.PrePush})
			for _, in := range []string{"", other, strings.Repeat(other, 2), other + other + change, strings.Repeat(other, 3000)} {
				if said, _, pass := y.run(shell, "pre-push", in, "origin", "a url"); said != "before origin a url\n"+in || pass {
					t.Errorf("%.100q: said %.200q, pass %v", in, said, pass)
				}
			}
			// One that reads nothing, and does not want to be told so.
			y.write(hooks.BeforeName(before), "#!/bin/sh\nexit 0\n")
			if said, _, pass := y.run(shell, "pre-push", strings.Repeat(other, 3000), "origin", "url"); said != "" || !pass {
				t.Errorf("one that reads nothing: said %q, pass %v", said, pass)
			}
		})
	}
}

func TestCommitMsg_inEveryShell_HK13(t *testing.T) {
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			need(t, shell[0])
			y := newYard(t)
			y.install(hooks.Script{Hook: hooks.CommitMsg})
			file := filepath.Join(filepath.Dir(y.dir), "COMMIT_EDITMSG")
			for text, asked := range map[string]bool{
				"": false, "Plain": false, "Say Agentd-Phase: x in a line\n": false, "X\n\nAgentd-Phase: complete": true, "X\n\nagentD-change: y\n# c\n": true,
				strings.Repeat("line\n", 5000) + "AGENTD-X: y\n": true,
			} {
				y.write(file, text)
				if said, told, pass := y.run(shell, "commit-msg", "", file); (told == "called hook run commit-msg "+file+"\n") != asked || said != "" || !pass {
					t.Errorf("%.30q: said %q, told %q, pass %v", text, said, told, pass)
				}
			}
			ours := filepath.Join(filepath.Dir(y.dir), "agentd-commit-msg-7")
			y.write(ours, "X\n\nAgentd-Phase: complete\n")
			if _, told, pass := y.run(shell, "commit-msg", "", ours); told != "" || !pass {
				t.Errorf("a message of ours: told %q, pass %v", told, pass)
			}

			y.install(hooks.Script{Hook: hooks.CommitMsg, AddChange: true})
			y.write(file, "Plain\n")
			if _, told, _ := y.run(shell, "commit-msg", "", file); told != "called hook run commit-msg --add-change "+file+"\n" {
				t.Errorf("asked to add: told %q", told)
			}
			y.write(filepath.Join(filepath.Dir(y.prog), "refuse"), "")
			if _, _, pass := y.run(shell, "commit-msg", "", file); pass {
				t.Error("refused, and still let pass")
			}
			y.write(hooks.BeforeName(filepath.Join(y.dir, "commit-msg")), "#!/bin/sh\nexit 3\n")
			if _, told, pass := y.run(shell, "commit-msg", "", file); told != "" || pass {
				t.Errorf("the hook before refused: told %q, pass %v", told, pass)
			}
		})
	}
}

func TestScripts_areClean_HK13(t *testing.T) {
	y := newYard(t)
	for _, name := range hooks.Names() {
		y.install(hooks.Script{Hook: name, Base: "refs/heads/main"})
		path := filepath.Join(y.dir, string(name))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o755 || strings.Contains(string(text), "\r") || !strings.HasPrefix(string(text), "#!/bin/sh\n") {
			t.Errorf("%s has mode %v, or carriage returns, or another first line", name, info.Mode())
		}
	}
	need(t, "shellcheck") // SC2016 is about the folder, which looks like an expansion
	for _, call := range (hooks.Place{Kind: hooks.Folder, Top: y.dir, Runs: y.dir, Sub: "calls"}).Calls() {
		if _, err := call.Write(); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"pre-push", "commit-msg", "calls/pre-push", "calls/commit-msg"} {
		if out, err := exec.CommandContext(t.Context(), "shellcheck", "--shell=sh", "--exclude=SC2016", filepath.Join(y.dir, path)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
