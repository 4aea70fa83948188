package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/specs"
)

// leaveTime is how long a tool that was told to stop may take before the server leaves without it.
// Together with drainTime it keeps the promise to be gone within a second of the end of input.
const leaveTime = 250 * time.Millisecond

// Options says what is served, and over which streams.
type Options struct {
	Box *inbox.Box // the run to serve; nil serves the read-only tools over Reader

	Change     string                // the change to serve where Box is nil
	Reader     Reader                // required where Box is nil
	Validation specs.ValidateOptions // of validate_change where Box is nil

	Version string       // of this program, told to clients
	In      io.Reader    // required; closed at the end if it is an io.Closer
	Out     io.Writer    // required; gets lines of JSON and nothing else
	Log     *slog.Logger // nil is silent
}

// Reader is where the read-only tools read a change from.
type Reader interface {
	// Files returns the change's folder, names relative to it.
	Files(ctx context.Context) (map[string][]byte, error)
	// ChangedFiles returns the files outside agentd/ that the change touches.
	ChangedFiles(ctx context.Context) ([]string, error)
}

// Serve answers requests until In ends or ctx is done, and returns nil or ctx's error.
//
// After the end of In it is gone within a second, even while a tool runs:
// calls under way may still answer for a moment, and are cancelled then.
// Neither a bad line nor a tool that panics ends the session.
func Serve(ctx context.Context, opts Options) error {
	tools, err := opts.tools()
	if err != nil {
		return err
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	server := sdk.NewServer(
		&sdk.Implementation{Name: "agentd", Version: opts.Version},
		&sdk.ServerOptions{
			Instructions: tools.instructions(),
			Logger:       log,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // the list never changes
		},
	)
	tools.register(server, log)

	conn := newConn(opts.In, opts.Out)
	defer conn.Close()
	session, err := server.Connect(ctx, transport{conn}, nil)
	if err != nil {
		return fmt.Errorf("start MCP server: %w", err)
	}
	return wait(ctx, conn, session)
}

// wait returns when the session is over, or when it should be and a tool does not let go.
func wait(ctx context.Context, conn *conn, session *sdk.ServerSession) error {
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()

	select {
	case err := <-over:
		return ignoreEnd(err)
	case <-conn.left:
	case <-ctx.Done():
		// The reader sees the end now, and the SDK cancels the calls under way.
		conn.Close()
	}
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case err := <-over:
		return errors.Join(ctx.Err(), ignoreEnd(err))
	case <-timer.C:
		return ctx.Err()
	}
}

// ignoreEnd drops the errors that only say that one side has gone.
func ignoreEnd(err error) error {
	if isEnd(err) {
		return nil
	}
	return err
}
