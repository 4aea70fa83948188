package gitops

import (
	"context"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Init makes a new repository with the named branch to begin on, and opens it.
func Init(ctx context.Context, env Env, branch string) (*Repo, error) {
	path, _ := lookup(env.Environ, "PATH")
	program, err := proc.Look("git", path)
	if err != nil {
		return nil, &VersionError{Need: Floor}
	}
	args := []string{"init", "--quiet", "--initial-branch=" + branch, "--template="}
	res, err := proc.Run(ctx, proc.Cmd{Path: program, Args: args, Dir: env.Dir, Env: env.Environ})
	if err := gitError(call{args: args}, res, err); err != nil {
		return nil, err
	}
	return Open(ctx, env)
}

// CommitAll commits everything that stands in the worktree, as a person would with `git add --all` and `git commit`.
func (r *Repo) CommitAll(ctx context.Context, message string) error {
	if _, err := r.git(ctx, call{args: []string{"add", "--all"}, voice: personal}); err != nil {
		return err
	}
	_, err := r.git(ctx, call{args: []string{"commit", "--quiet", "--file=-"}, in: []byte(message), voice: personal})
	return err
}
