package gitops

import "time"

// LimitHooks is the repository with little patience for hooks.
func (r *Repo) LimitHooks(wall time.Duration) *Repo {
	limited := *r
	limited.hookWall = wall
	return &limited
}
