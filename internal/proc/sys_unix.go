//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// candidates are the file names a program may have. Here it has one.
func candidates(path string) []string { return []string{path} }

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// terminate asks one process to end, without going on to its group.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// signalOf is the signal that ended a process, or 0.
func signalOf(state *os.ProcessState) syscall.Signal {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}

// isolate gives a program a process group of its own.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func signalGroup(leader *os.Process, s step) {
	sig := [...]syscall.Signal{interrupt: syscall.SIGINT, terminateAll: syscall.SIGTERM, kill: syscall.SIGKILL}[s]
	_ = syscall.Kill(-leader.Pid, sig) // a group that is gone needs no signal
	// A member that is stopped, by reading from the terminal say, hears the others only after this.
	_ = syscall.Kill(-leader.Pid, syscall.SIGCONT)
}
