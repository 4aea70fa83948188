package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	lockPatience = 5 * time.Second // how long we wait for a lock file of git's
	lockPoll     = 20 * time.Millisecond
)

// awaitGone waits until a lock file of git's has disappeared, and says so once.
// It never removes one: another git may be at work. After 5 s the answer is a [*LockFileError].
func (r *Repo) awaitGone(ctx context.Context, path string) error {
	deadline := time.Now().Add(lockPatience)
	for told := false; ; told = true {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return &LockFileError{Path: path, Age: time.Since(info.ModTime())}
		}
		if !told {
			r.tell(fmt.Sprintf("waiting for %s", path))
		}
		if err := pause(ctx, lockPoll); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
