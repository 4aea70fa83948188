package agenttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

func (a *agent) write(words []string) error {
	data, err := a.script.file(words[1])
	if err != nil {
		return err
	}
	return put(words[0], data)
}

func put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func appendTo(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o755)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func edit(path, old, with string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), old) {
		return fmt.Errorf("%s does not hold %q", path, old)
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, with)), 0o644)
}

func remove(path string) error {
	if _, err := os.Lstat(path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// replaceBy takes away what is there and makes something else of the name.
func replaceBy(path string, with func() error) error {
	return errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o755), with())
}

func sparse(_ *agent, words []string) error {
	size, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return err
	}
	return replaceBy(words[0], func() error {
		f, err := os.Create(words[0])
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(size), f.Close())
	})
}

// gitFile appends to one of git's own files, wherever this worktree has it.
func (a *agent) gitFile(words []string) error {
	git, err := proc.Look("git", a.env.get("PATH"))
	if err != nil {
		return err
	}
	res, err := proc.Run(context.Background(), proc.Cmd{Path: git, Args: []string{"rev-parse", "--git-path", words[0]}, Env: a.env})
	if err != nil {
		return err
	}
	return appendTo(strings.TrimSpace(string(res.Stdout)), words[1])
}

// say writes text, and ends quietly when nobody reads any more, as a program does that gets SIGPIPE.
func say(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func (a *agent) cat(words []string) error {
	data, err := a.script.file(words[0])
	if err != nil {
		return err
	}
	return say(a.stdout, string(data))
}

func (a *agent) streams(where string) ([]io.Writer, error) {
	switch where {
	case "stdout":
		return []io.Writer{a.stdout}, nil
	case "stderr":
		return []io.Writer{a.stderr}, nil
	case "both":
		return []io.Writer{a.stdout, a.stderr}, nil
	default:
		return nil, fmt.Errorf("%q is none of stdout, stderr, both", where)
	}
}

func (a *agent) flood(where, size, pattern string) error {
	streams, err := a.streams(where)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	chunk := strings.Repeat(pattern, (64<<10)/len(pattern))
	for ; n > 0; n -= len(chunk) {
		for _, w := range streams {
			if err := say(w, chunk[:min(n, len(chunk))]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *agent) chatter(words []string) error {
	d, err := time.ParseDuration(words[0])
	if err != nil {
		return err
	}
	for end := time.Now().Add(d); time.Now().Before(end); {
		if err := say(a.stdout, "still working\n"); err != nil {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
	return nil
}
