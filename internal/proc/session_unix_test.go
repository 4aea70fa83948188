//go:build unix

package proc_test

import "syscall"

// ownSession makes a child leave our session and process group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
