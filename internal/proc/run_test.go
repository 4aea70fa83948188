package proc_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// bothWays runs a test on the light path and supervised: a caller sees the same.
func bothWays(t *testing.T, test func(t *testing.T, group bool)) {
	t.Run("light", func(t *testing.T) { test(t, false) })
	t.Run("group", func(t *testing.T) { test(t, true) })
}

func TestRun_collectsOutput(t *testing.T) {
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "echo", "one", "two words", "$HOME")
		cmd.Group = group
		res, err := proc.Run(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(res.Stdout); got != "one two words $HOME\n" {
			t.Errorf("stdout = %q", got)
		}
		if res.ExitCode != 0 || res.Elapsed <= 0 || len(res.Survivors) != 0 {
			t.Errorf("result = %+v", res)
		}
	})
}

func TestRun_environmentIsOnlyWhatWasGiven(t *testing.T) {
	t.Setenv("PROC_TEST_CANARY", "must not arrive")
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "echo")
		cmd.Group = group
		res, err := proc.Run(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(res.Stderr), "CANARY") {
			t.Errorf("environment leaked:\n%s", res.Stderr)
		}
		if hasMark := !strings.Contains(string(res.Stderr), proc.MarkVariable+"=-\n"); hasMark != group {
			t.Errorf("mark of a run in the environment = %v, want %v", hasMark, group)
		}
	})
}

func TestRun_nilEnvironmentIsEmpty(t *testing.T) {
	env, err := proc.Look("env", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := proc.Run(t.Context(), proc.Cmd{Path: env})
	if err != nil || string(res.Stdout) != proc.MarkVariable+"=-\n" {
		t.Errorf("env printed %q, %v; want the mark and nothing else", res.Stdout, err)
	}
}

func TestRun_exitStatus(t *testing.T) {
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "exit", "41")
		cmd.Group = group
		res, err := proc.Run(t.Context(), cmd)
		exit, ok := errors.AsType[*proc.ExitError](err)
		if !ok || exit.Code != 41 || res.ExitCode != 41 {
			t.Fatalf("error = %#v, result = %+v", err, res)
		}
		if want := "exit status 41: the last word"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error text = %q, want the end %q", err, want)
		}
	})
}

func TestRun_stdinFromFileAndReader(t *testing.T) {
	text := strings.Repeat("a line of a long prompt\n", 90_000) // 2 MB
	file := filepath.Join(t.TempDir(), "prompt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "cat")
		cmd.Group = group
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.StdinFile = f
		res, err := proc.Run(t.Context(), cmd)
		if err != nil || string(res.Stdout) != text {
			t.Errorf("from file: %d bytes, %v", len(res.Stdout), err)
		}
		cmd.StdinFile, cmd.Stdin = nil, strings.NewReader(text)
		res, err = proc.Run(t.Context(), cmd)
		if err != nil || string(res.Stdout) != text {
			t.Errorf("from reader: %d bytes, %v", len(res.Stdout), err)
		}
	})
}

func TestRun_inheritsExtraFiles(t *testing.T) {
	bothWays(t, func(t *testing.T, group bool) {
		file := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(file, []byte("held"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd := self(t, "extra")
		cmd.Group, cmd.ExtraFiles = group, []*os.File{f}
		if res, err := proc.Run(t.Context(), cmd); err != nil || string(res.Stdout) != "held" {
			t.Errorf("descriptor 3 = %q, %v", res.Stdout, err)
		}
	})
}

func TestRun_outputLimitIsAnErrorNotATruncation(t *testing.T) {
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "count", "stdout", "4000000")
		cmd.Group, cmd.Limits.OutputBytes, cmd.Limits.Grace = group, 1<<20, 100*time.Millisecond
		_, err := proc.Run(t.Context(), cmd)
		limit, ok := errors.AsType[*proc.LimitError](err)
		if !ok || limit.Kind != proc.OutputLimit {
			t.Errorf("error = %v", err)
		}
	})
}

