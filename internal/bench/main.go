package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what all measurements share.
type bench struct {
	dir     string   // everything is made in here
	program string   // the binary under test
	git     string   // git, as found in PATH
	rival   string   // OpenSpec's program, as the caller names it
	environ []string // of every process that is measured
	changes int
	commits int
	files   []int
	runs    int
	log     io.Writer
	table   table

	launching bool // the launcher is built
}

func run(ctx context.Context, args []string, out, log io.Writer) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(log)
	changes := flags.Int("changes", 1000, "how many `changes` to list")
	commits := flags.Int("commits", 50000, "how many `commits` the repository has in which pushes are judged")
	files := flags.String("files", "400,20000", "sizes of the repositories to commit in, in `files`")
	runs := flags.Int("runs", 21, "how often each command is `run`; the median counts")
	only := flags.String("only", "", "one `part`: startup, read, append, push, archive, conflicts or why")
	openSpec := flags.String("openspec", "openspec", "OpenSpec's `program`, to compare archive with it")
	dir := flags.String("dir", "", "make everything in this `folder` and keep it (default a temporary one)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b := &bench{dir: *dir, rival: *openSpec, changes: max(*changes, 1), commits: max(*commits, 0), runs: max(*runs, 1), log: log}
	for word := range strings.SplitSeq(*files, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return fmt.Errorf("-files: %q is not a number of files", word)
		}
		b.files = append(b.files, n)
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "agentd-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	if err := b.prepare(ctx, os.Environ()); err != nil {
		return err
	}
	parts := []struct {
		name string
		run  func(context.Context) error
	}{{"startup", b.startup}, {"read", b.reading}, {"append", b.appending}, {"push", b.pushing}, {"archive", b.archiving}, {"conflicts", b.forecasting}, {"why", b.explaining}}
	known := *only == ""
	for _, part := range parts {
		if *only != "" && *only != part.name {
			continue
		}
		known = true
		began := time.Now()
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Fprintf(log, "measured %s in %s\n", part.name, time.Since(began).Round(time.Second))
	}
	if !known {
		return fmt.Errorf("-only: there is no part %q", *only)
	}
	return b.table.write(out)
}
