package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// supervise runs a program that is not trusted to end, or to end alone.
func supervise(ctx context.Context, c Cmd) (Result, error) {
	// The kernel ties "terminate when your parent dies" to the thread that started the program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	s := &supervised{spec: c, pulse: c.Pulse}
	if s.pulse == nil {
		s.pulse = new(Pulse)
	}
	if err := s.launch(); err != nil {
		return Result{ExitCode: -1}, err
	}
	start := time.Now()
	reason := s.wait(ctx, newWatch(c.Limits, s.pulse, start))
	survivors := s.herd.dissolve(s.patience(reason))
	s.drain()

	res := Result{ExitCode: -1, Elapsed: time.Since(start), Stdout: s.captured.Bytes(), Stderr: s.complaints.Bytes(), Survivors: survivors}
	if state := s.cmd.ProcessState; state != nil {
		res.ExitCode, res.Signal = state.ExitCode(), signalOf(state)
	}
	switch {
	case errors.Is(reason, errRefused) && s.pumpErr != nil:
		return res, s.verdict(res)
	case reason != nil:
		return res, reason
	case s.out.exceeded: // noticed only in what was left in the pipe
		return res, s.tooMuch()
	}
	return res, s.verdict(res)
}

// supervised is one run: the program, its two pipes, and the processes that came of it.
type supervised struct {
	spec  Cmd
	pulse *Pulse
	cmd   *exec.Cmd
	herd  *herd

	exited     chan error // Wait's answer
	overflow   chan struct{}
	pumps      sync.WaitGroup
	pipes      []*os.File // our ends
	out        *meter
	captured   bytes.Buffer
	complaints *Tail
	waitErr    error
	pumpErr    error
}

func (s *supervised) launch() error {
	mark, env := Mark(s.spec.Env)
	s.spec.Env = env
	s.cmd = command(context.Background(), s.spec) // stopping is our work, not the context's
	s.cmd.Cancel = nil
	isolate(s.cmd)
	dieWithParent(s.cmd)

	s.out = &meter{dst: s.spec.Stdout, limit: s.spec.outputLimit()}
	if s.spec.Stdout == nil {
		s.out.dst = &s.captured
	}
	s.complaints = stderrTail()
	s.overflow = make(chan struct{}, 1)

	// Pipes of our own, so that Wait answers when the program is gone,
	// not when the last of its children has let go of them.
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("pipe: %w", err), outRead.Close(), outWrite.Close())
	}
	s.pipes = []*os.File{outRead, errRead}
	s.cmd.Stdout, s.cmd.Stderr = outWrite, errWrite

	adoptOrphans()
	err = s.cmd.Start()
	closeAll(outWrite, errWrite)
	if err != nil {
		closeAll(s.pipes...)
		return fmt.Errorf("start %s: %w", commandName([]string{s.spec.Path}), err)
	}
	s.herd = newHerd(mark, s.cmd.Process)
	s.pumps.Go(func() { s.pumpErr = s.pump(outRead, s.out) })
	s.pumps.Go(func() { _ = s.pump(errRead, also(s.spec.Stderr, s.complaints)) })
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.cmd.Wait() }() // waited for by receiving
	return nil
}

// pump reads one pipe to its end.
// When the writer refuses, the rest is read and thrown away, so that the program is stopped and not stuck.
func (s *supervised) pump(from *os.File, to io.Writer) error {
	var refused error
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if s.spec.Pulse == nil {
				s.pulse.Beat()
			}
			if refused == nil {
				if _, refused = to.Write(buf[:n]); refused != nil {
					select {
					case s.overflow <- struct{}{}:
					default:
					}
				}
			}
		}
		if err != nil {
			return refused // the end, or our own deadline in drain
		}
	}
}

// wait waits for the program's own end and, when there is a reason, hastens it.
func (s *supervised) wait(ctx context.Context, w *watch) error {
	ticker := time.NewTicker(w.interval())
	defer ticker.Stop()
	var (
		reason error
		stop   ladder
	)
	begin := func(why error) {
		if reason == nil {
			reason = why
			s.herd.remember() // while parents still live, their children can be told
			stop.start(s.spec.Limits.grace(), s.herd)
		}
	}
	done, force := ctx.Done(), s.spec.Force
	for {
		select {
		case s.waitErr = <-s.exited:
			stop.end()
			return reason
		case <-done:
			done = nil
			begin(&CancelledError{Cause: context.Cause(ctx)})
		case <-force:
			force = nil
			begin(&CancelledError{Cause: errForced})
			stop.kill()
		case <-s.overflow:
			begin(s.refusal())
		case <-stop.next():
			stop.climb()
		case now := <-ticker.C:
			if limit := w.check(now); limit != nil {
				begin(limit)
			}
		}
	}
}

var (
	errForced  = errors.New("forced")
	errRefused = errors.New("output refused by its reader")
)

// patience is how long what the program left behind may take to leave:
// a tool server that just lost its client deserves a moment, unless everything is being stopped anyway.
func (s *supervised) patience(reason error) time.Duration {
	const moment = 500 * time.Millisecond
	select {
	case <-s.spec.Force:
		return 0
	default:
	}
	if reason != nil {
		return min(moment, s.spec.Limits.grace())
	}
	return moment
}

// drain reads what is still in the pipes. A process that could not be ended may hold them open: no longer than this.
func (s *supervised) drain() {
	for _, pipe := range s.pipes {
		_ = pipe.SetReadDeadline(time.Now().Add(2 * time.Second)) // pipes that are not pollable end with their writers
	}
	s.pumps.Wait()
	closeAll(s.pipes...)
}

func (s *supervised) verdict(res Result) error {
	if s.pumpErr != nil {
		return fmt.Errorf("output of %s: %w", commandName([]string{s.spec.Path}), s.pumpErr)
	}
	return explain(nil, s.spec, res, s.waitErr)
}

// refusal is why the output was not taken: the limit, or what the writer said.
// The pump has not ended yet, so its own word is not there to be read.
func (s *supervised) refusal() error {
	if s.out.limit > 0 {
		return s.tooMuch()
	}
	return errRefused
}

func (s *supervised) tooMuch() error { return &LimitError{Kind: OutputLimit, Bytes: s.out.limit} }

// ladder is interrupt, terminate, kill, with a grace between the steps.
type ladder struct {
	herd  *herd
	grace time.Duration
	step  step
	timer *time.Timer
}

func (l *ladder) start(grace time.Duration, h *herd) {
	l.herd, l.grace, l.step = h, grace, interrupt
	l.timer = time.NewTimer(grace)
	h.signal(interrupt)
}

// next fires when the next step is due; never before start.
func (l *ladder) next() <-chan time.Time {
	if l.timer == nil {
		return nil
	}
	return l.timer.C
}

func (l *ladder) climb() {
	l.step = min(l.step+1, kill)
	l.herd.signal(l.step)
	l.timer.Reset(l.grace)
}

func (l *ladder) kill() {
	l.step = kill
	l.herd.signal(kill)
}

func (l *ladder) end() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// step is one way to ask a process to end, from polite to final.
type step uint8

const (
	interrupt step = iota
	terminateAll
	kill
)

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // pipes: nothing is lost
	}
}
