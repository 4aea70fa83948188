package gitops

import (
	"errors"
	"fmt"
	"strings"
)

// WorktreeError says why a linked worktree cannot be made or removed.
type WorktreeError struct {
	Path    string
	Problem WorktreeProblem
	Branch  string   // of BranchCheckedOut
	Where   string   // the place that has the branch
	Files   []string // of WorktreeDirty: what is there
	Reason  string   // of WorktreeLocked
}

// WorktreeProblem is why a worktree cannot be made or removed.
type WorktreeProblem string

// The problems of [WorktreeError].
const (
	PathExists        WorktreeProblem = "path exists"
	MissingRegistered WorktreeProblem = "registered but missing"
	BranchCheckedOut  WorktreeProblem = "branch checked out"
	WorktreeLocked    WorktreeProblem = "locked"
	WorktreeDirty     WorktreeProblem = "not clean"
	NoCommit          WorktreeProblem = "no commit"
)

func (e *WorktreeError) Error() string {
	switch e.Problem {
	case PathExists:
		return fmt.Sprintf("%q already exists", e.Path)
	case MissingRegistered:
		return fmt.Sprintf("worktree %q is registered but missing", e.Path)
	case BranchCheckedOut:
		return fmt.Sprintf("branch %q is already checked out at %q", e.Branch, e.Where)
	case WorktreeLocked:
		return fmt.Sprintf("worktree %q is locked: %s", e.Path, e.Reason)
	case WorktreeDirty:
		return fmt.Sprintf("worktree %q is not clean: %s", e.Path, strings.Join(e.Files, ", "))
	case NoCommit:
		return "repository has no commit yet"
	}
	return fmt.Sprintf("worktree %q: %s", e.Path, e.Problem)
}

// Hint is the command that helps.
func (e *WorktreeError) Hint() string {
	switch e.Problem {
	case PathExists:
		return "move what is there, or choose another folder with [workflow] worktree_dir in agentd/config.toml"
	case MissingRegistered:
		return "git worktree prune, or git worktree repair if it was moved"
	case BranchCheckedOut:
		return fmt.Sprintf("cd %q", e.Where)
	case WorktreeLocked:
		return fmt.Sprintf("git worktree unlock %q", e.Path)
	case WorktreeDirty:
		return fmt.Sprintf("git -C %q status --ignored", e.Path)
	case NoCommit:
		return `git commit --allow-empty -m "first"`
	}
	return ""
}

// ErrNoCommit is matched by every error that says the repository has no commit yet.
var ErrNoCommit = errors.New("repository has no commit yet")

// Is makes errors.Is(err, ErrNoCommit) hold for that problem.
func (e *WorktreeError) Is(target error) bool { return target == ErrNoCommit && e.Problem == NoCommit }
