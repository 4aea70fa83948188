package inbox

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/specs"
)

// KeepDropped copies files that are about to be dropped from a worktree into the run's folder, and returns where:
// a person may have typed them while the agent was at work.
// What is gone, too large for a document, or no regular file is passed over.
func (b *Box) KeepDropped(worktree string, paths []string) (dir string, err error) {
	dir = filepath.Join(b.dir, "dropped")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep what is dropped: %w", err)
	}
	from, err := confine.Open(worktree)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := confine.Open(dir)
	if err != nil {
		return "", err
	}
	defer to.Close()
	for _, path := range paths {
		content, err := from.ReadFile(path, specs.MaxDocument)
		if err != nil {
			continue
		}
		if err := to.WriteFile(path, content); err != nil {
			return "", fmt.Errorf("keep what is dropped: %w", err)
		}
	}
	return dir, nil
}
