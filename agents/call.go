package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/internal/proc"
)

// Names of a call's folder, and in it.
const (
	callPrefix = "call-"
	promptName = "prompt.md"
	stdoutName = "stdout.log"
	stderrName = "stderr.log"
)

// call is the folder of one call, and everything that is kept of it.
type call struct {
	request Request
	root    *confine.Root
	redact  *proc.Redactor
	prompt  *os.File
	logs    []*boundedLog
	turn    sync.Mutex // of the streams that share the request's log
}

// openCall makes the folder, writes the prompt into it, and sets the request's CallDir.
func openCall(r *Request) (*call, error) {
	if r.RunDir == "" || !filepath.IsAbs(r.RunDir) {
		return nil, fmt.Errorf("run folder %q is not an absolute path", r.RunDir)
	}
	dir, err := freshFolder(r.RunDir)
	if err != nil {
		return nil, err
	}
	r.CallDir = dir
	root, err := confine.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &call{request: *r, root: root, redact: proc.NewRedactor(append(secretsIn(r.Environ), r.Secrets...))}
	if err := root.WriteFile(promptName, r.Prompt); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return c, nil
}

// freshFolder makes the next free folder call-1, call-2, …
func freshFolder(runDir string) (string, error) {
	for n := 1; ; n++ {
		dir := filepath.Join(runDir, fmt.Sprintf("%s%d", callPrefix, n))
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make a folder for the call: %w", err)
		}
	}
}

func (c *call) writeFiles(inv Invocation) error {
	root := c.root
	if inv.Home != "" {
		home, err := emptied(inv.Home)
		if err != nil {
			return err
		}
		defer home.Close()
		root = home
	}
	for name, data := range inv.Files {
		if err := root.WriteFile(name, data); err != nil {
			return err
		}
	}
	return nil
}

// emptied opens a folder with nothing in it: whatever an agent left there the next one could obey.
func emptied(dir string) (*confine.Root, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("home %q is not an absolute path", dir)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, fmt.Errorf("empty the agent's home: %w", err)
	}
	return confine.Open(dir)
}

func (c *call) command(path string, words []string, inv Invocation, env []string) (proc.Cmd, error) {
	dir := c.request.Dir
	if inv.Dir != "" {
		dir = inv.Dir
	}
	cmd := proc.Cmd{
		Path: path, Args: append(words[:len(words):len(words)], inv.Args...), Dir: dir, Env: env,
		Limits: c.request.Limits, Force: c.request.Force, Group: true,
	}
	switch {
	case inv.NoStdin:
	case inv.Stdin != nil:
		cmd.Stdin = bytes.NewReader(inv.Stdin)
	default:
		var err error
		if c.prompt, err = os.Open(c.request.PromptFile()); err != nil {
			return cmd, fmt.Errorf("open the prompt: %w", err)
		}
		cmd.StdinFile = c.prompt
	}
	return cmd, nil
}

// tee sends what the program prints to the logs, redacted, and then to the codec as it is.
func (c *call) tee(stdout, stderr io.Writer) (io.Writer, io.Writer) {
	out, err := c.log(stdoutName), c.log(stderrName)
	return io.MultiWriter(out, stdout), io.MultiWriter(err, stderr)
}

func (c *call) log(name string) io.Writer {
	log := &boundedLog{path: filepath.Join(c.request.CallDir, name)}
	var w io.Writer = log
	if c.request.Log != nil {
		log.shared = &wholeLines{to: c.request.Log, turn: &c.turn}
		w = io.MultiWriter(log, log.shared)
	}
	log.redacting = c.redact.Writer(w)
	c.logs = append(c.logs, log)
	return log.redacting
}

func (c *call) finishLogs() error {
	var errs []error
	for _, log := range c.logs {
		errs = append(errs, log.Close())
	}
	c.logs = nil
	return errors.Join(errs...)
}

func (c *call) close() {
	_ = c.finishLogs() // after an early return: nothing was logged
	if c.prompt != nil {
		_ = c.prompt.Close()
	}
	_ = c.root.Close()
}

// text makes something the agent said fit to be shown and kept.
func (c *call) text(s string) string { return proc.Clean(c.redact.String(s)) }

func (c *call) redactResult(r Result) Result {
	r.Text, r.Model = c.text(r.Text), c.text(r.Model)
	r.Usage.Model = c.text(r.Usage.Model)
	r.Session.ID = c.text(r.Session.ID)
	for i := range r.Tools {
		r.Tools[i].Name, r.Tools[i].Message = c.text(r.Tools[i].Name), c.text(r.Tools[i].Message)
	}
	for i := range r.Denied {
		r.Denied[i] = c.text(r.Denied[i])
	}
	for i := range r.Survivors {
		r.Survivors[i] = c.text(r.Survivors[i])
	}
	return r
}

func (c *call) redactError(err error) error {
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	clean := *failure
	clean.Detail, clean.Session = c.text(failure.Detail), c.text(failure.Session)
	return &clean
}

// boundedLog is a file with the beginning and the end of a stream.
// The beginning is on disk at once, so that a run that is killed leaves it.
type boundedLog struct {
	path      string
	redacting io.WriteCloser
	shared    *wholeLines // the log of the request; nil where it has none
	file      *os.File
	head      int
	rest      proc.Tail
}

func (l *boundedLog) Write(p []byte) (int, error) {
	if l.file == nil {
		var err error
		if l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return 0, fmt.Errorf("open the log: %w", err)
		}
		l.rest.EndBytes = proc.TailBytes
	}
	take := min(len(p), proc.TailBytes-l.head)
	if take > 0 {
		if _, err := l.file.Write(p[:take]); err != nil {
			return 0, fmt.Errorf("write the log: %w", err)
		}
		l.head += take
	}
	_, _ = l.rest.Write(p[take:]) // never fails
	return len(p), nil
}

// Close writes the end of the stream.
func (l *boundedLog) Close() error {
	err := l.redacting.Close()
	if l.shared != nil {
		err = errors.Join(err, l.shared.Close())
	}
	if l.file == nil {
		return err
	}
	_, writeErr := l.file.Write(l.rest.Bytes())
	err = errors.Join(err, writeErr, l.file.Close())
	l.file = nil
	return err
}
