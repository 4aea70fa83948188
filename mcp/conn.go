package mcp

import (
	"context"
	"encoding/json"
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

const (
	// drainTime is how long calls under way may still answer after the end of input.
	// A pipe that ends right behind its last request is a client in good order.
	drainTime = 500 * time.Millisecond

	// maxPending bounds the calls that are under way at once.
	maxPending = 256

	methodCancelled = "notifications/cancelled"
)

// conn is the SDK's connection over two streams: the line filter in front, and the bookkeeping of calls.
//
// It knows which calls have no answer yet. So a cancelled call gets none,
// an id is not used twice at a time, and the end of input waits, shortly, for the answers.
type conn struct {
	lines chan line
	in    io.Reader

	closeOnce sync.Once
	closed    chan struct{}

	writing sync.Mutex // held for one line of out
	out     io.Writer

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // true once the client has cancelled the call
	ended   bool                // the input is at its end
	drained chan struct{}       // closed when it is and nothing is pending
	left    chan struct{}       // closed when Read has reported the end
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
		lines:   make(chan line),
		in:      in,
		closed:  make(chan struct{}),
		out:     out,
		pending: map[jsonrpc.ID]bool{},
		drained: make(chan struct{}),
		left:    make(chan struct{}),
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
			message, refused := judge(l)
			if refused == nil && message != nil {
				refused = c.register(message)
			}
			if refused != nil {
				if err := c.writeLine(refused.encode()); err != nil {
					return nil, err
				}
				continue
			}
			if message != nil {
				return message, nil
			}
		}
	}
}

// register notes a call as pending, and the cancellation of one.
func (c *conn) register(message jsonrpc.Message) *refusal {
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !request.IsCall() {
		if id, ok := cancelledID(request); ok {
			if _, pending := c.pending[id]; pending {
				c.pending[id] = true
			}
		}
		return nil
	}
	if _, pending := c.pending[request.ID]; pending {
		// The id is not given back: the answer that bears it belongs to the first call.
		return refusef(nil, jsonrpc.CodeInvalidRequest, "the request id %v is in use by a call under way", request.ID.Raw())
	}
	if len(c.pending) >= maxPending {
		id, _ := json.Marshal(request.ID.Raw())
		return refusef(id, jsonrpc.CodeInvalidRequest, "more than %d calls under way: wait for answers", maxPending)
	}
	c.pending[request.ID] = false
	return nil
}

// cancelledID returns the call that a notification cancels.
func cancelledID(request *jsonrpc.Request) (jsonrpc.ID, bool) {
	if request.Method != methodCancelled {
		return jsonrpc.ID{}, false
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(request.Params, &params) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	return id, err == nil && id.IsValid()
}

// Write sends a message, unless it answers a call that the client has cancelled.
func (c *conn) Write(ctx context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok {
		defer c.settle(response.ID)
		if c.isCancelled(response.ID) {
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

func (c *conn) isCancelled(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[id]
}

// settle forgets a call that has its answer.
func (c *conn) settle(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
	c.checkDrained()
}

// checkDrained closes drained when there is nothing left to wait for. c.mu is held.
func (c *conn) checkDrained() {
	if !c.ended || len(c.pending) > 0 {
		return
	}
	select {
	case <-c.drained:
	default:
		close(c.drained)
	}
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
	c.mu.Lock()
	c.ended = true
	c.checkDrained()
	c.mu.Unlock()

	defer close(c.left)
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-c.drained:
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
