//go:build unix

package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentd/gh-agentd/gitops"
)

// playRole is the life of a child process of the tests.
func playRole(role string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	verb, number, _ := strings.Cut(role, " ")
	times, _ := strconv.Atoi(number)
	repo, err := gitops.Open(ctx, gitops.Env{Dir: dir, Environ: os.Environ()})
	if err == nil {
		fmt.Println("ready")
		switch verb {
		case "hold":
			err = hold(ctx, repo)
		case "advance":
			err = appendOnce(ctx, repo, 0)
		case "full":
			err = full(ctx, repo, number)
		case "append":
			for n := 0; n < times && err == nil; n++ {
				err = appendOnce(ctx, repo, n)
			}
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func hold(ctx context.Context, repo *gitops.Repo) error {
	lock, err := repo.Lock(ctx, "x", "the child")
	if err != nil {
		return err
	}
	fmt.Println("holding")
	<-ctx.Done()
	return lock.Unlock()
}

// full makes a transition with a disk that takes no file over 24 KiB.
// Random content does not fit as an object; zeros do, and do not fit as a file.
func full(ctx context.Context, repo *gitops.Repo, what string) (err error) {
	content := make([]byte, 64<<10)
	if what == "object" {
		for i := range content {
			content[i] = byte(rand.Uint32())
		}
	}
	limit := syscall.Rlimit{Cur: 24 << 10, Max: 24 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	lock, err := repo.Lock(ctx, "x", "the child")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	objects, err := repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	tip, err := objects.CommitAt("refs/heads/main")
	if err != nil {
		return err
	}
	old := tip.ID
	tree, err := objects.WriteTree(ctx, tip.Tree, []gitops.Edit{
		{Path: "agentd/changes/x/STATE.yaml", Content: []byte("phase: challenged\n")},
		{Path: "agentd/changes/x/proposal.md", Content: content},
	})
	if err != nil {
		return err
	}
	next, err := repo.CommitTree(ctx, gitops.CommitRequest{Tree: tree, Parents: []gitops.ID{old}, Message: "big"})
	if err != nil {
		return err
	}
	left, moved, err := lock.Advance(ctx, gitops.Advance{Ref: "refs/heads/main", Old: old, New: next})
	fmt.Println("moved", moved, "left", len(left))
	return err
}

// appendOnce waits for the lock and makes one transition on main.
func appendOnce(ctx context.Context, repo *gitops.Repo, n int) (err error) {
	var lock *gitops.Lock
	for {
		lock, err = repo.Lock(ctx, "x", "the child")
		if _, held := errors.AsType[*gitops.LockedError](err); !held || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, _, err := lock.Recover(ctx); err != nil {
		return err
	}
	under := lock.Repo()
	objects, err := under.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	tip, err := objects.CommitAt("refs/heads/main")
	if err != nil {
		return err
	}
	old := tip.ID
	state := fmt.Sprintf("by %d, number %d\n", os.Getpid(), n)
	tree, err := objects.WriteTree(ctx, tip.Tree, []gitops.Edit{
		{Path: "agentd/changes/x/STATE.yaml", Content: []byte(state)},
		{Path: fmt.Sprintf("agentd/changes/x/specs/%d.md", n%7), Content: []byte(state)},
		{Path: fmt.Sprintf("agentd/changes/x/specs/%d.md", (n+3)%7), Delete: true},
	})
	if err != nil {
		return err
	}
	next, err := under.CommitTree(ctx, gitops.CommitRequest{Tree: tree, Parents: []gitops.ID{old}, Message: state})
	if err != nil {
		return err
	}
	left, _, err := lock.Advance(ctx, gitops.Advance{Ref: "refs/heads/main", Old: old, New: next, Reason: "append"})
	if err == nil && len(left) > 0 {
		return fmt.Errorf("left %q", left)
	}
	return err
}
