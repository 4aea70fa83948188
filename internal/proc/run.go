package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Run runs a program to its end.
//
// The Result is filled as far as it is known, also beside an error.
// The error is nil only if the program ended by itself with status 0; otherwise it is
// a [*ExitError], a [*LimitError], a [*CancelledError] around the context's cause,
// or what kept the program from starting or its output from being read.
//
// Without Cmd.Group this is the light path, fit for hundreds of calls of git:
// one process, one goroutine per pipe, nothing else.
// Cancelling ctx terminates the program and after Limits.Grace kills it.
func Run(ctx context.Context, c Cmd) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1}, &CancelledError{Cause: context.Cause(ctx)}
	}
	if c.Group {
		return supervise(ctx, c)
	}
	return runLight(ctx, c)
}

func runLight(ctx context.Context, c Cmd) (Result, error) {
	if c.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Limits.Wall, &LimitError{Kind: WallLimit, Limit: c.Limits.Wall})
		defer cancel()
	}
	var captured bytes.Buffer
	out := &meter{dst: c.Stdout, limit: c.outputLimit()}
	if c.Stdout == nil {
		out.dst = &captured
	}
	complaints := stderrTail()
	cmd := command(ctx, c)
	cmd.Stdout = out
	cmd.Stderr = also(c.Stderr, complaints)

	start := time.Now()
	err := cmd.Run()
	res := Result{ExitCode: -1, Elapsed: time.Since(start), Stdout: captured.Bytes(), Stderr: complaints.Bytes()}
	if cmd.ProcessState != nil {
		res.ExitCode, res.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	}
	if out.exceeded {
		return res, &LimitError{Kind: OutputLimit, Bytes: out.limit}
	}
	return res, explain(causeOf(ctx), c, res, err)
}

// causeOf is why a context ended, or nil while it lives.
func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// command prepares a program for the light path.
func command(ctx context.Context, c Cmd) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = ownEnv(c.Env)
	cmd.ExtraFiles = c.ExtraFiles
	switch {
	case c.StdinFile != nil:
		cmd.Stdin = c.StdinFile
	case c.Stdin != nil:
		cmd.Stdin = c.Stdin
	}
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = c.Limits.grace()
	return cmd
}

// explain turns what os/exec says into one of our errors. cause is why the context ended, if it did.
func explain(cause error, c Cmd, res Result, err error) error {
	if err == nil {
		return nil
	}
	if cause != nil && res.ExitCode != 0 {
		if limit, ok := errors.AsType[*LimitError](cause); ok {
			return limit
		}
		return &CancelledError{Cause: cause}
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Args: append([]string{c.Path}, c.Args...), Code: res.ExitCode, Signal: res.Signal, Stderr: res.Stderr}
	}
	// The program did its work, although something that it started keeps a pipe open, or it was just being cancelled.
	if res.ExitCode == 0 && (errors.Is(err, exec.ErrWaitDelay) || cause != nil) {
		return nil
	}
	return fmt.Errorf("run %s: %w", commandName([]string{c.Path}), err)
}

var errTooMuch = errors.New("output limit")

// meter passes output on and refuses what is beyond the limit.
type meter struct {
	dst      io.Writer
	limit    int64 // 0 = none
	count    int64
	exceeded bool
}

func (m *meter) Write(p []byte) (int, error) {
	m.count += int64(len(p))
	if m.limit > 0 && m.count > m.limit {
		m.exceeded = true
		return 0, errTooMuch
	}
	return m.dst.Write(p)
}

func stderrTail() *Tail { return &Tail{EndBytes: StderrBytes} }

// also writes to an optional writer and to the tail.
func also(w io.Writer, tail *Tail) io.Writer {
	if w == nil {
		return tail
	}
	return io.MultiWriter(tail, w)
}
