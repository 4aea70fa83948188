//go:build unix

package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentd/gh-agentd/internal/ttytest"
)

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
	terminal, err := ttytest.Start(cmd)
	ts.Check(err)
	var failure string
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		verb, text, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch verb {
		case "":
		case ">":
			if !terminal.Await(text) {
				failure = "never said " + strconv.Quote(text)
			}
		case "<":
			err = terminal.Type(text + "\n")
		case "raw":
			if !terminal.AwaitKeys() {
				failure = "never read single keys"
			}
		case "v":
			err = terminal.Type(ttytest.Down)
		case "^D":
			err = terminal.Type(ttytest.CtrlD)
		case "^C":
			err = terminal.Type(ttytest.CtrlC)
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
	overdue := time.AfterFunc(ttytest.Patience, func() { _ = cmd.Process.Kill() })
	waitErr := cmd.Wait()
	overdue.Stop()
	text := terminal.Close()
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
