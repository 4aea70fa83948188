package agents

import (
	"errors"
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// ErrorKind says why a run came to nothing.
type ErrorKind uint8

// The kinds of failure.
// RateLimited and Unavailable may pass by themselves; the others need somebody to do something.
const (
	Failed           ErrorKind = iota // ended with an exit status that has no better name
	NotInstalled                      // the program is not there
	Outdated                          // the program is older than what is known to work
	NotAuthenticated                  // nobody is signed in, or the key is refused
	RateLimited                       // too many requests for now
	Quota                             // used up until somebody pays or a day passes
	Unavailable                       // the provider cannot be reached or is down
	Model                             // no such model
	Limit                             // the agent's own limit: turns, budget
	TooLong                           // the request does not fit into the model's context
	SessionGone                       // the session to resume is not there
	Config                            // the command line or a configuration is refused
	TimedOut                          // our wall or idle limit
	Cancelled                         // the caller's context ended
	NoOutput                          // ended well and said nothing
	BadOutput                         // ended without reporting success, or unreadably
)

var kindNames = [...]string{
	"failed", "not-installed", "outdated", "not-authenticated", "rate-limited", "quota", "unavailable", "model", "limit",
	"too-long", "session", "config", "timed-out", "cancelled", "no-output", "bad-output",
}

// String is the kind as logs and recordings write it, such as "rate-limited".
func (k ErrorKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseErrorKind is the reverse of String.
func ParseErrorKind(s string) (ErrorKind, error) {
	for k, name := range kindNames {
		if name == s {
			return ErrorKind(k), nil
		}
	}
	return Failed, fmt.Errorf("unknown kind of error %q", s)
}

// Error is every error of [Agent].
type Error struct {
	Kind  ErrorKind
	Agent string
	Step  string
	// Detail is what the agent or the system said, redacted and fit for a terminal.
	Detail string
	// Advice is the next thing to do where the agent's kind knows better than the kind of error; may be empty.
	Advice string
	// RetryAfter is when a provider wants to be asked again; zero if it did not say.
	RetryAfter time.Duration
	// Session is the id of the session that was going on, to be resumed; may be empty.
	Session string
	// Err is the cause, if there is one: a [*proc.LimitError], the context's cause.
	Err error
}

// Error is one line: agent, what happened, step, detail.
func (e *Error) Error() string {
	text := e.Agent + " " + e.sentence()
	if e.Step != "" {
		text += fmt.Sprintf(" (step %s)", e.Step)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may work a little later.
func (e *Error) Temporary() bool { return e.Kind == RateLimited || e.Kind == Unavailable }

func (e *Error) sentence() string {
	switch e.Kind {
	case NotInstalled:
		return "is not installed"
	case Outdated:
		return "is too old"
	case NotAuthenticated:
		return "is not signed in"
	case RateLimited:
		return "was rate limited"
	case Quota:
		return "has used up its quota"
	case Unavailable:
		return "could not reach its provider"
	case Model:
		return "does not know the model"
	case Limit:
		return "reached its own limit"
	case TooLong:
		return "was given more than its model can take in"
	case SessionGone:
		return "did not find the session to resume"
	case Config:
		return "refused its configuration"
	case TimedOut:
		return e.overdue()
	case Cancelled:
		return "was cancelled"
	case NoOutput:
		return "ended without saying anything"
	case BadOutput:
		return "ended without reporting success"
	default:
		return "failed"
	}
}

// overdue says which limit ended the run.
func (e *Error) overdue() string {
	limit, ok := errors.AsType[*proc.LimitError](e.Err)
	switch {
	case ok && limit.Kind == proc.IdleLimit:
		return fmt.Sprintf("gave no output for %s", limit.Limit)
	case ok && limit.Kind == proc.WallLimit:
		return fmt.Sprintf("was not done after %s", limit.Limit)
	default:
		return "took too long"
	}
}

// Hint is the next thing to do.
func (e *Error) Hint() string {
	if e.Advice != "" {
		return e.Advice
	}
	switch e.Kind {
	case NotInstalled:
		return fmt.Sprintf("install %s, or give its role to another agent under [roles] in agentd/config.toml", e.Agent)
	case Outdated:
		return fmt.Sprintf("update %s, or give its role to another agent under [roles] in agentd/config.toml", e.Agent)
	case NotAuthenticated:
		return fmt.Sprintf("run `%s` by hand and sign in, or set its API key; then run the same command again", e.Agent)
	case RateLimited, Unavailable:
		if e.RetryAfter > 0 {
			return fmt.Sprintf("run the same command again in %s", e.RetryAfter)
		}
		return "run the same command again in a few minutes"
	case Quota:
		return "wait for the quota to be renewed, or give the role to another agent under [roles] in agentd/config.toml"
	case Model:
		return fmt.Sprintf("change the model of %s in agentd/config.toml", e.Agent)
	case Limit:
		return "raise the agent's own limit, or split the task; then run the same command again"
	case TooLong:
		return "split the change, or give the role to a model that takes more under [roles] in agentd/config.toml; then run the same command again"
	case SessionGone:
		return "run the same command again; it starts a new session"
	case Config:
		return "check the agent's section in agentd/config.toml with `gh agentd doctor`"
	case TimedOut:
		return fmt.Sprintf("run `%s` by hand to see what it waits for, or raise its limits in agentd/config.toml; then run the same command again", e.Agent)
	default:
		return "read the log in the run folder, then run the same command again"
	}
}
