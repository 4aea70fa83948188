package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// pushing compares pushes that our hooks see with the same pushes without hooks.
// They are dry runs to a repository on the same disk: git asks the other side, runs the hook, and sends nothing.
func (b *bench) pushing(ctx context.Context) error {
	dir, err := b.manyChanges(ctx, "pushed", b.commits)
	if err != nil {
		return err
	}
	remote := filepath.Join(b.dir, "remote.git")
	for _, args := range [][]string{
		{b.git, "init", "--quiet", "--bare", remote},
		{b.git, "remote", "add", "origin", remote},
		{b.git, "push", "--quiet", "origin", "main", "refs/heads/agentd/*:refs/heads/agentd/*"},
		{b.git, "-C", remote, "pack-refs", "--all"},
		{b.git, "-C", remote, "update-ref", "-d", "refs/heads/agentd/" + changeName(0)},
		{b.program, "hook", "install"},
		{b.git, "commit", "--quiet", "--allow-empty", "--message", "Something to push"},
		{b.git, "branch", "feature"},
	} {
		if _, err := b.once(ctx, dir, nil, args...); err != nil {
			return err
		}
	}
	// What is measured must be true: the change is judged.
	if _, err := b.once(ctx, dir, strings.NewReader("x"), b.program, "hook", "run", "pre-push", "origin"); err == nil {
		return fmt.Errorf("the hook did not read what it was given")
	}
	push := func(hooks bool, refs ...string) []string {
		argv := []string{b.git}
		if !hooks {
			argv = append(argv, "-c", "core.hooksPath="+filepath.Join(b.dir, "no-hooks"))
		}
		return append(append(argv, "push", "--quiet", "--dry-run", "origin"), refs...)
	}
	for _, kind := range []struct{ what, ref string }{
		{"another branch", "feature"},
		{"main", "main"},
		{"a new change", "agentd/" + changeName(0)},
	} {
		got, err := b.race(ctx, dir, push(false, kind.ref), push(true, kind.ref))
		if err != nil {
			return err
		}
		b.table.add("push of "+kind.what, got[1], "without hooks", got[0])
	}
	return nil
}
