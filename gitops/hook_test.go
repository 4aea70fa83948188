//go:build unix

package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// hangs is a hook that waits for something that never comes, and has a child that waits too.
const hangs = "sleep 1000 & echo $! >\"$HOME/child\"; echo Ticket?; wait"

// impatient is how long hooks get in these tests. Nothing is measured: the hook never ends.
const impatient = 2 * time.Second

// childIsGone demands that what the hook started was ended with it.
// Where the tests run on a terminal a hook may use it, and then it is git that ends it, alone.
func childIsGone(t *testing.T, repo *gitopstest.Repo) {
	t.Helper()
	if terminal, err := os.Open("/dev/tty"); err == nil {
		_ = terminal.Close()
		return
	}
	text, err := os.ReadFile(filepath.Join(repo.Home, "child"))
	if errors.Is(err, os.ErrNotExist) {
		return // it was ended before it began
	}
	pid, numberErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err := errors.Join(err, numberErr); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the hook's child %d is still there: %v", pid, err)
	}
}

// endChild ends a hook that git has left alone.
func endChild(repo *gitopstest.Repo) {
	text, _ := os.ReadFile(filepath.Join(repo.Home, "child"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
	}
}

func TestCommitTree_hookHangs_RP11(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hook("commit-msg", hangs)
	watch := gitopstest.Watch(t, repo)
	id, err := repo.Open().LimitHooks(impatient).CommitTree(t.Context(), request(repo))
	wantError(t, err, "the commit-msg hook was not done after 2s", "git hook run commit-msg")
	if !id.IsZero() {
		t.Errorf("commit %s was made", id)
	}
	watch.Check()
	childIsGone(t, repo)
	if left, err := filepath.Glob(filepath.Join(repo.Dir, ".git", "agentd-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	repo.Hook("commit-msg", "exit 0")
	if _, err := repo.Open().CommitTree(t.Context(), request(repo)); err != nil {
		t.Errorf("without the hook: %v", err)
	}
}

// A hook that hangs while references are locked: nothing moves, and no lock is left for the next run.
func TestUpdateRefs_hookHangs_RP11(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"prepared", "committed"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			repo := gitopstest.New(t, hello)
			next := gitops.ID(repo.Git("commit-tree", "-p", "main", "-m", "next", "main^{tree}"))
			repo.Hook("reference-transaction", "test \"$1\" != "+stage+" && exit 0; echo $$ >\"$HOME/child\"; exec sleep 1000")
			t.Cleanup(func() { endChild(repo) })
			move := gitops.RefUpdate{Name: "refs/heads/main", Old: repo.Rev("main"), New: next}
			watch := gitopstest.Watch(t, repo)
			err := repo.Open().LimitHooks(impatient).UpdateRefs(t.Context(), "test", move)
			if err := os.Remove(filepath.Join(repo.Dir, ".git", "hooks", "reference-transaction")); err != nil {
				t.Fatal(err)
			}
			if stage == "committed" {
				// The moment that counts had passed.
				if err != nil || repo.Rev("main") != next {
					t.Errorf("main is at %s: %v", repo.Rev("main"), err)
				}
				return
			}
			wantError(t, err, "the reference-transaction hook was not done after 2s", "git hook run reference-transaction")
			watch.Check()
			if err := repo.Open().UpdateRefs(t.Context(), "test", move); err != nil {
				t.Errorf("without the hook: %v", err)
			}
		})
	}
}
