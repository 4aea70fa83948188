//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package gitops

import (
	"errors"
	"os"
	"syscall"
)

// tryLock uses flock, whose lock belongs to the open file and so to every process that inherits it.
// It is given back by closing, never by unlocking, which would take it from the heirs as well.
func tryLock(file *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}
