package proc

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// candidates are the file names a program may have.
func candidates(path string) []string {
	if strings.Contains(strings.ToLower(path), ".exe") {
		return []string{path}
	}
	return []string{path + ".exe", path + ".com", path}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// terminate ends a process: there is no signal to ask it with.
func terminate(p *os.Process) error { return p.Kill() }

func signalOf(*os.ProcessState) syscall.Signal { return 0 }

func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup can only end the program itself; its children are not reached without a job object.
func signalGroup(leader *os.Process, s step) {
	if s > interrupt {
		_ = leader.Kill() // it may be gone
	}
}

func groupExists(*os.Process) bool { return false }

// dieWithParent is beyond this system.
func dieWithParent(*exec.Cmd) {}
