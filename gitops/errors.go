package gitops

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
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
	Args   []string       // without the program
	Code   int            // -1 after a signal
	Signal syscall.Signal // what ended it, or 0
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
	case e.Signal != 0:
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
