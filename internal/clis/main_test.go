//go:build linux

package clis

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// TestMain takes away what the tests shared.
// Most of their time is waiting, for a CLI to start, to try again, to be given up: four at a time are not too many for two cores.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen && runtime.GOMAXPROCS(0) < 4 {
		_ = flag.Set("test.parallel", "4") // a number always can be set
	}
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
	if prefix == "" {
		const where = "AGENTD_CLIS does not say where the agent CLIs are"
		if os.Getenv("CI") == "true" {
			t.Fatal(where + ": run `.ci/run test`")
		}
		t.Skip(where + "; see doc.go")
	}
	shared.once.Do(func() {
		shared.clis = filepath.Join(prefix, "node_modules", ".bin")
		// go test keeps a result until a file changes that the test looked at; the program is made of all of these.
		shared.err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == ".git":
				return fs.SkipDir
			}
			_, err = os.Lstat(path)
			return err
		})
		if shared.err != nil {
			return
		}
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
