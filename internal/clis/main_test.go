//go:build linux

package clis

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestMain takes away what the tests shared.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// bench is what all tests work with.
type bench struct {
	once    sync.Once
	dir     string
	clis    string // folder with gemini, codex and claude
	product string // gh-agentd, built from this source
	err     error
}

var shared bench

// tools finds the CLIs and builds the program, or skips the test.
func tools(t testing.TB) *bench {
	t.Helper()
	prefix := os.Getenv("AGENTD_CLIS")
	switch prefix {
	case "played":
		t.Skip("AGENTD_CLIS=played: `.ci/run clis` has done it")
	case "":
		const where = "AGENTD_CLIS does not say where the agent CLIs are"
		if os.Getenv("CI") == "true" {
			t.Fatal(where + ": run `.ci/run clis`")
		}
		t.Skip(where + "; see doc.go")
	}
	shared.once.Do(func() {
		shared.clis = filepath.Join(prefix, "node_modules", ".bin")
		if shared.dir, shared.err = os.MkdirTemp("", "clis-"); shared.err != nil {
			return
		}
		shared.product = filepath.Join(shared.dir, "gh-agentd")
		if out, err := exec.Command("go", "build", "-o", shared.product, "../..").CombinedOutput(); err != nil {
			shared.err = fmt.Errorf("build the program: %w\n%s", err, out)
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return &shared
}
