//go:build !unix

package proc_test

import "syscall"

// ownSession changes nothing: there are no sessions here.
func ownSession() *syscall.SysProcAttr { return nil }
