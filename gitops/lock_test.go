//go:build unix

package gitops_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestLock_RP21(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	linked := repo.LinkedWorktree("agentd/x")
	ctx := t.Context()
	lock, err := repo.Open().Lock(ctx, "x", "plan, process 4711")
	if err != nil {
		t.Fatal(err)
	}
	// From any worktree.
	_, err = linked.Open().Lock(ctx, "x", "impl")
	wantError(t, err, `"x" is locked by plan, process 4711`, "wait")
	other, err := linked.Open().Lock(ctx, "y", "impl")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Unlock(), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	again, err := linked.Open().Lock(ctx, "x", "impl")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unlock(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "../x", "a/b", "a\nb", strings.Repeat("x", 300)} {
		if _, err := repo.Open().Lock(ctx, name, ""); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

// Killed without warning, the holder's lock is free at once; its text is only for the message.
func TestLock_freedByKill_RP21(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	child := start(t, repo, "hold")
	child.await(t, "holding")
	_, err := repo.Open().Lock(t.Context(), "x", "me")
	wantError(t, err, "is locked by the child", "wait")
	child.kill(t)
	lock, err := repo.Open().Lock(t.Context(), "x", "me")
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// While a git command of a killed run is still moving things, its lock is held.
func TestLock_heldByOrphan_RP21(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	gate := filepath.Join(repo.Home, "gate")
	repo.Hook("reference-transaction", fmt.Sprintf(`[ "$1" = prepared ] || exit 0; touch %[1]s.reached; while [ ! -e %[1]s ]; do sleep 0.02; done`, gate))
	child := start(t, repo, "advance")
	waitFor(t, gate+".reached")
	child.kill(t)
	if _, err := repo.Open().Lock(t.Context(), "x", "me"); err == nil {
		t.Fatal("the orphan does not hold the lock")
	}
	if err := os.WriteFile(gate, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		lock, err := repo.Open().Lock(t.Context(), "x", "me")
		if err == nil {
			defer lock.Unlock()
			rec, found, err := lock.Recover(t.Context())
			if err != nil || !found || !rec.Moved {
				t.Errorf("%+v %t %v", rec, found, err)
			}
			if status := repo.Git("status", "--porcelain"); status != "" {
				t.Errorf("status %q", status)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// What the dead run left is removed; what anybody else holds is not.
func TestLock_Recover_RP07_RP22(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got, ctx := repo.Open(), t.Context()
	lock, err := got.Lock(ctx, "x", "me")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if _, found, err := lock.Recover(ctx); found || err != nil {
		t.Errorf("nothing to recover: %t %v", found, err)
	}
	old := repo.Rev("main")
	next, err := got.CommitTree(ctx, request(repo))
	if err != nil {
		t.Fatal(err)
	}
	repo.Write(".git/refs/heads/foreign.lock", "")
	repo.Write(".git/HEAD.lock", "a foreign git's words\n")
	if err := lock.SetIntent(ctx, gitops.Intent{Ref: "refs/heads/main", Old: old, New: next, Note: "challenge"}); err != nil {
		t.Fatal(err)
	}
	repo.Write(".git/refs/heads/main.lock", string(next)+"\n")
	repo.Write(".git/index.lock", "agentd x\n")
	repo.Write(".git/agentd/index.lock", "half")
	repo.Write(".git/agentd/index", "half")
	repo.Write(".git/agentd/files/half", "half")

	rec, found, err := lock.Recover(ctx)
	if err != nil || !found || rec.Moved || rec.Intent.Note != "challenge" || len(rec.Removed) != 2 {
		t.Errorf("%+v %t %v", rec, found, err)
	}
	for path, want := range map[string]bool{
		".git/refs/heads/main.lock": false, ".git/index.lock": false,
		".git/refs/heads/foreign.lock": true, ".git/HEAD.lock": true,
	} {
		if repo.Exists(path) != want {
			t.Errorf("%s exists: %t", path, !want)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(repo.Dir, ".git/HEAD.lock")), os.Remove(filepath.Join(repo.Dir, ".git/refs/heads/foreign.lock"))); err != nil {
		t.Fatal(err)
	}

	// A lock on the index that a living git holds is waited for, and stays.
	if err := lock.SetIntent(ctx, gitops.Intent{Ref: "refs/heads/main", Old: old, New: next}); err != nil {
		t.Fatal(err)
	}
	repo.Git("update-ref", "refs/heads/main", string(next))
	repo.Write(".git/index.lock", "")
	changed, err := got.WriteTree(ctx, repo.Rev("main^{tree}"), someEdits[:1])
	if err != nil {
		t.Fatal(err)
	}
	with, err := got.CommitTree(ctx, gitops.CommitRequest{Tree: changed, Parents: []gitops.ID{old}, Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	repo.Git("update-ref", "refs/heads/main", string(with))
	if err := lock.SetIntent(ctx, gitops.Intent{Ref: "refs/heads/main", Old: old, New: with}); err != nil {
		t.Fatal(err)
	}
	rec, found, err = lock.Recover(ctx)
	if _, ok := errors.AsType[*gitops.LockFileError](err); !ok || !found || !rec.Moved || !repo.Exists(".git/index.lock") {
		t.Errorf("%+v %t %v", rec, found, err)
	}
	if err := os.Remove(filepath.Join(repo.Dir, ".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	if _, found, err = lock.Recover(ctx); !found || err != nil {
		t.Errorf("%t %v", found, err)
	}
	if repo.Read("agentd/changes/x/STATE.yaml") != "phase: challenged\n" || repo.Git("status", "--porcelain") != "" {
		t.Error("the worktree did not follow")
	}
	if _, found, err := lock.Pending(); found || err != nil {
		t.Errorf("still pending: %t %v", found, err)
	}
}

// Several writers without any lock: the compare-and-swap alone lets one through.
func TestUpdateRefs_race_oneWinner(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got, ctx := repo.Open(), t.Context()
	const writers, rounds = 6, 10
	var commits [writers]gitops.ID
	for i := range commits {
		req := request(repo)
		req.Message = strconv.Itoa(i)
		var err error
		if commits[i], err = got.CommitTree(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	for round := range rounds {
		ref := fmt.Sprintf("refs/heads/agentd/r%d", round)
		old := map[bool]gitops.ID{true: repo.Rev("main")}[round%2 == 0] // half of them make the branch
		if !old.IsZero() {
			repo.Git("update-ref", ref, string(old))
		}
		var winner atomic.Int32
		var wins atomic.Int32
		var group sync.WaitGroup
		for i, commit := range commits {
			group.Go(func() {
				err := got.UpdateRefs(ctx, "race", gitops.RefUpdate{Name: ref, Old: old, New: commit})
				if err == nil {
					winner.Store(int32(i))
					wins.Add(1)
				} else if _, ok := errors.AsType[*gitops.MovedError](err); !ok {
					t.Errorf("a loser got %v", err)
				}
			})
		}
		group.Wait()
		if wins.Load() != 1 || repo.Rev(ref) != commits[winner.Load()] {
			t.Fatalf("round %d: %d winners", round, wins.Load())
		}
	}
}

// Under the lock nobody loses: each writer waits for its turn and appends.
func TestLock_race(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	var children []*child
	for range 4 {
		children = append(children, start(t, repo, "append 5"))
	}
	for _, c := range children {
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, c.said())
		}
	}
	if n := repo.Git("rev-list", "--count", "--first-parent", "main"); n != "21" {
		t.Errorf("%s commits, want 21", n)
	}
	if status := repo.Git("status", "--porcelain"); status != "" {
		t.Errorf("status %q", status)
	}
}

// RP-22: a run and every git that it started are killed at a random instant, again and again.
// Afterwards the branch is at the old commit or the new one, the repository is whole, the person's files are untouched,
// and the next run goes on without anybody's help.
func TestAdvance_killed_RP22(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- mine.txt --\nmine\n")
	repo.Write("mine.txt", "edited\n")
	repo.Write("staged.txt", "staged\n")
	repo.Git("add", "staged.txt")
	repo.Write("untracked.txt", "untracked\n")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds, moved, recovered := 15, 0, 0
	for round := range rounds {
		watch := gitopstest.Watch(t, repo)
		before := repo.Rev("main")
		child := start(t, repo, "append 1000")
		child.await(t, "ready")
		time.Sleep(time.Duration(random.IntN(120_000)) * time.Microsecond)
		child.killAll(t)

		// The next run.
		lock, err := repo.Open().Lock(t.Context(), "x", "the next run")
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		rec, found, err := lock.Recover(t.Context())
		if err != nil {
			t.Errorf("round %d: recover: %v", round, err)
		}
		if found {
			recovered++
		}
		if rec.Moved {
			moved++
		}
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
		if repo.Git("rev-list", "--first-parent", string(before)+"..main", "--not", string(before)) == "" && repo.Rev("main") != before {
			t.Errorf("round %d: main is at %s, was at %s", round, repo.Rev("main"), before)
		}
		watch.Check(gitopstest.Moved("refs/heads/main"), gitopstest.Written("agentd/changes/x"))
		if status := repo.Git("status", "--porcelain"); status != " M mine.txt\nA  staged.txt\n?? untracked.txt" {
			t.Errorf("round %d: status\n%s", round, status)
		}
		for _, dir := range []string{".git", ".git/refs/heads"} {
			locks, err := filepath.Glob(filepath.Join(repo.Dir, dir, "*.lock"))
			if err != nil || len(locks) > 0 {
				t.Errorf("round %d: left %v %v", round, locks, err)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d kills between note and end, %d of them after the reference had moved", recovered, rounds, moved)
	advance(t, repo.Open(), "refs/heads/main", someEdits[1])
}

// Under a lock one git serves all readers; where somebody ended it between two of them, the next one has another.
func TestLock_readersOutliveTheirGit(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	lock, err := repo.Open().Lock(t.Context(), "x", "test")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock() //nolint:errcheck // the test is over
	read := func() {
		t.Helper()
		objects, err := lock.Repo().Objects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := objects.CommitAt("refs/heads/main"); err != nil {
			t.Error(err)
		}
		if err := objects.Close(); err != nil {
			t.Error(err)
		}
	}
	read()
	gitops.EndSpareReader(lock)
	read()
}
