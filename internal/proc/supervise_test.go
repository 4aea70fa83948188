package proc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// guarded is self under supervision, with short patience.
func guarded(t *testing.T, behaviour string, args ...string) proc.Cmd {
	t.Helper()
	cmd := self(t, behaviour, args...)
	cmd.Group = true
	cmd.Limits.Grace = 100 * time.Millisecond
	return cmd
}

func TestRun_limits_AG09(t *testing.T) {
	for _, row := range []struct {
		name, behaviour string
		limits          proc.Limits
		want            proc.LimitKind
	}{
		{"AG-09 hangs without output", "hang", proc.Limits{Idle: 200 * time.Millisecond, Wall: 20 * time.Second}, proc.IdleLimit},
		{"AG-09 hangs while printing", "chatter", proc.Limits{Idle: 5 * time.Second, Wall: 300 * time.Millisecond}, proc.WallLimit},
		{"AG-09 hangs and does not listen", "deaf", proc.Limits{Idle: 200 * time.Millisecond}, proc.IdleLimit},
		{"AG-27 asks and waits", "cat", proc.Limits{Idle: 20 * time.Second}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd := guarded(t, row.behaviour)
			cmd.Limits = row.limits
			cmd.Limits.Grace = 100 * time.Millisecond
			_, err := proc.Run(t.Context(), cmd)
			limit, ok := errors.AsType[*proc.LimitError](err)
			if row.want == "" {
				if err != nil { // standard input is empty, so there is nothing to wait for
					t.Errorf("error = %v", err)
				}
				return
			}
			if !ok || limit.Kind != row.want {
				t.Errorf("error = %v, want limit %q", err, row.want)
			}
		})
	}
}

func TestRun_cancelIsGentleFirst_RP23(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	cmd := guarded(t, "polite")
	cmd.Limits.Grace = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout = io.MultiWriter(&out, &onLine{do: func(string) { cancel(why) }})
	start := time.Now()
	res, err := proc.Run(ctx, cmd)
	if !errors.Is(err, why) {
		t.Errorf("error = %v, want the cause although the program left with %d", err, res.ExitCode)
	}
	if out.String() != "ready\nbye\n" || res.ExitCode != 0 || res.Signal != 0 {
		t.Errorf("output = %q, result = %+v", out.String(), res)
	}
	if time.Since(start) > 5*time.Second {
		t.Errorf("took %s", time.Since(start))
	}
}

func TestRun_cancelEndsTheDeafStepByStep_RP23(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := guarded(t, "deaf")
	cmd.Stdout = &onLine{do: func(string) { cancel() }}
	start := time.Now()
	res, err := proc.Run(ctx, cmd)
	if !errors.Is(err, context.Canceled) || res.Signal != syscall.SIGKILL {
		t.Errorf("error = %v, signal = %q", err, res.Signal)
	}
	if d := time.Since(start); d < 2*cmd.Limits.Grace {
		t.Errorf("killed after %s: it had a right to two graces", d)
	}
}

func TestRun_forceIsAtOnce_RP23(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	force := make(chan struct{})
	cmd := guarded(t, "deaf")
	cmd.Limits.Grace = time.Minute
	cmd.Force = force
	cmd.Stdout = &onLine{do: func(string) {
		cancel()
		close(force)
	}}
	start := time.Now()
	res, err := proc.Run(ctx, cmd)
	if _, ok := errors.AsType[*proc.CancelledError](err); !ok || res.Signal != syscall.SIGKILL || time.Since(start) > 10*time.Second {
		t.Errorf("error = %v, signal = %q after %s", err, res.Signal, time.Since(start))
	}
}

func TestRun_nobodySurvives_I5(t *testing.T) {
	if runtime.GOOS != "linux" {
		elsewhere(t, "finding those who left the group needs /proc")
	}
	for _, row := range []struct {
		name string
		args []string
	}{
		{"child in the group", nil},
		{"child in the group, parent stays", []string{"stay"}},
		{"child in a session of its own", []string{"setsid"}},
		{"child in a session of its own, parent stays", []string{"setsid", "stay"}},
		{"child without our environment", []string{"bare"}},
		{"child in a session of its own without our environment", []string{"setsid", "bare"}},
		{"child in a session of its own without our environment, parent stays", []string{"setsid", "bare", "stay"}},
		{"family that ignores signals", []string{"setsid", "deaf"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			canary := "PROC_TEST_CANARY=" + strings.ReplaceAll(t.Name(), "/", "_")
			cmd := guarded(t, "parent", row.args...)
			cmd.Env = append(cmd.Env, canary)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stays := slices.Contains(row.args, "stay")
			var child int
			cmd.Stdout = &onLine{do: func(line string) {
				if child, _ = strconv.Atoi(line); stays {
					cancel()
				}
			}}
			start := time.Now()
			res, err := proc.Run(ctx, cmd)
			if errors.Is(err, context.Canceled) != stays {
				t.Errorf("error = %v", err)
			}
			if child == 0 || alive(child) {
				t.Errorf("child %d is alive", child)
			}
			if left := marked(canary); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			if err == nil && (len(res.Survivors) == 0 || !strings.Contains(res.Survivors[0], "sleep")) {
				t.Errorf("survivors = %q, want the sleeping child named", res.Survivors)
			}
			if time.Since(start) > 20*time.Second {
				t.Errorf("took %s", time.Since(start))
			}
		})
	}
}

