// Command gh-agentd keeps a team's spec-driven, agent-written changes in their git history.
//
// It runs as a GitHub CLI extension (`gh agentd plan …`) and by itself.
// This file is the border to the process: arguments, streams, environment, signals and the exit code.
// Everything else is in package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/agentd/gh-agentd/cli"
)

func main() { os.Exit(run()) }

// run is main with deferred calls that still happen.
func run() int {
	collectLess()
	ctx, force, stop := untilSignal(context.Background())
	defer stop()

	// Both fail only where the process itself is in ruins, and then a command that needs them says so:
	// in a deleted working directory `version` still answers.
	dir, _ := os.Getwd()
	executable, _ := os.Executable()
	return cli.Main(ctx, cli.Env{
		Args:       os.Args,
		In:         os.Stdin,
		Out:        os.Stdout,
		Err:        os.Stderr,
		Environ:    os.Environ(),
		Dir:        dir,
		Executable: executable,
		Now:        time.Now,
		Force:      force,
	})
}

// collectLess lets garbage grow to four times what is in use, unless the person says otherwise.
// Little is in use at any moment, and a run is over before most of it would matter:
// listing 1,000 changes takes 3 MiB more, and 75 instead of 88 ms of processor time.
func collectLess() {
	const percent = 400
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// lastWords is how long a run that was told twice to stop has for killing its agents.
const lastWords = 2 * time.Second

// untilSignal returns a context that the first Ctrl-C, SIGTERM or SIGHUP cancels:
// agents are asked to stop, and what is committed stays.
// The second one closes force: agents are killed, and soon after the process ends, whatever it waits for.
func untilSignal(parent context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(parent)
	force := make(chan struct{})
	over := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)

	var watch sync.WaitGroup
	watch.Go(func() {
		for _, act := range []func(){cancel, func() { close(force) }} {
			select {
			case <-signals:
				act()
			case <-over:
				return
			}
		}
		select {
		case <-signals:
		case <-time.After(lastWords):
		case <-over:
			return
		}
		os.Exit(cli.ExitInterrupted)
	})
	return ctx, force, func() {
		signal.Stop(signals)
		close(over)
		watch.Wait()
		cancel()
	}
}
