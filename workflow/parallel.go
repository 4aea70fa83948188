package workflow

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel does n pieces of work that only compute, on all processors, and returns the error of the first piece that has one.
// Pieces are begun in order; what they make belongs into places of their own, so that the outcome does not depend on who was first.
func inParallel(n int, work func(i int) error) error {
	errs := make([]error, n)
	var begun atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(begun.Add(1)) - 1; i < n; i = int(begun.Add(1)) - 1 {
				errs[i] = work(i)
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
