package mcp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
)

// serveFolder makes the test binary a server on a run folder, as the mcp command is one.
const serveFolder = "AGENTD_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveFolder); dir != "" {
		os.Exit(serveProcess(dir))
	}
	goleak.VerifyTestMain(m)
}

func serveProcess(dir string) int {
	box, err := inbox.Open(dir)
	if err == nil {
		err = mcp.Serve(context.Background(), mcp.Options{Box: box, Version: "test", In: os.Stdin, Out: os.Stdout})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
