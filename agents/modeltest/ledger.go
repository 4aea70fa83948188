package modeltest

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Exchange is a request and what became of it.
type Exchange struct {
	Request
	// Answered says that the answer went out whole. Only then did the CLI learn of the usage.
	Answered bool
	Usage    Usage // reported; zero if not answered
}

// ledger is the account of a server.
type ledger struct {
	mu        sync.Mutex
	changed   *sync.Cond
	exchanges []Exchange
}

// open enters a request and returns its place.
func (l *ledger) open(r Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanges = append(l.exchanges, Exchange{Request: r})
	l.changed.Broadcast()
	return len(l.exchanges) - 1
}

// settle enters the usage that was reported.
func (l *ledger) settle(at int, u Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanges[at].Answered, l.exchanges[at].Usage = true, u
	l.changed.Broadcast()
}

// Exchanges are the requests so far, in the order in which they came.
func (s *Server) Exchanges() []Exchange {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return slices.Clone(s.ledger.exchanges)
}

// longest is how long a test waits for a CLI to ask something, on a machine that has much else to do.
const longest = 3 * time.Minute

// Wait returns when a request has come that is as wanted; it fails the test after three minutes.
func (s *Server) Wait(t testing.TB, wanted func(Request) bool) {
	t.Helper()
	late := time.AfterFunc(longest, func() {
		s.ledger.mu.Lock()
		defer s.ledger.mu.Unlock()
		s.ledger.changed.Broadcast()
	})
	defer late.Stop()
	deadline := time.Now().Add(longest)
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for !slices.ContainsFunc(s.ledger.exchanges, func(e Exchange) bool { return wanted(e.Request) }) {
		if !time.Now().Before(deadline) {
			t.Fatalf("the request did not come within %s; %d others did", longest, len(s.ledger.exchanges))
		}
		s.ledger.changed.Wait()
	}
}

// Used sums the usage that was reported to those requests for which of is true.
func (s *Server) Used(of func(Exchange) bool) Usage {
	var sum Usage
	for _, e := range s.Exchanges() {
		if of(e) {
			sum = sum.plus(e.Usage)
		}
	}
	return sum
}

// Sent sums the sizes of those requests for which of is true.
func (s *Server) Sent(of func(Exchange) bool) Size {
	var sum Size
	for _, e := range s.Exchanges() {
		if of(e) {
			sum = sum.plus(e.Size)
		}
	}
	return sum
}
