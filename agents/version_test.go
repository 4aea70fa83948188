package agents_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents"
)

func TestVendors_Check_refusesWhatIsTooOld(t *testing.T) {
	for _, row := range []struct{ vendor, says, want string }{
		{"gemini", "0.61.0", ""},
		{"gemini", "0.100.0-nightly.20270101", ""},
		{"gemini", "0.60.9", "gemini is too old: PATH is version 0.60.9, and 0.61.0 or newer is needed"},
		{"codex", "codex-cli 0.169.0", ""},
		{"codex", "codex-cli 0.99.0", "0.169.0 or newer is needed"},
		{"claude", "2.1.329 (Claude Code)", ""},
		{"claude", "1.0.119 (Claude Code)", "2.1.329 or newer is needed"},
		{"claude", "hello", "ask for its version: it printed"},
	} {
		t.Run(row.vendor+" "+row.says, func(t *testing.T) {
			command := []string{executable(t), "behave", "say", row.says}
			err := vendorNamed(row.vendor, agents.Vendor{Command: command, Env: nil, Environ: []string{"GORACE=atexit_sleep_ms=0"}}).Check(t.Context())
			if row.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			failed, ok := errors.AsType[*agents.Error](err)
			want := strings.ReplaceAll(row.want, "PATH", command[0])
			if !ok || !strings.Contains(failed.Error(), want) {
				t.Fatalf("error = %v, want %q", err, want)
			}
			if failed.Kind == agents.Outdated && !strings.Contains(failed.Hint(), "update it: `") {
				t.Errorf("hint = %q", failed.Hint())
			}
		})
	}
}

// Where the program is from an npm package, the package says the version and nothing is started.
// A package of another name says nothing about the program: then it is asked.
func TestVendors_Check_readsTheVersionWhereItIsWritten(t *testing.T) {
	for _, row := range []struct{ name, described, want string }{
		{"its own", `{"name":"@google/gemini-cli","version":"0.62.1"}`, ""},
		{"its own, old", `{"name":"@google/gemini-cli","version":"0.9.0"}`, "is version 0.9.0"},
		{"a shim's", `{"name":"volta","version":"99.0.0"}`, "exit status 7"},
		{"none", ``, "exit status 7"},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := t.TempDir()
			program := filepath.Join(root, "lib", "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")
			writeFile(t, program, "#!/bin/sh\nexit 7\n")
			if row.described != "" {
				writeFile(t, filepath.Join(filepath.Dir(filepath.Dir(program)), "package.json"), row.described)
			}
			bin := filepath.Join(root, "bin")
			if err := errors.Join(os.Chmod(program, 0o755), os.Mkdir(bin, 0o755), os.Symlink(program, filepath.Join(bin, "gemini"))); err != nil {
				t.Fatal(err)
			}
			agent := agents.NewGemini(agents.Vendor{Environ: []string{"PATH=" + bin}})
			for range 2 {
				err := agent.Check(t.Context())
				if (row.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.want) {
					t.Errorf("error = %v, want %q", err, row.want)
				}
			}
		})
	}
}

// The program is asked once, however often it is checked.
func TestVendors_Check_asksOnce(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "claude")
	writeFile(t, program, fmt.Sprintf("#!/bin/sh\necho x >> %s\necho 2.1.400\n", filepath.Join(dir, "asked")))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	agent := agents.NewClaude(agents.Vendor{Environ: []string{"PATH=" + dir}})
	for range 3 {
		if err := agent.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if asked, err := os.ReadFile(filepath.Join(dir, "asked")); err != nil || string(asked) != "x\n" {
		t.Errorf("asked %q, %v", asked, err)
	}
}
