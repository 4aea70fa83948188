package proc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agentd/gh-agentd/internal/proc"
)

// TestMain makes this binary the program under supervision: called with a behaviour, it behaves.
func TestMain(m *testing.M) {
	if behaviour := os.Getenv("PROC_TEST_BEHAVIOUR"); behaviour != "" {
		os.Exit(behave(behaviour, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

func behave(behaviour string, args []string) int {
	switch behaviour {
	case "echo": // args to stdout, the environment to stderr
		fmt.Println(strings.Join(args, " "))
		for _, e := range os.Environ() {
			fmt.Fprintln(os.Stderr, e)
		}
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, _ := strconv.Atoi(args[0])
		fmt.Fprintln(os.Stderr, "first line")
		fmt.Fprintln(os.Stderr, "the \x1b[31mlast\x1b[0m word")
		return code
	case "count": // as many bytes as asked for, on stdout, stderr or both
		n, _ := strconv.ParseInt(args[1], 10, 64)
		printBytes(args[0], n, len(args) > 2 && args[2] == "one-line")
	case "extra":
		extra := os.NewFile(3, "extra")
		_, _ = io.Copy(os.Stdout, extra)
	case "hang":
		fmt.Println("ready")
		<-time.After(time.Hour)
	case "chatter":
		for {
			fmt.Println("still here")
			<-time.After(5 * time.Millisecond)
		}
	case "slow":
		fmt.Println("ready")
		<-time.After(500 * time.Millisecond)
	case "polite": // answers the interrupt with status 0, as some agents do
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, os.Interrupt)
		fmt.Println("ready")
		<-caught
		fmt.Println("bye")
	case "deaf":
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		fmt.Println("ready")
		<-time.After(time.Hour)
	case "supervise": // runs a hanging program under supervision, to be killed itself
		exe, _ := os.Executable()
		env := append(os.Environ(), "PROC_TEST_BEHAVIOUR=hang")
		_, _ = proc.Run(context.Background(), proc.Cmd{Path: exe, Env: env, Stdout: os.Stdout, Group: true})
	case "parent": // leaves a child behind: in the group, in a session of its own, with or without its environment
		return leaveChild(args)
	default:
		return 99
	}
	return 0
}

func printBytes(where string, n int64, oneLine bool) {
	chunk := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
	if oneLine {
		chunk = bytes.Repeat([]byte("0123456789abcdef"), 4096)
	}
	for n > 0 {
		part := chunk[:min(n, int64(len(chunk)))]
		if where != "stderr" {
			_, _ = os.Stdout.Write(part)
		}
		if where != "stdout" {
			_, _ = os.Stderr.Write(part)
		}
		n -= int64(len(part))
	}
}

func leaveChild(args []string) int {
	cmd := exec.Command("sleep", "300")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // and so holds our pipes open
	for _, arg := range args {
		switch arg {
		case "setsid":
			cmd.SysProcAttr = ownSession()
		case "quiet":
			cmd.Stdout, cmd.Stderr = nil, nil
		case "bare":
			cmd.Env = []string{}
		case "deaf":
			cmd.Args = []string{"sh", "-c", "trap '' INT TERM; sleep 300 & wait; sleep 300"}
			cmd.Path, _ = exec.LookPath("sh")
		}
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(cmd.Process.Pid)
	for _, arg := range args {
		if arg == "stay" {
			<-time.After(time.Hour)
		}
	}
	return 0
}

// self is a Cmd that runs this binary with a behaviour.
func self(t *testing.T, behaviour string, args ...string) proc.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.Cmd{
		Path: exe, Args: args,
		Env: []string{"PROC_TEST_BEHAVIOUR=" + behaviour, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"},
	}
}

// onLine calls do when the program has printed its first line.
type onLine struct {
	do   func(line string)
	seen bytes.Buffer
	done bool
}

func (o *onLine) Write(p []byte) (int, error) {
	o.seen.Write(p)
	if line, _, found := strings.Cut(o.seen.String(), "\n"); found && !o.done {
		o.done = true
		o.do(line)
	}
	return len(p), nil
}

// alive reports whether a process exists and is more than a zombie.
func alive(pid int) bool {
	status, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return false
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if state, ok := strings.CutPrefix(lines.Text(), "State:"); ok {
			return !strings.Contains(state, "Z")
		}
	}
	return false
}

// marked lists living processes whose environment holds the text.
func marked(text string) []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		if environ, err := os.ReadFile(path); err == nil && bytes.Contains(environ, []byte(text)) {
			found = append(found, path)
		}
	}
	return found
}
