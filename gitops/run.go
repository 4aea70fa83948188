package gitops

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/agentd/gh-agentd/internal/proc"
)

// call is one git command.
type call struct {
	args  []string
	dir   string    // default: the repository's home
	in    []byte    // standard input
	from  io.Reader // or this
	env   []string  // added last
	quiet []int     // exit codes that are answers, not errors
	voice voice
	holds bool // inherits the lock: it moves references or an index
	hook  bool // a hook of the user's runs in it, which must not hang for ever
	away  bool // it talks to a remote
}

// voice says in whose name a command runs.
type voice uint8

const (
	scripted voice = iota // ours: fixed language, no prompts, literal paths
	hooked                // ours, but hooks and filters of the user may run in it: fixed language, no prompts
	personal              // the user's own: signing, commit-msg, merges
)

// git runs one command and returns what it printed.
// An exit code that is not an answer is a [*GitError] or what explain makes of it.
func (r *Repo) git(ctx context.Context, c call) ([]byte, error) {
	out, _, err := r.ask(ctx, c)
	return out, err
}

// ask is git with the exit code.
func (r *Repo) ask(ctx context.Context, c call) ([]byte, int, error) {
	cmd := r.command(c)
	if c.in != nil {
		cmd.Stdin = bytes.NewReader(c.in)
	} else if c.from != nil {
		cmd.Stdin = c.from
	}
	res, err := proc.Run(ctx, cmd)
	return res.Stdout, res.ExitCode, gitError(c, res, err)
}

// command is the part that short and long programs share.
func (r *Repo) command(c call) proc.Cmd {
	cmd := proc.Cmd{Path: r.program, Args: c.args, Dir: c.dir, Env: r.environ(c.voice)}
	if cmd.Dir == "" {
		cmd.Dir = r.home()
	}
	if len(c.env) > 0 {
		cmd.Env = append(slices.Clip(cmd.Env), c.env...)
	}
	if c.away {
		cmd.Env = append(slices.Clip(cmd.Env), r.credentials...)
	}
	if c.hook {
		cmd.Limits.Wall = r.patience()
	}
	if c.holds && r.held != nil {
		cmd.ExtraFiles = []*os.File{r.held}
	}
	return cmd
}

func gitError(c call, res proc.Result, err error) error {
	if err == nil || slices.Contains(c.quiet, res.ExitCode) {
		return nil
	}
	if exit, ok := errors.AsType[*proc.ExitError](err); ok {
		return &GitError{Args: c.args, Code: exit.Code, Signal: exit.Signal, Stderr: proc.Clean(string(res.Stderr))}
	}
	return err
}

// fields splits NUL-terminated output.
func fields(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	parts := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	list := make([]string, len(parts))
	for i, part := range parts {
		list[i] = string(part)
	}
	return list
}

// line is output that is one line, without its end.
func line(out []byte) string { return string(bytes.TrimSuffix(out, []byte("\n"))) }