func TestRun_refusingWriterStopsTheProgram(t *testing.T) {
	broken := errors.New("disk full")
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "chatter")
		cmd.Group, cmd.Stdout, cmd.Limits.Grace = group, writerFunc(func([]byte) (int, error) { return 0, broken }), 100*time.Millisecond
		cmd.Limits.Wall = 20 * time.Second // not reached
		start := time.Now()
		if _, err := proc.Run(t.Context(), cmd); err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("error = %v after %s", err, time.Since(start))
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestRun_missingProgram(t *testing.T) {
	bothWays(t, func(t *testing.T, group bool) {
		_, err := proc.Run(t.Context(), proc.Cmd{Path: filepath.Join(t.TempDir(), "nobody"), Group: group})
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestRun_cancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the person pressed Ctrl-C")
	cancel(why)
	bothWays(t, func(t *testing.T, group bool) {
		cmd := self(t, "hang")
		cmd.Group = group
		_, err := proc.Run(ctx, cmd)
		if _, ok := errors.AsType[*proc.CancelledError](err); !ok || !errors.Is(err, why) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestRun_lightPathTerminatesOnCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := self(t, "hang")
	cmd.Stdout = &onLine{do: func(string) { cancel() }}
	res, err := proc.Run(ctx, cmd)
	if _, ok := errors.AsType[*proc.CancelledError](err); !ok || res.Signal != syscall.SIGTERM {
		t.Errorf("error = %v, signal = %q", err, res.Signal)
	}
}

func TestRun_lightPathWallLimit(t *testing.T) {
	cmd := self(t, "hang")
	cmd.Limits.Wall = 50 * time.Millisecond
	_, err := proc.Run(t.Context(), cmd)
	if limit, ok := errors.AsType[*proc.LimitError](err); !ok || limit.Kind != proc.WallLimit {
		t.Errorf("error = %v", err)
	}
}

func TestStart_conversation(t *testing.T) {
	p, err := proc.Start(t.Context(), self(t, "cat"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stdin.Write([]byte("HEAD:README.md\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 15)
	if _, err := p.Stdout.Read(answer); err != nil || !bytes.Equal(answer, []byte("HEAD:README.md\n")) {
		t.Errorf("answer = %q, %v", answer, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestStart_closeThrowsAwayWhatNobodyRead(t *testing.T) {
	p, err := proc.Start(t.Context(), self(t, "count", "stdout", "4000000"))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := p.Wait(); err != nil || res.ExitCode != 0 {
		t.Errorf("close = %v, result %+v: the program was not let to its end", err, res)
	}
}

func TestStart_closeEndsOneThatDoesNotListen(t *testing.T) {
	cmd := self(t, "deaf")
	cmd.Limits.Grace = 50 * time.Millisecond
	p, err := proc.Start(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, 6)
	if _, err := p.Stdout.Read(ready); err != nil {
		t.Fatal(err)
	}
	if exit, ok := errors.AsType[*proc.ExitError](p.Close()); !ok || exit.Signal != syscall.SIGKILL || exit.Status() != 137 {
		t.Errorf("close = %v, want killed", exit)
	}
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tool := write("tool", 0o755)
	write("notes", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)

	for _, row := range []struct{ name, path, want string }{
		{"tool", "/nowhere" + string(os.PathListSeparator) + dir, tool},
		{"tool", ".", ""}, // never from the working directory
		{"tool", "", ""},  // an empty entry means the working directory too
		{tool, "", tool},  // a path is a path
		{"./tool", dir, ""},
		{"notes", dir, ""}, // not executable
		{"folder", dir, ""},
		{"nobody", dir, ""},
		{"", dir, ""},
	} {
		got, err := proc.Look(row.name, row.path)
		if got != row.want || (row.want == "") != errors.Is(err, proc.ErrNotFound) {
			t.Errorf("Look(%q, %q) = %q, %v; want %q", row.name, row.path, got, err, row.want)
		}
	}
}
