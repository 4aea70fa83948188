//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

const exeSuffix = ""

// peakOf is the largest resident memory of an ended process. Linux counts in KiB, Darwin in bytes.
func peakOf(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) //nolint:unconvert // int32 elsewhere
	}
	return int64(usage.Maxrss) * 1024 //nolint:unconvert // int32 elsewhere
}
