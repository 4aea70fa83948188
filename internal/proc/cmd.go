package proc

import (
	"io"
	"os"
	"syscall"
	"time"
)

// Cmd is a program to run. Only Path is required.
type Cmd struct {
	// Path is the program itself, as [Look] found it. It is never searched for again.
	Path string // required
	// Args are the arguments without the program's own name.
	Args []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the complete environment, but for [MarkVariable]. Nil is an empty one, not the caller's.
	Env []string

	// Stdin is what the program reads: StdinFile if it is set, else Stdin, else nothing at all.
	// A file is handed over as a descriptor and costs no goroutine.
	Stdin     io.Reader
	StdinFile *os.File
	// ExtraFiles become descriptors 3, 4, … of the program:
	// a lock is inherited this way and is held as long as the program lives.
	ExtraFiles []*os.File

	// Stdout receives what the program prints, piece by piece.
	// Nil makes [Run] collect it in Result.Stdout.
	Stdout io.Writer
	// Stderr receives the same of standard error.
	// Its end is kept in Result.Stderr in any case.
	Stderr io.Writer

	Limits Limits

	// Group runs the program supervised: own process group, Limits.Wall and Limits.Idle,
	// and nothing that it started survives it. Without Group a program is assumed to be well-behaved.
	Group bool
	// Pulse decides what counts as a sign of life for Limits.Idle.
	// Nil: every byte of output does. Only with Group.
	Pulse *Pulse
	// Force, once closed, ends a program that is being stopped at once:
	// the first Ctrl-C cancels ctx, the second closes Force. Only with Group.
	Force <-chan struct{}
}

// Limits bound a run. Zero means: no limit, except where a default is named.
type Limits struct {
	// Wall bounds the whole run, by the wall clock or the monotonic clock, whichever has gone further:
	// the monotonic one may stand still while a machine sleeps.
	Wall time.Duration
	// Idle bounds the time without a sign of life.
	// It counts only time in which the machine was awake.
	Idle time.Duration
	// Grace lies between two steps of stopping: interrupt, terminate, kill. Default [DefaultGrace].
	Grace time.Duration
	// OutputBytes bounds standard output; a program that prints more is stopped with a [*LimitError].
	// Default: [DefaultCapture] where Run collects the output, none where Stdout receives it.
	OutputBytes int64
}

const (
	// DefaultGrace is how long a program gets to follow one signal before the next one.
	DefaultGrace = 5 * time.Second
	// DefaultCapture is how much output Run collects in memory at most.
	DefaultCapture = 256 << 20
)

func (l Limits) grace() time.Duration {
	if l.Grace > 0 {
		return l.Grace
	}
	return DefaultGrace
}

func (c Cmd) outputLimit() int64 {
	if c.Limits.OutputBytes == 0 && c.Stdout == nil {
		return DefaultCapture
	}
	return c.Limits.OutputBytes
}

// Result is what is known of a program after its end.
type Result struct {
	// ExitCode is the exit status, or -1 if a signal ended the program or it never started.
	ExitCode int
	// Signal is the signal that ended it, or 0.
	Signal  syscall.Signal
	Elapsed time.Duration
	// Stdout is the collected output if Cmd.Stdout was nil.
	Stdout []byte
	// Stderr is the end of standard error, at most [StderrBytes].
	Stderr []byte
	// Survivors names processes that were still there after the program's own end
	// and had to be ended by us. Only with Group.
	Survivors []string
}

// StderrBytes is how much of the end of standard error a Result keeps.
const StderrBytes = 64 << 10
