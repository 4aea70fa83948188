//go:build unix

package agenttest

import (
	"os"
	"syscall"

	"github.com/agentd/gh-agentd/internal/proc"
)

// leaveChild starts a process that nobody waits for and that holds our output open.
func (a *agent) leaveChild(setsid, bare, deaf bool) error {
	shell, err := proc.Look("sh", a.env.get("PATH"))
	if err != nil {
		return err
	}
	commands := "exec sleep 600"
	if deaf {
		commands = "trap '' INT TERM HUP; while :; do sleep 600; done"
	}
	env := []string(a.env)
	if bare {
		env = []string{"PATH=" + a.env.get("PATH")}
	}
	child, err := os.StartProcess(shell, []string{"sh", "-c", commands}, &os.ProcAttr{
		Env: env, Files: []*os.File{nil, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: setsid},
	})
	if err != nil {
		return err
	}
	return child.Release()
}

func makePipe(path string) error { return syscall.Mkfifo(path, 0o644) }
