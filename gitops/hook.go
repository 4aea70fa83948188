package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// hookWall bounds a hook of the user's that waits for something that never comes.
// Hooks that lint a message or ask a server take seconds; one that builds the project belongs to another place.
const hookWall = 5 * time.Minute

// patience is how long such a hook gets.
func (r *Repo) patience() time.Duration {
	if r.hookWall > 0 {
		return r.hookWall
	}
	return hookWall
}

// hasTerminal says whether this process belongs to a terminal, which has nothing to do with where its output goes.
func hasTerminal() bool {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = terminal.Close() // it was only looked at
	return true
}

// throughHook lets the commit-msg hook see the message, and returns what it left.
func (r *Repo) throughHook(ctx context.Context, message string) (after string, err error) {
	if !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	if there, err := r.mayHaveHook(ctx, "commit-msg"); err != nil || !there {
		return message, err
	}
	file, err := os.CreateTemp(r.gitDir, messageFile+"*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(message)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	cmd := r.command(call{args: []string{"hook", "run", "--ignore-missing", "commit-msg", "--", file.Name()}, voice: personal})
	cmd.Limits.Wall = r.patience()
	// Where there is a terminal the hook may ask its question there, and stays in our process group:
	// whoever reads from a terminal must be in its foreground.
	// Where there is none, the hook is ended together with everything that it started.
	cmd.Group = !hasTerminal()
	res, err := proc.Run(ctx, cmd)
	if _, hangs := errors.AsType[*proc.LimitError](err); hangs {
		return "", &HookLimitError{Hook: "commit-msg", Limit: cmd.Limits.Wall, Output: proc.Clean(string(res.Stderr) + string(res.Stdout))}
	}
	if _, refused := errors.AsType[*proc.ExitError](err); refused {
		return "", &HookError{Hook: "commit-msg", Code: res.ExitCode, Output: proc.Clean(string(res.Stderr) + string(res.Stdout))}
	}
	if err != nil {
		return "", fmt.Errorf("run the commit-msg hook: %w", err)
	}
	content, err := os.ReadFile(file.Name())
	return string(content), err
}

// mayHaveHook spares a process where there is certainly no such hook.
func (r *Repo) mayHaveHook(ctx context.Context, name string) (bool, error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return false, err
	}
	for key := range settings {
		if strings.HasPrefix(key, "hook.") { // newer versions of git know hooks from the configuration
			return true, nil
		}
	}
	dir, set, err := r.Config(ctx, "core.hooksPath")
	switch {
	case err != nil:
		return false, err
	case !set:
		dir = filepath.Join(r.commonDir, "hooks")
	case strings.HasPrefix(dir, "~") || strings.HasPrefix(dir, "%"):
		return true, nil // git knows what that means
	case !filepath.IsAbs(dir):
		dir = filepath.Join(r.home(), dir)
	}
	_, err = os.Stat(filepath.Join(dir, name))
	return !errors.Is(err, os.ErrNotExist), nil
}

// messageFile begins the name of the file in which the commit-msg hook sees a message of ours.
const messageFile = "agentd-commit-msg-"

// IsOwnMessage says whether the file that a commit-msg hook was given holds the message of a commit of ours.
// git itself names that file COMMIT_EDITMSG or MERGE_MSG, and nobody who runs `git commit` can make it choose another name.
func IsOwnMessage(file string) bool { return strings.HasPrefix(filepath.Base(file), messageFile) }
