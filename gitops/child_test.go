//go:build unix

package gitops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// The test binary is also the program that is killed: it is told what to do by a variable.
const roleVar = "GITOPS_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(playRole(role))
	}
	os.Exit(m.Run())
}

// child is this test binary playing a role, in a process group of its own with everything that it starts.
type child struct {
	cmd *exec.Cmd
	log string
}

func start(t *testing.T, repo *gitopstest.Repo, role string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self), log: filepath.Join(t.TempDir(), "log")}
	out, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = repo.Dir, out, out
	c.cmd.Env = append(append([]string{}, repo.Environ...), roleVar+"="+role)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *child) said() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (c *child) await(t *testing.T, word string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(c.said(), word); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the child never said %q: %s", word, c.said())
		}
	}
}

// kill ends the child alone, and leaves what it started.
func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // killed
}

// killAll ends the child and all its descendants at once, as a power cut would.
func (c *child) killAll(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // killed
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s never appeared", path)
		}
	}
}
