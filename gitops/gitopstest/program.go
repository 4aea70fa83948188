package gitopstest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a file that can be executed at once.
// A process that another test forks meanwhile inherits the file open for writing,
// and until it is another program the kernel answers "text file busy" (golang/go#22315): no fork happens while it is written.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
