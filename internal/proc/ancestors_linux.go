package proc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// FromAncestors returns the values that a variable has in the environments of our parent, of its parent and so on,
// the nearest first. What cannot be read, because it is somebody else's, has none.
// A program can empty its own environment, but not the one that its parents were started with.
func FromAncestors(variable string) []string {
	var values []string
	for pid := os.Getppid(); pid > 1; pid = parentOf(pid) {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			continue
		}
		for entry := range strings.SplitSeq(string(environ), "\x00") {
			if value, ok := strings.CutPrefix(entry, variable+"="); ok && value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
	}
	return values
}

// parentOf is 0 for a process that is gone.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// "pid (name) state ppid …", where the name may hold anything.
	words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(words) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(words[1])
	return parent
}
