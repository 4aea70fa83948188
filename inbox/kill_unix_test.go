//go:build unix

package inbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/inbox"
)

// killedFolder tells a child process of the test binary to write into a run folder until it is killed.
const killedFolder = "AGENTD_TEST_WRITE_UNTIL_KILLED"

// TestBox_Call_killedMidWrite kills a writing process at arbitrary moments:
// what is left is the document before or after a call, never a part, and the folder is not locked.
func TestBox_Call_killedMidWrite_MC15(t *testing.T) {
	if dir := os.Getenv(killedFolder); dir != "" {
		writeUntilKilled(t, dir)
	}
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "tasks-gen", Created: created, MaxCalls: 1 << 30}, files())
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		cmd := exec.CommandContext(t.Context(), executable, "-test.run=^TestBox_Call_killedMidWrite_MC15$")
		cmd.Env = append(os.Environ(), killedFolder+"="+b.Dir(), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it has begun
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()

		wholeTasks(t, file(t, b, "tasks.md"))
		call(t, b, "list_specs", object{}) // the lock went with the process
		if _, err := b.Calls(); err != nil {
			t.Error(err)
		}
	}
}

// writeUntilKilled is the child.
func writeUntilKilled(t *testing.T, dir string) {
	b, err := inbox.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		_, err := b.Call(t.Context(), "create_tasks", encode(t, tasks([]int{1, 400}[i%2])))
		if _, ok := errors.AsType[*inbox.ToolError](err); err != nil && !ok {
			t.Fatal(err)
		}
		if i == 0 {
			fmt.Println("begun")
		}
	}
}

// wholeTasks accepts the short and the long list, and nothing between.
func wholeTasks(t *testing.T, text string) {
	t.Helper()
	n := strings.Count(text, "Write the handler")
	if n != 1 && n != 400 || !strings.HasSuffix(text, "\n") {
		t.Errorf("tasks.md has %d tasks and ends %q", n, text[max(0, len(text)-40):])
	}
}
