package proc

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel terminate an isolated program when we are killed in a way that leaves no time to do it.
// Our parenthood ends, for the kernel, with the thread that starts the program.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }
