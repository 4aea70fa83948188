//go:build linux

package clis

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agentd/gh-agentd/internal/ttytest"
)

// outcome is how a command of ours ended.
type outcome struct {
	code     int // exit code, -1 if a signal ended it
	out, err string
}

func (o outcome) String() string { return fmt.Sprintf("exit code %d\n%s%s", o.code, o.out, o.err) }

// patience is for one command on a busy machine. A command that takes longer is killed, and the test fails.
const patience = 6 * time.Minute

// process is a command of ours at work.
type process struct {
	*exec.Cmd
	w        *world
	out, err bytes.Buffer
	terminal *ttytest.Terminal // if it has one
	done     chan struct{}
}

// begin starts gh-agentd in a process group of its own, as a shell does.
func (w *world) begin(args ...string) *process {
	w.t.Helper()
	return w.start(func(p *process) error {
		p.Stdout, p.Stderr = &p.out, &p.err
		p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return p.Start()
	}, args...)
}

func (w *world) start(how func(*process) error, args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: exec.Command(w.use.product, args...), w: w, done: make(chan struct{})}
	p.Dir, p.Env, p.WaitDelay = w.repo(), w.environ, time.Second
	if err := how(p); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		_ = p.Wait() // its state says it
		close(p.done)
	}()
	return p
}

// end waits for the command.
func (p *process) end() outcome {
	p.w.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
		<-p.done
		p.w.t.Errorf("%s was not done after %s", strings.Join(p.Args[1:], " "), patience)
	}
	if p.terminal != nil {
		p.out.WriteString(p.terminal.Close())
	}
	return outcome{p.ProcessState.ExitCode(), p.out.String(), p.err.String()}
}

// agentd runs a command of ours and wants it to end with that exit code.
func (w *world) agentd(code int, args ...string) outcome {
	w.t.Helper()
	o := w.begin(args...).end()
	if o.code != code {
		w.t.Fatalf("gh-agentd %s: want exit code %d, got %s", strings.Join(args, " "), code, o)
	}
	return o
}

// living are the processes of the world with their command lines, but for zombies.
func (w *world) living() map[int]string {
	w.t.Helper()
	found := map[int]string{}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(w.dir+"/")) {
			continue // gone, or not ours to look at
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		line, readErr := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && readErr == nil && len(line) > 0 {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// await returns when a process of the world has a command line with that text.
func (w *world) await(text string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for _, line := range w.living() {
			if strings.Contains(line, text) {
				return
			}
		}
	}
	w.t.Fatalf("nobody ran %q within a minute", text)
}

// nobodyLeft fails the test if a process of the world is alive shortly after its commands have ended.
func (w *world) nobodyLeft() {
	w.t.Helper()
	const shortly = 2 * time.Second
	for deadline := time.Now().Add(shortly); ; time.Sleep(10 * time.Millisecond) {
		left := w.living()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for pid, line := range left {
				w.t.Errorf("still running: %d %s", pid, line)
				_ = syscall.Kill(pid, syscall.SIGKILL) // it would disturb the other tests
			}
			return
		}
	}
}

// onlyOnce is true once.
type onlyOnce struct{ done atomic.Bool }

func (o *onlyOnce) first() bool { return o.done.CompareAndSwap(false, true) }
