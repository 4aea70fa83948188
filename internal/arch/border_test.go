package arch

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// border are the names of package os that belong to the process and not to the work.
var border = []string{
	"Args", "Chdir", "Clearenv", "Environ", "Exit", "ExpandEnv", "Getenv", "Getwd", "LookupEnv",
	"Setenv", "Stderr", "Stdin", "Stdout", "Unsetenv", "UserCacheDir", "UserConfigDir", "UserHomeDir",
}

func TestLaw2_onlyMainTouchesTheProcess(t *testing.T) {
	for _, p := range packages(t) {
		if isTestHelper(p.Name) {
			continue
		}
		for _, f := range p.Files {
			if f.Test || path.Base(f.Path) == "main.go" && f.AST.Name.Name == "main" {
				continue
			}
			f.selections(func(importPath, name string, at token.Position) {
				if importPath == "os" && slices.Contains(border, name) {
					t.Errorf("%s:%d uses os.%s: receive it as a value", f.Path, at.Line, name)
				}
				// proc stops a process in its own way and time, so that the caller's context must not kill it.
				if importPath == "context" && name == "Background" && p.Name != "internal/proc" {
					t.Errorf("%s:%d uses context.Background: pass the caller's on", f.Path, at.Line)
				}
			})
		}
	}
}

// outward are the parts of the standard library that reach out of the process.
var outward = []string{"os", "net", "io/fs", "io/ioutil", "syscall", "log", "database/sql", "plugin", "runtime/debug", "path/filepath", "math/rand", "crypto/rand"}

func TestLaw4_phasesIsPure(t *testing.T) {
	seen := false
	for _, p := range packages(t) {
		if p.Name != "phases" {
			continue
		}
		seen = true
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, importPath := range f.imports() {
				first, _, _ := strings.Cut(importPath, "/")
				if strings.Contains(first, ".") {
					t.Errorf("%s imports %s: phases is the standard library and nothing else", f.Path, importPath)
				}
				if slices.ContainsFunc(outward, func(o string) bool { return within(importPath, o) }) {
					t.Errorf("%s imports %s, which reaches out of the process", f.Path, importPath)
				}
			}
			f.selections(func(importPath, name string, at token.Position) {
				if importPath == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Sleep", "NewTimer", "NewTicker"}, name) {
					t.Errorf("%s:%d uses time.%s: phases reads no clock", f.Path, at.Line, name)
				}
			})
		}
	}
	if !seen {
		t.Error("package phases not found")
	}
}
