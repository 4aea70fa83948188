package proc

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Look finds a program: a name without separators on pathEnv, the value of a PATH variable,
// anything else as the path that it is.
// Entries of the path that are not absolute are passed over,
// so that a program in the working directory is never taken for the one that was meant.
// The error wraps [ErrNotFound].
func Look(name, pathEnv string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("empty program name: %w", ErrNotFound)
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		for _, candidate := range candidates(name) {
			if isExecutable(candidate) {
				return candidate, nil
			}
		}
		return "", fmt.Errorf("%q: %w", name, ErrNotFound)
	}
	for _, dir := range filepath.SplitList(pathEnv) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, candidate := range candidates(filepath.Join(dir, name)) {
			if isExecutable(candidate) {
				return candidate, nil
			}
		}
	}
	return "", fmt.Errorf("%q: %w on the path", name, ErrNotFound)
}