func TestRun_marksNest(t *testing.T) {
	cmd := guarded(t, "echo")
	cmd.Env = append(cmd.Env, proc.MarkVariable+"=OUTER")
	res, err := proc.Run(t.Context(), cmd)
	if err != nil || !strings.Contains(string(res.Stderr), proc.MarkVariable+"=OUTER,") {
		t.Errorf("environment = %s, %v: the outer run must still find this process", res.Stderr, err)
	}
}

func TestRun_leavesDaemonsOfOtherProgramsAlone(t *testing.T) {
	if runtime.GOOS != "linux" {
		elsewhere(t, "only here orphans become ours")
	}
	// While a supervised program runs, git, say, goes into the background.
	var daemon int
	cmd := guarded(t, "slow")
	cmd.Stdout = &onLine{do: func(string) {
		res, err := proc.Run(t.Context(), func() proc.Cmd {
			c := self(t, "parent", "setsid", "quiet")
			c.Limits.Grace = 100 * time.Millisecond
			return c
		}())
		if err != nil {
			t.Error(err)
		}
		daemon, _ = strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	}}
	res, err := proc.Run(t.Context(), cmd)
	if err != nil || len(res.Survivors) > 0 {
		t.Errorf("survivors %q, %v", res.Survivors, err)
	}
	if daemon == 0 || !alive(daemon) {
		t.Errorf("process %d is gone", daemon)
	}
	if p, err := os.FindProcess(daemon); err == nil {
		_ = p.Kill()
		_, _ = p.Wait() // it has become our child
	}
}

func TestRun_pulseDecidesWhatIsLife(t *testing.T) {
	cmd := guarded(t, "chatter")
	cmd.Limits.Idle = 200 * time.Millisecond
	cmd.Pulse = new(proc.Pulse) // nobody beats: printing is no progress
	_, err := proc.Run(t.Context(), cmd)
	if limit, ok := errors.AsType[*proc.LimitError](err); !ok || limit.Kind != proc.IdleLimit {
		t.Errorf("error = %v", err)
	}
}

// floodBytes keeps the test short; the bound on memory does not depend on it.
const floodBytes = 100 << 20

func TestRun_floodInBoundedMemory_AG06(t *testing.T) {
	for _, where := range []string{"stdout", "stderr", "both", "stdout one-line"} {
		t.Run("AG-06 "+where, func(t *testing.T) {
			stream, oneLine, _ := strings.Cut(where, " ")
			cmd := guarded(t, "count", stream, strconv.Itoa(floodBytes), oneLine)
			var kept [2]proc.Tail
			cmd.Stdout, cmd.Stderr = &kept[0], &kept[1]

			debug.FreeOSMemory()
			var before, during runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := proc.Run(t.Context(), cmd)
			runtime.ReadMemStats(&during)
			if err != nil {
				t.Fatal(err)
			}
			if grown := int64(during.Sys) - int64(before.Sys); grown > 64<<20 {
				t.Errorf("memory grew by %d MiB", grown>>20)
			}
			for i, name := range []string{"stdout", "stderr"} {
				if (stream == name || stream == "both") != (kept[i].Len() == floodBytes) {
					t.Errorf("%s: %d bytes", name, kept[i].Len())
				}
				if text := kept[i].String(); kept[i].Len() > 0 && (!strings.Contains(text, "\n[… 98 MiB left out …]\n") || len(text) > 2<<20+100) {
					t.Errorf("%s: %d bytes kept", name, len(text))
				}
			}
			if len(res.Stderr) > proc.StderrBytes+100 {
				t.Errorf("kept %d bytes of stderr in the result", len(res.Stderr))
			}
		})
	}
}

func TestRun_programFollowsASupervisorThatWasKilled_I5(t *testing.T) {
	if runtime.GOOS != "linux" {
		elsewhere(t, "the kernel tells children of our death on Linux only")
	}
	canary := "PROC_TEST_CANARY=" + t.Name()
	super := self(t, "supervise")
	super.Env = append(super.Env, canary)
	supervisor := exec.Command(super.Path)
	supervisor.Env = super.Env
	out, err := supervisor.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil { // "ready" of the program below
		t.Fatal(err)
	}
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = supervisor.Wait() // it was killed
	for deadline := time.Now().Add(5 * time.Second); len(marked(canary)) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("still there: %v", marked(canary))
		}
		<-time.After(10 * time.Millisecond)
	}
}

// elsewhere leaves a test out on systems that lack what it is about. In CI that is a failure.
func elsewhere(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
