package workflow

import (
	"slices"
	"testing"
)

func TestAllowedCommands(t *testing.T) {
	for check, want := range map[string][]string{
		"go test ./...":     {"go test *", "go test ./..."},
		"cargo clippy":      {"cargo clippy *", "cargo clippy"},
		"make check":        {"make check"},
		"sh -c 'run tests'": {"sh -c 'run tests'"}, // and no other shell
		"go":                {"go"},
		"npm --version":     {"npm --version"},
	} {
		if got := allowedCommands([]string{check}); !slices.Equal(got, want) {
			t.Errorf("for %q: %q, want %q", check, got, want)
		}
	}
}
