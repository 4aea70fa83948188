package proc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrNotFound is what [Look] wraps when a program is nowhere on the path.
var ErrNotFound = errors.New("executable not found")

// ExitError says that a program ran to its end and the end was not exit status 0.
type ExitError struct {
	Args   []string       // the program and its arguments
	Code   int            // exit status, -1 after a signal
	Signal syscall.Signal // the signal that ended it, or 0
	Stderr []byte         // the end of its standard error
}

// Error is one line: the program, how it ended, and the last thing it complained about.
func (e *ExitError) Error() string {
	end := fmt.Sprintf("exit status %d", e.Code)
	if e.Signal != 0 {
		end = "ended by signal: " + e.Signal.String()
	}
	if last := lastLine(e.Stderr); last != "" {
		return fmt.Sprintf("%s: %s: %s", commandName(e.Args), end, last)
	}
	return fmt.Sprintf("%s: %s", commandName(e.Args), end)
}

// Status is the exit status as a shell tells it: 128 and the number of the signal after a signal, as in 137 for a kill.
func (e *ExitError) Status() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

// LimitKind says which limit was reached.
type LimitKind string

// The limits of [Limits].
const (
	WallLimit   LimitKind = "wall"
	IdleLimit   LimitKind = "idle"
	OutputLimit LimitKind = "output"
)

// LimitError says that a program was stopped because it reached a limit.
type LimitError struct {
	Kind  LimitKind
	Limit time.Duration // of WallLimit and IdleLimit
	Bytes int64         // of OutputLimit
}

func (e *LimitError) Error() string {
	switch e.Kind {
	case IdleLimit:
		return fmt.Sprintf("no sign of life for %s", e.Limit)
	case OutputLimit:
		return fmt.Sprintf("more than %d bytes of output", e.Bytes)
	default:
		return fmt.Sprintf("not done after %s", e.Limit)
	}
}

// CancelledError says that a program was stopped because its context ended.
// It wraps the context's cause.
type CancelledError struct{ Cause error }

func (e *CancelledError) Error() string { return "cancelled: " + e.Cause.Error() }
func (e *CancelledError) Unwrap() error { return e.Cause }

func commandName(args []string) string {
	if len(args) == 0 {
		return "program"
	}
	name := filepath.Base(args[0])
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		name += " " + Clean(args[1])
	}
	return name
}

func lastLine(text []byte) string {
	clean := strings.TrimSpace(Clean(string(text)))
	if i := strings.LastIndexByte(clean, '\n'); i >= 0 {
		clean = clean[i+1:]
	}
	const longest = 400
	if r := []rune(clean); len(r) > longest {
		clean = string(r[:longest]) + "…"
	}
	return clean
}
