//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// patience is how long a conversation waits for the next thing it expects.
const patience = time.Minute

// cmdTTY runs a program on a terminal of its own and talks to it: tty N FILE PROGRAM ARGS...
// The program must end with exit code N. All that appeared on the terminal is then `stdout`.
// Each line of FILE is one of
//
//	> TEXT    wait until TEXT has appeared, after what was waited for before
//	< TEXT    type TEXT and Enter
//	raw       wait until single keys are read
//	v         press the arrow down
//	^C, ^D    press Ctrl-C, or Ctrl-D
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: tty code file program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := exec.Command(args[2], args[3:]...) //nolint:noctx // the conversation has a limit of its own
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = scriptEnvironment(ts)
	screen := &screen{}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	ts.Check(err)
	defer terminal.Close()
	var copying sync.WaitGroup
	copying.Go(func() { screen.follow(terminal) })

	seen := 0
	var failure string
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		verb, text, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch verb {
		case "":
		case ">":
			if seen = screen.await(seen, text); seen < 0 {
				failure = "never said " + strconv.Quote(text)
			}
		case "<":
			_, err = terminal.WriteString(text + "\n")
		case "raw":
			if !awaitRaw(terminal) {
				failure = "never read single keys"
			}
		case "v":
			_, err = terminal.WriteString("\x1b[B")
		case "^D":
			_, err = terminal.WriteString("\x04")
		case "^C":
			_, err = terminal.WriteString("\x03")
		default:
			failure = "unknown line " + strconv.Quote(line)
		}
		if failure != "" || err != nil {
			break
		}
	}
	if failure != "" || err != nil {
		_ = cmd.Process.Kill()
	}
	// Who has said everything and is still asked something would wait for ever.
	overdue := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	waitErr := cmd.Wait()
	overdue.Stop()
	copying.Wait()
	text := strings.ReplaceAll(screen.text(), "\r\n", "\n")
	_, _ = ts.Stdout().Write([]byte(text))
	ts.Logf("[terminal]\n%s", text)
	ts.Check(err)
	if failure != "" {
		ts.Fatalf("%s %s", args[2], failure)
	}
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		ts.Fatalf("%s: %v", args[2], waitErr)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("%s ended with exit code %d, want %d", strings.Join(args[2:], " "), got, want)
	}
}

// awaitRaw waits until the program has switched the terminal from lines to keys.
func awaitRaw(terminal *os.File) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if mode, err := unix.IoctlGetTermios(int(terminal.Fd()), ioctlReadTermios); err == nil && mode.Lflag&unix.ICANON == 0 {
			return true
		}
	}
	return false
}

// scriptEnvironment is what the script would give a program that it starts.
func scriptEnvironment(ts *testscript.TestScript) []string {
	var environ []string
	for _, entry := range append(fixedEnvironment(""), "PATH=", "WORK=", "CI=", "NO_COLOR=", "GH_PROMPT_DISABLED=", "GH_FORCE_TTY=") {
		key, _, _ := strings.Cut(entry, "=")
		if value := ts.Getenv(key); value != "" {
			environ = append(environ, key+"="+value)
		}
	}
	return slices.Clip(environ)
}

// screen is everything that a terminal has shown.
type screen struct {
	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{}
	over  bool // nothing more will come
}

// follow reads until the other end is gone. Like a real terminal it answers who asks where the cursor is.
func (s *screen) follow(terminal *os.File) {
	const where, here = "\x1b[6n", "\x1b[1;1R"
	buf := make([]byte, 4096)
	asked := 0
	for {
		n, err := terminal.Read(buf)
		s.mu.Lock()
		s.shown.Write(buf[:n])
		questions := bytes.Count(s.shown.Bytes(), []byte(where))
		for ; asked < questions && err == nil; asked++ {
			_, err = terminal.WriteString(here)
		}
		s.over = err != nil
		if s.more != nil {
			close(s.more)
			s.more = nil
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await returns where text ends behind from, or -1 when it does not appear.
func (s *screen) await(from int, text string) int {
	limit := time.After(patience)
	for {
		s.mu.Lock()
		at := bytes.Index(s.shown.Bytes()[from:], []byte(text))
		if s.more == nil {
			s.more = make(chan struct{})
		}
		more, over := s.more, s.over
		s.mu.Unlock()
		switch {
		case at >= 0:
			return from + at + len(text)
		case over:
			return -1
		}
		select {
		case <-more:
		case <-limit:
			return -1
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}
