package changes

import (
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// NotFoundError says that no change of that id exists here.
type NotFoundError struct {
	ID      phases.ChangeID
	Nearest string // an existing id that was probably meant, "" if none is near
	Remote  string // a remote-tracking branch that has it, "" if none
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("change %q not found: there is no branch %s and no archive of it", e.ID, e.ID.Branch())
}

// Hint names the command that most likely helps.
func (e *NotFoundError) Hint() string {
	switch {
	case e.Remote != "":
		return fmt.Sprintf("it is on %s: `git branch %s %s`", e.Remote, e.ID.Branch(), e.Remote)
	case e.Nearest != "":
		return fmt.Sprintf("did you mean %q? `gh agentd status %s`", e.Nearest, e.Nearest)
	}
	return fmt.Sprintf("begin it with `gh agentd plan %s \"<description>\"`", e.ID)
}

// NoHistoryError says that a branch of that name exists, but no commit on it begins the change.
type NoHistoryError struct{ ID phases.ChangeID }

func (e *NoHistoryError) Error() string {
	return fmt.Sprintf("branch %s has no history of change %q: no commit has the trailer Agentd-From: none", e.ID.Branch(), e.ID)
}

// Hint names the way out.
func (e *NoHistoryError) Hint() string {
	return fmt.Sprintf("rename the branch (`git branch -m %s other-name`) or choose another id", e.ID.Branch())
}

// BaseError says that the base branch a change began on is gone.
type BaseError struct{ Branch string }

func (e *BaseError) Error() string {
	return fmt.Sprintf("base branch %q does not exist here", e.Branch)
}

// Hint names the command that brings it back.
func (e *BaseError) Hint() string {
	return fmt.Sprintf("make it: `git branch %[1]s origin/%[1]s` after `git fetch`, or `git branch -m <its new name> %[1]s` where it was renamed", e.Branch)
}

// ShallowError says that the clone does not reach back to the beginning of the change.
type ShallowError struct{ ID phases.ChangeID }

func (e *ShallowError) Error() string {
	return fmt.Sprintf("this clone is shallow and does not have the whole history of change %q: nothing can be proved", e.ID)
}

// Hint names the command that brings the rest.
func (e *ShallowError) Hint() string { return "`git fetch --unshallow`" }

// TakenError says that an id cannot be used for a new change.
type TakenError struct {
	ID    phases.ChangeID
	Where string
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("change id %q is taken: %s", e.ID, e.Where)
}

// Hint proposes the next command.
func (e *TakenError) Hint() string { return "choose another id, or `gh agentd list --all`" }

// SubjectMovedError says that what a verdict is about changed while it was being reached.
type SubjectMovedError struct {
	ID         phases.ChangeID
	Read, Have string // tree ids
}

func (e *SubjectMovedError) Error() string {
	return fmt.Sprintf("what was judged of change %q is no longer what stands on its branch: read tree %.12s, now %.12s",
		e.ID, e.Read, e.Have)
}

// Hint names the next command.
func (e *SubjectMovedError) Hint() string {
	return fmt.Sprintf("look at it again: `gh agentd status %s`", e.ID)
}

func isNotFound(err error) bool { return errors.Is(err, gitops.ErrNotFound) }
