package github

import (
	"fmt"
	"strings"
	"time"
)

// TargetError says that a name or URL of a repository cannot be used.
type TargetError struct {
	From   string // the flag, variable or remote
	Value  string
	Reason string
}

func (e *TargetError) Error() string { return fmt.Sprintf("%s: %q: %s", e.From, e.Value, e.Reason) }

// Hint names the next step.
func (e *TargetError) Hint() string { return "name the repository with `--repo [HOST/]OWNER/REPO`" }

// NoRepositoryError says that nothing names a repository on GitHub.
type NoRepositoryError struct{ Remotes []Remote }

func (e *NoRepositoryError) Error() string {
	if len(e.Remotes) == 0 {
		return "no repository on GitHub: git has no remotes here"
	}
	names := make([]string, len(e.Remotes))
	for i, r := range e.Remotes {
		names[i] = r.Name
	}
	return "no repository on GitHub: no remote leads to a known host (" + strings.Join(names, ", ") + ")"
}

// Hint names the next step.
func (e *NoRepositoryError) Hint() string {
	return "name it with `--repo [HOST/]OWNER/REPO`, or sign in to its host: `gh auth login --hostname HOST`"
}

// SignInError says that there is no token, or that GitHub refuses it.
type SignInError struct {
	Host    string
	Expired bool // there is one
}

func (e *SignInError) Error() string {
	if e.Expired {
		return "not signed in to " + e.Host + ": the token is expired or revoked"
	}
	return "not signed in to " + e.Host
}

// Hint is gh's command.
func (e *SignInError) Hint() string { return "gh auth login --hostname " + e.Host }

// ForbiddenError says that the token may not do it.
type ForbiddenError struct {
	Op      string // what was tried
	Message string // GitHub's words
	Need    string // the permissions that GitHub asks for, "" where it does not say
	SSO     string // where an organisation authorises the token, "" where that is not it
}

func (e *ForbiddenError) Error() string { return e.Op + ": forbidden: " + e.Message }

// Hint names the permission that is missing.
func (e *ForbiddenError) Hint() string {
	switch {
	case e.SSO != "":
		return "authorise the token for the organisation: " + e.SSO
	case e.Need != "":
		return "the token needs " + e.Need
	case strings.Contains(e.Message, "push access"):
		return "this is for an account that may write to the repository"
	case strings.Contains(e.Message, "by integration"):
		return "give the job the permission it needs, such as `pull-requests: write`; a pull request from a fork never gets it"
	}
	return "gh auth refresh --scopes repo"
}

// NotFoundError says that something does not exist, or that the token may not know that it does.
type NotFoundError struct{ Op string }

func (e *NotFoundError) Error() string { return e.Op + ": not found, or no access" }

// Hint names the two reasons.
func (e *NotFoundError) Hint() string {
	return "check the name, and with `gh auth status` whether this account may see it"
}

// ValidationError says that GitHub understood and refused.
type ValidationError struct {
	Op      string
	Message string // GitHub's words, details included
}

func (e *ValidationError) Error() string { return e.Op + ": GitHub refuses: " + e.Message }

// says reports whether GitHub's words contain one of these, whatever their case.
func (e *ValidationError) says(words ...string) bool {
	for _, w := range words {
		if strings.Contains(strings.ToLower(e.Message), strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// RateLimitError says that GitHub wants a longer pause than we may make.
// What was asked for was not done.
type RateLimitError struct {
	Op        string
	Reset     time.Time // when it goes on
	Secondary bool      // too much at once, not too much in the hour
}

func (e *RateLimitError) Error() string {
	kind := "rate limit"
	if e.Secondary {
		kind = "secondary rate limit"
	}
	return fmt.Sprintf("%s: %s reached until %s", e.Op, kind, e.Reset.UTC().Format(time.RFC3339))
}

// Hint says that nothing is lost.
func (e *RateLimitError) Hint() string {
	return "nothing is lost: the same command goes on after " + e.Reset.UTC().Format("15:04:05 UTC")
}

// MovedError says that a pull request has another head than the one a review is about.
type MovedError struct {
	Number     int
	Want, Have string // commits
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("pull request #%d moved: its head is %s, the review is about %s", e.Number, short(e.Have), short(e.Want))
}

// Hint names the next step.
func (e *MovedError) Hint() string { return "fetch the branch, and review what is there now" }

// LockedError says that a pull request's conversation is locked.
type LockedError struct{ Number int }

func (e *LockedError) Error() string { return fmt.Sprintf("pull request #%d is locked", e.Number) }

// Hint names the next step.
func (e *LockedError) Hint() string { return fmt.Sprintf("gh pr unlock %d", e.Number) }

// ClosedError says that a pull request takes no more reviews or updates of ours.
type ClosedError struct {
	Number int
	Merged bool
}

func (e *ClosedError) Error() string {
	if e.Merged {
		return fmt.Sprintf("pull request #%d is merged", e.Number)
	}
	return fmt.Sprintf("pull request #%d is closed", e.Number)
}

// Hint names the next step.
func (e *ClosedError) Hint() string {
	if e.Merged {
		return ""
	}
	return fmt.Sprintf("gh pr reopen %d", e.Number)
}

// RenamedError says that a repository has another name now. Reads follow; nothing is written under an old name.
type RenamedError struct {
	Old string // OWNER/REPO
	New string // OWNER/REPO, "" where GitHub did not tell
}

func (e *RenamedError) Error() string {
	if e.New == "" {
		return "repository " + e.Old + " was renamed or moved"
	}
	return "repository " + e.Old + " is now " + e.New
}

// Hint names the next step.
func (e *RenamedError) Hint() string {
	if e.New == "" {
		return "git remote set-url, with the new address"
	}
	return "use `--repo " + e.New + "`, or point the remote there with `git remote set-url`"
}

// PendingReviewError says that a review which a person has begun and not submitted is in the way: GitHub allows one.
type PendingReviewError struct{ Number int }

func (e *PendingReviewError) Error() string {
	return fmt.Sprintf("pull request #%d: you have begun a review there and not submitted it; GitHub allows one at a time", e.Number)
}

// Hint names the next step.
func (e *PendingReviewError) Hint() string {
	return "submit it or discard it on GitHub, then try again"
}

// ServerError says that GitHub did not answer as it should: an error of its own, an answer that cannot be read, or none.
// Whether it did what was asked is not known; every call of this package looks before it asks again.
type ServerError struct {
	Op     string
	Status int   // 0 where there was no whole answer
	Err    error // nil where there was one
}

func (e *ServerError) Error() string {
	if e.Status == 0 {
		return e.Op + ": no answer from GitHub: " + e.Err.Error()
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: GitHub's answer %d cannot be read: %v", e.Op, e.Status, e.Err)
	}
	return fmt.Sprintf("%s: GitHub answers %d", e.Op, e.Status)
}

func (e *ServerError) Unwrap() error { return e.Err }

// Hint says that repeating is safe.
func (e *ServerError) Hint() string {
	return "try the same command again: what was posted already is found and not repeated"
}

func short(commit string) string { return commit[:min(len(commit), 12)] }
