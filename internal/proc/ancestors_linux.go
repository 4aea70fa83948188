package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// AncestorHasOpen reports whether our parent, or its parent and so on, has a file below a folder open.
// A program can empty its own environment, but not choose whose child it is: what loses its parent in a supervised run
// becomes the child of who supervises it. What cannot be read, because it is somebody else's, has nothing open.
func AncestorHasOpen(folder string) bool {
	for pid := os.Getppid(); pid > 1; pid = parentOf(pid) {
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is ours
		for _, file := range open {
			if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, folder+"/") {
				return true
			}
		}
	}
	return false
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
