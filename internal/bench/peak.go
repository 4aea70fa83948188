package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// launcher runs a command and prints the command's largest resident memory.
// It is a process of its own because a child's peak begins with that of whoever started it,
// and this one, having made whole repositories, is large.
const launcher = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
`

// peak is the largest resident memory of a command in bytes, 0 where the system does not tell.
func (b *bench) peak(ctx context.Context, c contender) (int64, error) {
	if runtime.GOOS == "windows" {
		return 0, nil
	}
	folder := filepath.Join(b.dir, "launcher")
	program := filepath.Join(folder, "launcher")
	if !b.launching {
		for name, text := range map[string]string{"go.mod": "module example.com/launcher\n\ngo 1.26\n", "main.go": launcher} {
			if err := write(filepath.Join(folder, name), text); err != nil {
				return 0, err
			}
		}
		if err := b.build(ctx, ".", folder, program); err != nil {
			return 0, err
		}
		b.launching = true
	}
	out, err := b.once(ctx, c.dir, strings.NewReader(c.in), append([]string{program}, c.argv...)...)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("peak of %s: %w", c.argv[0], err)
	}
	if runtime.GOOS != "darwin" { // which counts bytes, where others count KiB
		n *= 1024
	}
	return n, nil
}
