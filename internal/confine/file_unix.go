//go:build unix

package confine

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe, and from following a last symbolic link.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// links is the number of names that a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
