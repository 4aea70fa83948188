package gitops

import (
	"fmt"
	"strings"
	"time"
)

// The errors of this file are refusals: something of somebody else's is in the way, and nothing was changed.

// MovedError says that a reference is not where we expected it, so that nothing was changed.
type MovedError struct {
	Ref        string
	Want, Have ID // the zero ID: absent
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s is at %s, expected %s", e.Ref, orAbsent(e.Have), orAbsent(e.Want))
}

// Hint says that running again is safe.
func (e *MovedError) Hint() string { return "somebody else moved it; run the same command again" }

func orAbsent(id ID) string {
	if id.IsZero() {
		return "nothing"
	}
	return id.Short()
}

// BlockedRefError says that git cannot keep a reference beside another one:
// a branch "agentd" makes every "agentd/<x>" impossible, and the other way round.
type BlockedRefError struct{ Ref, By string }

func (e *BlockedRefError) Error() string {
	if strings.HasPrefix(e.By, e.Ref+"/") {
		return fmt.Sprintf("branch %q blocks a branch named %q", shortRef(e.By), shortRef(e.Ref))
	}
	return fmt.Sprintf("branch %q blocks branches under %s/", shortRef(e.By), shortRef(e.By))
}

// Hint is the command that clears the way.
func (e *BlockedRefError) Hint() string {
	return fmt.Sprintf("git branch -m %s <another-name>", shortRef(e.By))
}

func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// LockFileError says that one of git's own lock files stood in the way for longer than we wait.
// We never remove it: another git may be at work.
type LockFileError struct {
	Path string
	Age  time.Duration
}

func (e *LockFileError) Error() string {
	return fmt.Sprintf("%s exists and is %s old", e.Path, e.Age.Round(time.Second))
}

// Hint says when it may be removed, and how.
func (e *LockFileError) Hint() string {
	return fmt.Sprintf("if no git command is running there: rm %q", e.Path)
}

// HookError says that one of the user's own hooks refused.
type HookError struct {
	Hook   string
	Code   int
	Output string
}

func (e *HookError) Error() string {
	said := strings.TrimSpace(e.Output)
	if said == "" {
		return fmt.Sprintf("the %s hook refused with exit status %d", e.Hook, e.Code)
	}
	return fmt.Sprintf("the %s hook refused: %s", e.Hook, said)
}

// Hint says that nothing is lost.
func (e *HookError) Hint() string { return "satisfy the hook and run the same command again" }

// HookLimitError says that one of the user's own hooks was still running when its time was over.
type HookLimitError struct {
	Hook   string
	Limit  time.Duration
	Output string
}

func (e *HookLimitError) Error() string {
	text := fmt.Sprintf("the %s hook was not done after %s", e.Hook, e.Limit)
	if said := strings.TrimSpace(e.Output); said != "" {
		text += ": " + said
	}
	return text
}

// Hint says how to see what it waits for.
func (e *HookLimitError) Hint() string {
	return fmt.Sprintf("nothing was committed; see what it waits for with `git hook run %s`, and run the same command again: a hook that asks needs a terminal", e.Hook)
}

// SymlinkError says that a path of ours leads over a symbolic link. It is neither followed nor repaired.
type SymlinkError struct{ Path string }

func (e *SymlinkError) Error() string { return fmt.Sprintf("%s is a symbolic link", e.Path) }

// Hint is the command that takes the link away.
func (e *SymlinkError) Hint() string {
	return fmt.Sprintf("git rm --cached %q, then put a folder there", e.Path)
}

// NestedRepositoryError says that a folder holds a repository of its own,
// so that git would record a link to it and not its files.
type NestedRepositoryError struct{ Path string }

func (e *NestedRepositoryError) Error() string { return "nested git repository in " + e.Path }

// Hint says what to do with it.
func (e *NestedRepositoryError) Hint() string {
	return fmt.Sprintf("move %q away, or remove its .git", e.Path)
}

// InvalidPathError says that git takes no file of that name.
type InvalidPathError struct{ Path string }

func (e *InvalidPathError) Error() string { return fmt.Sprintf("git takes no file named %q", e.Path) }

// Hint says what to do with it.
func (e *InvalidPathError) Hint() string {
	return fmt.Sprintf("remove %q, and run the same command again", e.Path)
}

// OversizedError says that a file of the worktree is larger than [MaxFile].
type OversizedError struct {
	Path string
	Size int64 // bytes
}

func (e *OversizedError) Error() string {
	return fmt.Sprintf("%s has %d MB, and GitHub takes no file of more than %d", e.Path, e.Size>>20, MaxFile>>20)
}

// Hint says what to do with it.
func (e *OversizedError) Hint() string {
	return fmt.Sprintf("remove %q, or let .gitignore ignore it, and run the same command again", e.Path)
}

// OverlapError says that files with uncommitted changes would be overwritten, so that nothing was changed.
type OverlapError struct {
	Worktree string
	Files    []string
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("uncommitted changes in %s are in the way: %s", e.Worktree, strings.Join(e.Files, ", "))
}

// Hint names the ways out.
func (e *OverlapError) Hint() string {
	return fmt.Sprintf("commit or stash them: git -C %q stash push -u", e.Worktree)
}

// LockedError says that another run holds a lock of ours.
type LockedError struct{ Name, Holder string }

func (e *LockedError) Error() string {
	if e.Holder == "" {
		return fmt.Sprintf("%q is locked by another run", e.Name)
	}
	return fmt.Sprintf("%q is locked by %s", e.Name, e.Holder)
}

// Hint says that waiting is enough.
func (e *LockedError) Hint() string {
	return "wait for the other run to end, or stop it; the lock goes with it"
}

// BusyError says that an operation of the user's is half done, so that ours would break it.
type BusyError struct {
	Operation string // merge, rebase, cherry-pick, revert, bisect, am
	Worktree  string
}

func (e *BusyError) Error() string {
	article := "a"
	if e.Operation == "am" {
		article = "an"
	}
	return fmt.Sprintf("%s %s is in progress in %s", article, e.Operation, e.Worktree)
}

// Hint names the commands that end it.
func (e *BusyError) Hint() string {
	switch e.Operation {
	case "merge":
		return "git merge --continue, or git merge --abort"
	case "bisect":
		return "git bisect reset"
	default:
		return fmt.Sprintf("git %s --continue, or git %s --abort", e.Operation, e.Operation)
	}
}
