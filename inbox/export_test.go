package inbox

import "context"

// HoldLock takes the lock of a run folder as a call does, for tests that need it busy.
func HoldLock(ctx context.Context, b *Box) (free func(), err error) { return b.lock(ctx) }
