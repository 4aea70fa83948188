package proc

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Look finds a program: a name without separators on pathEnv, the value of a PATH variable,
// or an absolute path as what it is. A relative path is refused,
// for it would mean one file here and another in the program's own working directory.
// Entries of the path that are not absolute are passed over,
// so that a program in the working directory is never taken for the one that was meant.
// The error wraps [ErrNotFound].
func Look(name, pathEnv string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("empty program name: %w", ErrNotFound)
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			return "", fmt.Errorf("%q is neither a name nor an absolute path: %w", name, ErrNotFound)
		}
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
