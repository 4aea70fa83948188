package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime is how long calls under way may still answer after the end of input.
// A pipe that ends right behind its last request is a client in good order.
const drainTime = 500 * time.Millisecond

// conn is the SDK's connection over two streams, with the line filter in front.
type conn struct {
	lines chan line
	in    io.Reader

	closeOnce sync.Once
	closed    chan struct{}

	writing sync.Mutex // held for one line of out
	out     io.Writer

	calls *ledger
	left  chan struct{} // closed when Read reports the end of input
}

var (
	_ sdk.Connection = (*conn)(nil)
	_ sdk.Transport  = transport{}
)

// transport hands one connection to the SDK.
type transport struct{ conn *conn }

func (t transport) Connect(context.Context) (sdk.Connection, error) { return t.conn, nil }

func newConn(in io.Reader, out io.Writer) *conn {
	c := &conn{
		lines:  make(chan line),
		in:     in,
		closed: make(chan struct{}),
		out:    out,
		calls:  newLedger(),
		left:   make(chan struct{}),
	}
	go c.readLines()
	return c
}

// readLines feeds Read, which must be able to stop waiting while the input is silent.
// It ends with the input, or with the first line after Close.
func (c *conn) readLines() {
	reader := newLineReader(c.in)
	for {
		l := reader.next()
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// Read returns the next message that is fit for the SDK and answers all others itself.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			if l.err != nil {
				return nil, c.end(l.err)
			}
			message, err := c.admit(l)
			if message != nil || err != nil {
				return message, err
			}
		}
	}
}

// admit lets a line through, or answers it; then the message is nil.
func (c *conn) admit(l line) (jsonrpc.Message, error) {
	message, refused := judge(l)
	if refused == nil {
		refused = c.calls.note(message)
	}
	if refused != nil {
		return nil, c.writeLine(refused.encode())
	}
	return message, nil
}

// Write sends a message, unless it answers a call that the client has cancelled.
func (c *conn) Write(ctx context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok {
		defer c.calls.settle(response.ID)
		if c.calls.isCancelled(response.ID) {
			return nil
		}
		response.Error = withCode(response.Error)
	}
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return c.writeLine(data)
}

// withCode gives the SDK's bare errors the code they lack: JSON-RPC knows no code 0.
func withCode(err error) error {
	if err == nil {
		return nil
	}
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok && coded.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// writeLine sends one line in one piece.
func (c *conn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	select {
	case <-c.closed:
		return io.ErrClosedPipe
	default:
	}
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// end waits shortly for the calls under way and returns what Read shall say about the end of input.
func (c *conn) end(reason error) error {
	defer close(c.left)
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-c.calls.drain():
	case <-timer.C:
	case <-c.closed:
	}
	if isEnd(reason) {
		return io.EOF
	}
	return fmt.Errorf("read: %w", reason)
}

// isEnd reports the errors that only say that a stream is at its end.
func isEnd(err error) bool {
	for _, end := range []error{io.EOF, io.ErrClosedPipe, fs.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// Close ends Read and Write, and the input where it can be ended.
func (c *conn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		if closer, ok := c.in.(io.Closer); ok {
			_ = closer.Close() // it only has to wake the reader
		}
	})
	return nil
}

// SessionID is for transports with more than one session.
func (c *conn) SessionID() string { return "" }
