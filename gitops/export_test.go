package gitops

import (
	"io"
	"time"
)

// LimitHooks is the repository with little patience for hooks.
func (r *Repo) LimitHooks(wall time.Duration) *Repo {
	limited := *r
	limited.hookWall = wall
	return &limited
}

// EndSpareReader ends the git that waits under a lock for the next reader, as anybody's kill does.
func EndSpareReader(l *Lock) {
	git := l.repo.spare.reader.git
	git.Terminate()
	_, _ = io.Copy(io.Discard, git.Stdout) // to its end
}
