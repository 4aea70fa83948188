// Package proc starts other programs, and is the only package of gh-agentd that may import os/exec.
//
// It owns four things:
// finding a program on a PATH that the caller hands over ([Look]);
// running a short one and reading what it said ([Run]);
// keeping a long one at the other end of two pipes ([Start]);
// and, with [Cmd.Group], running a program that nobody trusts:
// in a process group of its own, against a wall and an idle limit,
// stopped in steps, with everything it started stopped too, also what left the group.
//
// Beside that it makes foreign output harmless:
// [Tail] bounds it, [Clean] makes it fit for a terminal, [Redactor] blanks known secrets.
//
// It does not know git, agents or any other program,
// it never reads this process's own environment, and it never goes through a shell.
//
//	git, err := proc.Look("git", path)
//	if err != nil {
//		return err
//	}
//	res, err := proc.Run(ctx, proc.Cmd{Path: git, Args: []string{"rev-parse", "HEAD"}, Dir: dir, Env: environ})
//	if exit, ok := errors.AsType[*proc.ExitError](err); ok && exit.Code == 128 {
//		return fmt.Errorf("no commit yet: %w", err)
//	}
package proc
