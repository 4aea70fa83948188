package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// sample is what one command costs: the median time of several runs, and its largest memory.
type sample struct {
	time time.Duration
	peak int64 // bytes; 0 where it is not known
}

// prepare builds the program as it is released, and an environment without anybody's configuration.
func (b *bench) prepare(ctx context.Context, environ []string) error {
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		return err
	}
	b.dir = dir
	if b.git, err = exec.LookPath("git"); err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	config := "[user]\n\tname = Bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666); err != nil {
		return err
	}
	// The build needs the caller's environment, what is measured does not.
	b.environ = environ
	b.program = b.executable(dir, "gh-agentd")
	if err := b.build(ctx, "github.com/agentd/gh-agentd", "", b.program); err != nil {
		return err
	}
	b.environ = append(slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "XDG_") || strings.HasPrefix(entry, "HOME=")
	}), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "DO_NOT_TRACK=1")
	return nil
}

func (b *bench) build(ctx context.Context, pkg, dir, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Dir, cmd.Env = dir, append(slices.Clip(b.environ), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	return nil
}

// once runs a command that must end well, and returns what it printed.
func (b *bench) once(ctx context.Context, dir string, in io.Reader, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, complaints bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, b.environ, in, &out, &complaints
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, complaints.String())
	}
	return out.String(), nil
}

// contender is one command of a race, and where it runs.
type contender struct {
	dir   string
	argv  []string
	in    string     // its standard input
	reset [][]string // commands that undo it, run before it and not measured
}

// race runs commands in turns, so that a busy moment of the machine meets all of them.
func (b *bench) race(ctx context.Context, dir string, commands ...[]string) ([]sample, error) {
	all := make([]contender, len(commands))
	for i, argv := range commands {
		all[i] = contender{dir: dir, argv: argv}
	}
	return b.contest(ctx, all)
}

// contest is a race of commands in different folders, of which some have to be undone before they can run again.
func (b *bench) contest(ctx context.Context, all []contender) ([]sample, error) {
	times := make([][]time.Duration, len(all))
	samples := make([]sample, len(all))
	for round := range b.runs + 1 {
		for i, c := range all {
			if err := b.reset(ctx, c); err != nil {
				return nil, err
			}
			began := time.Now()
			_, err := b.once(ctx, c.dir, strings.NewReader(c.in), c.argv...)
			took := time.Since(began)
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first warms caches
				times[i] = append(times[i], took)
			}
		}
	}
	for i, c := range all {
		if err := b.reset(ctx, c); err != nil {
			return nil, err
		}
		peak, err := b.peak(ctx, c)
		if err != nil {
			return nil, err
		}
		samples[i] = sample{time: median(times[i]), peak: peak}
	}
	return samples, nil
}

func (b *bench) reset(ctx context.Context, c contender) error {
	for _, argv := range c.reset {
		if _, err := b.once(ctx, c.dir, nil, argv...); err != nil {
			return err
		}
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// executable is a program's path, with the ending that the system wants.
func (b *bench) executable(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// write makes a file, with its folders.
func write(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
}
