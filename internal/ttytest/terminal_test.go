//go:build unix

package ttytest_test

import (
	"os/exec"
	"testing"

	"github.com/agentd/gh-agentd/internal/ttytest"
)

// A program that goes on reading is told when its terminal is gone.
func TestTerminal_hangsUpWhileItIsRead(t *testing.T) {
	cmd := exec.Command("cat", "-u")
	terminal, err := ttytest.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := terminal.Type("hello\n"); err != nil || !terminal.Await("hello\r\nhello\r\n") {
		t.Fatalf("error %v, shown %q", err, terminal.Close())
	}
	if err := terminal.HangUp(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it reads the end or gets the signal, whichever comes first; without either it waits for ever
}
