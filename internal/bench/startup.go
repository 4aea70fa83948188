package main

import (
	"context"
	"path/filepath"
)

// startup compares the program that only says its version with a program that does nothing at all.
func (b *bench) startup(ctx context.Context) error {
	dir := filepath.Join(b.dir, "empty")
	for name, text := range map[string]string{
		"go.mod":  "module example.com/empty\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	empty := b.executable(dir, "empty")
	if err := b.build(ctx, ".", dir, empty); err != nil {
		return err
	}
	const more = 3 // it is short, and the difference is small
	quick := *b
	quick.runs = b.runs * more
	got, err := quick.race(ctx, dir, []string{b.program, "version"}, []string{empty}, []string{b.git, "--version"})
	if err != nil {
		return err
	}
	b.table.add("start-up (version)", got[0], "empty Go program", got[1])
	b.table.add("start-up (version)", got[0], "git --version", got[2])
	return nil
}
