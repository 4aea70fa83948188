package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Process is a running program with a pipe to write to and one to read from,
// such as `git cat-file --batch` or an MCP server.
// Its owner must call Close.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cause      func() error // why the process's context ended
	cmd        *exec.Cmd
	spec       Cmd
	start      time.Time
	complaints *Tail
	once       sync.Once
	result     Result
	err        error
}

// Start starts a program and returns at once.
// Cmd.Stdin, Cmd.StdinFile and Cmd.Stdout must be nil, for the pipes take their place,
// only Limits.Grace is obeyed, and Group means a process group of its own and nothing more.
// Cancelling ctx terminates the program and after the grace kills it.
func Start(ctx context.Context, c Cmd) (*Process, error) {
	if c.Stdin != nil || c.StdinFile != nil || c.Stdout != nil {
		return nil, errors.New("start: stdin and stdout are pipes")
	}
	if ctx.Err() != nil {
		return nil, &CancelledError{Cause: context.Cause(ctx)}
	}
	p := &Process{cause: func() error { return causeOf(ctx) }, spec: c, complaints: stderrTail(), start: time.Now()}
	p.cmd = command(ctx, c)
	if c.Group {
		isolate(p.cmd)
	}
	p.cmd.Stderr = also(c.Stderr, p.complaints)
	var err error
	if p.Stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("pipe to %s: %w", commandName([]string{c.Path}), err)
	}
	if p.Stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("pipe from %s: %w", commandName([]string{c.Path}), err), p.Stdin.Close())
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", commandName([]string{c.Path}), err)
	}
	return p, nil
}

// Stderr is the end of what the program has complained about so far.
func (p *Process) Stderr() []byte { return p.complaints.Bytes() }

// Terminate asks the program to leave at once. Close still has to be called.
func (p *Process) Terminate() { _ = terminate(p.cmd.Process) } // it may be gone

// Close ends the conversation: it closes the program's standard input, throws away what it still has to say,
// waits for it to leave, and after the grace of the limits first terminates and then kills it.
// Calling it again returns the same error.
func (p *Process) Close() error {
	_, err := p.Wait()
	return err
}

// Wait is Close with the result.
func (p *Process) Wait() (Result, error) {
	p.once.Do(p.end)
	return p.result, p.err
}

func (p *Process) end() {
	_ = p.Stdin.Close() // a program that is gone already has closed it for us
	grace := p.spec.Limits.grace()
	impatient := time.AfterFunc(grace, func() { _ = terminate(p.cmd.Process) })
	furious := time.AfterFunc(2*grace, func() { _ = p.cmd.Process.Kill() })
	defer furious.Stop()
	defer impatient.Stop()

	// What nobody reads any more is read here, or a program with much to say would never get to its end.
	var rest sync.WaitGroup
	rest.Go(func() { _, _ = io.Copy(io.Discard, p.Stdout) })
	err := p.cmd.Wait() // closes the pipe, and so ends the reading
	rest.Wait()
	p.result = Result{ExitCode: -1, Elapsed: time.Since(p.start), Stderr: p.complaints.Bytes()}
	if state := p.cmd.ProcessState; state != nil {
		p.result.ExitCode, p.result.Signal = state.ExitCode(), signalOf(state)
	}
	p.err = explain(p.cause(), p.spec, p.result, err)
}
