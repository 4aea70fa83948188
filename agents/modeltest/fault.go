package modeltest

import (
	"math"
	"time"
)

// Fault is a provider's misbehaviour in place of an answer.
type Fault struct {
	Kind FaultKind
	// RetryAfter is when the provider wants to be asked again. It is rounded up to whole seconds.
	RetryAfter time.Duration
}

func (f Fault) seconds() int { return int(math.Ceil(f.RetryAfter.Seconds())) }

// FaultKind says how a provider misbehaves. Each vendor has words of its own for it.
type FaultKind uint8

// The kinds of faults.
const (
	Unauthorized   FaultKind = iota + 1 // status 401
	KeyRefused                          // a key that is none; Google answers 400 to that, the others 401
	Forbidden                           // status 403
	NoModel                             // status 404
	RateLimited                         // status 429
	QuotaUsedUp                         // used up for the day, or until somebody pays
	ServerError                         // status 500
	Overloaded                          // status 503, at Anthropic 529
	ContextTooLong                      // the conversation does not fit
	Silent                              // the request is taken and never answered
	Stalled                             // the answer begins and never goes on
	Cut                                 // the answer begins and the connection is closed
	Empty                               // a proper answer with nothing in it
)

// String is the kind in lower case, for names of tests.
func (k FaultKind) String() string {
	names := [...]string{
		"none", "unauthorized", "key-refused", "forbidden", "no-model", "rate-limited", "quota-used-up", "server-error",
		"overloaded", "context-too-long", "silent", "stalled", "cut", "empty",
	}
	return names[min(int(k), len(names)-1)]
}

// Fail answers with a fault.
func Fail(kind FaultKind) Answer { return Answer{Fault: &Fault{Kind: kind}} }

// FailFor answers with a fault after which the provider says when to come back.
func FailFor(kind FaultKind, retryAfter time.Duration) Answer {
	return Answer{Fault: &Fault{Kind: kind, RetryAfter: retryAfter}}
}

// refusal is an answer with a status of failure and a JSON body.
type refusal struct {
	status int
	body   any
}
