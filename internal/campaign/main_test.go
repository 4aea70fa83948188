//go:build linux

package campaign

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/agenttest"
	"github.com/agentd/gh-agentd/cli"
)

// The names under which this binary is something else than a test.
const (
	programName = "gh-agentd" // the product, with a hook at its commits
	agentName   = "scripted"  // an agent that does what a script says
)

// pointVariable tells the product where to die: "<point>:<how many times it was there>:<self|group>";
// with wait in place of who dies, it waits there as long as its cache folder has a file "wait".
const pointVariable = "CAMPAIGN_POINT"

// TestMain makes this binary also the product: campaign starts it again under another name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case programName:
		os.Exit(product())
	case agentName:
		os.Exit(agenttest.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	os.Exit(campaign(m))
}

// campaign runs the tests and takes the worlds away that they shared.
func campaign(m *testing.M) int {
	defer shared.remove()
	return m.Run()
}

// product is main.go with a hook at its commits, and with the plainest way to be stopped:
// tests of signals take the real main.
func product() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	executable, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cli.Main(ctx, cli.Env{
		Args: os.Args, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(),
		Dir: dir, Executable: executable, Now: time.Now,
		AtCommit: dieAt(os.Getenv(pointVariable), os.Getenv(traceVariable)),
	})
}

// traceVariable names a file to which every point that is passed is added, a line each.
const traceVariable = "CAMPAIGN_TRACE"

// dieAt returns a hook that kills the process the n-th time that it is at a point.
func dieAt(order, trace string) func(string) {
	where, rest, _ := strings.Cut(order, ":")
	count, whom, _ := strings.Cut(rest, ":")
	n, _ := strconv.Atoi(count)
	return func(point string) {
		if trace != "" {
			if f, err := os.OpenFile(trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
				fmt.Fprintln(f, point)
				f.Close()
			}
		}
		if point != where {
			return
		}
		if n--; n != 0 {
			return
		}
		switch whom {
		case "group":
			_ = syscall.Kill(0, syscall.SIGKILL)
		case "wait":
			fmt.Fprintln(os.Stderr, "waiting at", point)
			for {
				if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "wait")); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}
