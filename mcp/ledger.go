package mcp

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxPending bounds the calls that are under way at once.
	maxPending = 256

	methodCancelled = "notifications/cancelled"
)

// ledger knows which calls have no answer yet.
// So a cancelled call gets none, an id is not used twice at a time,
// and the end of input can wait for the answers.
type ledger struct {
	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // true once the client has cancelled the call
	ending  bool                // nothing will be added any more
	drained chan struct{}       // closed when ending and nothing is pending
}

func newLedger() *ledger {
	return &ledger{pending: map[jsonrpc.ID]bool{}, drained: make(chan struct{})}
}

// note enters a call, or the cancellation of one; other messages are nothing to it.
func (l *ledger) note(message jsonrpc.Message) *refusal {
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if request.IsCall() {
		return l.open(request.ID)
	}
	if id, ok := cancelledID(request); ok {
		if _, pending := l.pending[id]; pending {
			l.pending[id] = true
		}
	}
	return nil
}

// open enters a call. l.mu is held.
func (l *ledger) open(id jsonrpc.ID) *refusal {
	if _, pending := l.pending[id]; pending {
		// The id is not given back: the answer that bears it belongs to the first call.
		return refusef(nil, jsonrpc.CodeInvalidRequest, "the request id %v is in use by a call under way", id.Raw())
	}
	if len(l.pending) >= maxPending {
		raw, _ := json.Marshal(id.Raw()) // text or a number
		return refusef(raw, jsonrpc.CodeInvalidRequest, "more than %d calls under way: wait for answers", maxPending)
	}
	l.pending[id] = false
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

// isCancelled reports whether the client has cancelled a call under way.
func (l *ledger) isCancelled(id jsonrpc.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending[id]
}

// settle strikes out a call that has its answer.
func (l *ledger) settle(id jsonrpc.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, id)
	l.check()
}

// drain says that no call will be added, and returns what is closed when all are settled.
// It is called once.
func (l *ledger) drain() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	l.check()
	return l.drained
}

// check closes drained when there is nothing left to wait for. l.mu is held.
func (l *ledger) check() {
	if !l.ending || len(l.pending) > 0 {
		return
	}
	select {
	case <-l.drained:
	default:
		close(l.drained)
	}
}
