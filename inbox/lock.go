package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a busy lock is tried again: a call holds it for a few milliseconds.
const lockRetry = 2 * time.Millisecond

// lockFolder takes the lock file across processes.
// Each call opens the file anew: the system ties such a lock to the open file,
// so two boxes of one process exclude each other just as two processes do.
func lockFolder(ctx context.Context, path string) (unlock func(), err error) {
	file := flock.New(path, flock.SetPermissions(0o600))
	if _, err := file.TryLockContext(ctx, lockRetry); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock the run folder: %w", err)
	}
	return func() { _ = file.Close() }, nil
}
