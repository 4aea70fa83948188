package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Program is an [Agent] that is a program of its own: the one runner, with a codec that reads what it says.
type Program struct {
	// ID is the agent's name.
	ID string // required
	// Path is the program: a name to be found on the PATH of the request's environment, or a path.
	Path string // required
	// Words stand between the program and the codec's arguments.
	Words []string
	// Keys are the variables the agent signs in with, let through beside the common ones.
	// A name may end in * to mean all that begin so.
	Keys []string
	// Environ is the environment that Check searches; Run takes the request's.
	Environ []string
	// Wall replaces the request's limit on a whole call; zero leaves it.
	Wall time.Duration
	// NoUsage says that nothing is to be believed of what the program says it used.
	NoUsage bool
	// Release says which releases of the program will do.
	Release Release
	// NewCodec makes the codec of one run.
	NewCodec func() Codec // required

	mu       sync.Mutex
	versions map[string]string // by path, as far as they were asked for
}

var _ Agent = (*Program)(nil)

// Name is the agent's name.
func (p *Program) Name() string { return p.ID }

// Check says whether the program is there and new enough.
// It starts the program only to ask for its version, once, and only where Release asks for one and nothing else says it.
func (p *Program) Check(ctx context.Context) error {
	if ctx.Err() != nil {
		return &Error{Kind: Cancelled, Agent: p.ID, Err: context.Cause(ctx)}
	}
	path, err := p.find(p.Environ)
	if err != nil {
		return err
	}
	return p.checkRelease(ctx, path)
}

func (p *Program) find(environ []string) (string, error) {
	path, err := proc.Look(p.Path, lookup(environ, "PATH"))
	if err == nil {
		return path, nil
	}
	failure := &Error{Kind: NotInstalled, Agent: p.ID, Detail: err.Error(), Err: err}
	if info, statErr := os.Stat(p.Path); statErr == nil && filepath.IsAbs(p.Path) {
		failure.Kind, failure.Detail = Failed, p.Path+" is there and cannot be run"
		if info.IsDir() {
			failure.Detail = p.Path + " is a folder, and no program"
		}
		failure.Advice = fmt.Sprintf("name a program that can be run as the command of %s in agentd/config.toml", p.ID)
	}
	return "", failure
}

// Run starts the program, gives it the prompt, shows its progress, and judges its end.
// When it returns, nothing that the program started is running any more.
func (p *Program) Run(ctx context.Context, r Request, on func(Event)) (Result, error) {
	result, err := p.run(ctx, r, on)
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		if err == nil {
			return result, nil
		}
		failure = &Error{Kind: Failed, Detail: proc.Clean(err.Error()), Err: err}
	}
	// A copy, for a codec may return the same error twice.
	named := *failure
	named.Agent, named.Step = p.ID, r.Step
	if named.Session == "" {
		named.Session = result.Session.ID
	}
	return result, &named
}

func (p *Program) run(ctx context.Context, r Request, on func(Event)) (Result, error) {
	none := Result{ExitCode: -1}
	path, err := p.find(r.Environ)
	if err != nil {
		return none, err
	}
	if s := r.Session; s != nil && s.Agent != "" && s.Agent != p.ID {
		return none, &Error{Kind: SessionGone, Detail: fmt.Sprintf("session %s belongs to %s", s.ID, s.Agent)}
	}
	if p.Wall > 0 {
		r.Limits.Wall = p.Wall
	}
	call, err := openCall(&r)
	if err != nil {
		return none, err
	}
	defer call.close()
	codec := p.NewCodec()
	inv, err := codec.Args(r)
	if err != nil {
		return none, asConfig(err)
	}
	if err := call.writeFiles(inv); err != nil {
		return none, err
	}
	cmd, err := call.command(path, p.Words, inv, environment(r, p.Keys, inv.Env))
	if err != nil {
		return none, err
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	listener := newListener(codec, call.redact, r.Limits, r.ToolIdle, p.hearing(on), func(fatal *Error) { stop(fatal) })
	cmd.Pulse = listener.pulse
	cmd.Stdout, cmd.Stderr = call.tee(listener.stdout(), listener.stderr())
	outcome, runErr := proc.Run(ctx, cmd)
	listener.end(outcome.Survivors)
	if err := call.finishLogs(); err != nil && runErr == nil {
		runErr = err
	}
	result, err := judge(ctx, codec, outcome, runErr)
	if p.NoUsage {
		result.Usage = Usage{Model: result.Usage.Model}
	}
	if overdue, ok := errors.AsType[*Error](err); ok && overdue.Kind == TimedOut {
		if why := listener.waitedFor(); why != nil {
			err = why // "gave no output" would send the person to look at the wrong end
		}
	}
	if result.Session.ID != "" {
		result.Session.Agent = p.ID
	}
	return call.redactResult(result), call.redactError(err)
}

// hearing is on without what is not to be believed.
func (p *Program) hearing(on func(Event)) func(Event) {
	if on == nil || !p.NoUsage {
		return on
	}
	return func(e Event) {
		if e.Kind != Spent {
			on(e)
		}
	}
}

// judge asks the codec how the run ended, and lets what we know ourselves come first:
// a program that we stopped may still leave with status 0.
func judge(ctx context.Context, codec Codec, outcome proc.Result, runErr error) (Result, error) {
	result, verdict := codec.Finish(outcome.ExitCode, string(outcome.Stderr))
	result.Elapsed, result.ExitCode, result.Survivors = outcome.Elapsed, outcome.ExitCode, outcome.Survivors
	result.Usage = result.Usage.sane()

	if fatal, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return result, fatal
	}
	if limit, ok := errors.AsType[*proc.LimitError](runErr); ok {
		return result, &Error{Kind: TimedOut, Err: limit}
	}
	if cancelled, ok := errors.AsType[*proc.CancelledError](runErr); ok {
		return result, &Error{Kind: Cancelled, Err: cancelled.Cause}
	}
	_, ended := errors.AsType[*proc.ExitError](runErr)
	switch {
	case runErr != nil && !ended && errors.Is(runErr, fs.ErrNotExist):
		return result, &Error{Kind: NotInstalled, Detail: runErr.Error(), Err: runErr}
	case runErr != nil && !ended:
		return result, &Error{Kind: Failed, Detail: runErr.Error(), Err: runErr}
	case verdict != nil:
		return result, verdict
	case ended: // a success that the codec saw, and then the program failed
		return result, &Error{Kind: Failed, Detail: runErr.Error(), Err: runErr}
	}
	return result, nil
}

func asConfig(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: Config, Detail: err.Error(), Err: err}
}
