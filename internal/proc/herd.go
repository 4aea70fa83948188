//go:build !linux

package proc

import (
	"fmt"
	"os"
	"time"
)

// herd is a program and what came of it: here, its process group.
// Without /proc, processes that left the group are not found.
type herd struct{ leader *os.Process }

func newHerd(_ string, leader *os.Process) *herd { return &herd{leader: leader} }

func (h *herd) signal(s step) { signalGroup(h.leader, s) }

func (h *herd) remember() {}

// dissolve waits for the group to leave, then terminates and kills it, and says so.
func (h *herd) dissolve(patience time.Duration) []string {
	if h.gone(patience) {
		return nil
	}
	left := []string{fmt.Sprintf("process group %d", h.leader.Pid)}
	h.signal(terminateAll)
	if !h.gone(patience) {
		h.signal(kill)
		h.gone(time.Second)
	}
	return left
}

func (h *herd) gone(patience time.Duration) bool {
	for deadline := time.Now().Add(patience); groupExists(h.leader); {
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(10 * time.Millisecond)
	}
	return true
}

func adoptOrphans() {}

// EndStrays finds nobody: only /proc shows what a process was started with.
func EndStrays(string, time.Duration) []string { return nil }
