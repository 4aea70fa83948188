package gitops

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sentinels, where only the kind matters.
var (
	// ErrNotFound: a revision, path or object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrNotFastForward: the branch has commits that the new one does not contain.
	ErrNotFastForward = errors.New("not a fast-forward")
)

// NotRepositoryError says that a folder belongs to no git repository.
type NotRepositoryError struct{ Dir string }

func (e *NotRepositoryError) Error() string {
	return fmt.Sprintf("%q is not in a git repository", e.Dir)
}

// Hint names the next command.
func (e *NotRepositoryError) Hint() string { return "git init, or change into a repository" }

// Is makes errors.Is(err, ErrNotRepository) hold.
func (e *NotRepositoryError) Is(target error) bool { return target == ErrNotRepository }

// ErrNotRepository is matched by [*NotRepositoryError].
var ErrNotRepository = errors.New("not a git repository")

// VersionError says that the git program is missing, or older than what we need.
type VersionError struct {
	Have string // what the program says, "" if there is none
	Need string
}

func (e *VersionError) Error() string {
	if e.Have == "" {
		return fmt.Sprintf("git not found, %s or newer needed", e.Need)
	}
	return fmt.Sprintf("git %s found, %s or newer needed", e.Have, e.Need)
}

// Hint names the next step.
func (e *VersionError) Hint() string { return "install a newer git: https://git-scm.com/downloads" }

// OwnershipError says that git refuses the repository because it belongs to somebody else.
// We pass git's advice on and never follow it ourselves.
type OwnershipError struct {
	Dir    string
	Advice string // git's own command, from its message
}

func (e *OwnershipError) Error() string {
	return fmt.Sprintf("git refuses the repository at %q: it belongs to another user", e.Dir)
}

// Hint is the command that git itself recommends.
func (e *OwnershipError) Hint() string { return e.Advice }

// Is makes errors.Is(err, ErrDubiousOwnership) hold.
func (e *OwnershipError) Is(target error) bool { return target == ErrDubiousOwnership }

// ErrDubiousOwnership is matched by [*OwnershipError].
var ErrDubiousOwnership = errors.New("dubious ownership")

// GitError says that a git command ended with an error that has no type of its own.
type GitError struct {
	Args   []string // without the program
	Code   int      // -1 after a signal
	Signal string   // what ended it, or ""
	Stderr string
}

func (e *GitError) Error() string {
	what := "git"
	for _, arg := range e.Args {
		if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
			what += " " + arg
			break
		}
	}
	said := strings.TrimSpace(e.Stderr)
	switch {
	case e.Signal != "":
		return fmt.Sprintf("%s: ended by signal: %s", what, e.Signal)
	case said == "":
		return fmt.Sprintf("%s: exit status %d", what, e.Code)
	}
	return what + ": " + firstComplaint(said)
}

// firstComplaint is the line of git's answer that says what is wrong.
func firstComplaint(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for _, line := range lines {
		for _, mark := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				return rest
			}
		}
	}
	return lines[len(lines)-1]
}

// IdentityError says that git does not know who commits.
type IdentityError struct{ Detail string }

func (e *IdentityError) Error() string { return "git does not know who you are: " + e.Detail }

// Hint is the two lines of configuration that are missing.
func (e *IdentityError) Hint() string {
	return `git config --global user.name "Your Name" && git config --global user.email "you@example.com"`
}

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
		return "choose another path with --path, or move what is there"
	case MissingRegistered:
		return "git worktree prune, or git worktree repair if it was moved"
	case BranchCheckedOut:
		return fmt.Sprintf("cd %q", e.Where)
	case WorktreeLocked:
		return fmt.Sprintf("git worktree unlock %q", e.Path)
	case WorktreeDirty:
		return fmt.Sprintf("git -C %q status", e.Path)
	case NoCommit:
		return `git commit --allow-empty -m "first"`
	}
	return ""
}

// ErrNoCommit is matched by every error that says the repository has no commit yet.
var ErrNoCommit = errors.New("repository has no commit yet")

// Is makes errors.Is(err, ErrNoCommit) hold for that problem.
func (e *WorktreeError) Is(target error) bool { return target == ErrNoCommit && e.Problem == NoCommit }

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
