package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// fault is what goes wrong with the next requests of an operation.
type fault struct {
	op    string
	kind  Kind
	skip  int // as many requests go well first
	times int
}

// Kind is a kind of fault.
type Kind struct {
	status int // answered instead
	header http.Header
	text   string
	after  bool // the work is done first
	hangs  bool
	until  <-chan struct{} // nothing happens before this is closed
	cuts   cutting
	kill   func() // ends whoever asks
}

type cutting int

const (
	whole cutting = iota
	lost
	half
)

// works reports whether the request has its effect.
func (k Kind) works() bool { return k.after || k.cuts != whole || k.until != nil }

func (k Kind) answer() answer {
	a := failure(k.status, k.text)
	a.header = k.header
	return a
}

// The faults.
var (
	// Lost does what was asked and closes the connection.
	Lost = Kind{cuts: lost}
	// Truncated does what was asked and sends half of the answer.
	Truncated = Kind{cuts: half}
	// Hang does nothing, and answers nothing until the asker goes away.
	Hang = Kind{hangs: true}
)

// Held is slow: it does what was asked, and answers, when a channel is closed.
func Held(until <-chan struct{}) Kind { return Kind{until: until} }

// Death ends whoever asks, by a function, before or after what was asked was done. Nothing is answered.
func Death(kill func(), done bool) Kind {
	return Kind{kill: kill, after: done, hangs: true}
}

// Before answers with a status and does nothing.
func Before(status int) Kind { return Kind{status: status, text: http.StatusText(status)} }

// After does what was asked and answers with a status nevertheless.
func After(status int) Kind {
	return Kind{status: status, text: http.StatusText(status), after: true}
}

// Limited answers with a secondary rate limit; the header is left out where seconds is negative.
func Limited(status, seconds int) Kind {
	k := Kind{status: status, text: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
	if seconds >= 0 {
		k.header = http.Header{"Retry-After": {fmt.Sprint(seconds)}}
	}
	return k
}

// Exhausted answers with the primary rate limit, which ends at a time in seconds since 1970.
func Exhausted(status int, reset int64) Kind {
	return Kind{status: status, text: "API rate limit exceeded for user ID 1.", header: http.Header{
		"X-Ratelimit-Limit": {"5000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {fmt.Sprint(reset)},
	}}
}

// SSO answers that an organisation has not authorised the token.
func SSO(link string) Kind {
	return Kind{status: http.StatusForbidden, text: "Resource protected by organization SAML enforcement.", header: http.Header{"X-Github-Sso": {"required; url=" + link}}}
}

// Fail makes the next requests of an operation go wrong: "pulls/create-review", "graphql/viewer", "*" for any.
// Faults of one operation are used up in the order they were ordered.
func (s *Server) Fail(op string, times int, kind Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{op: op, kind: kind, times: times})
}

// FailLater lets as many requests go well, of whatever operation, and makes the one after them go wrong.
func (s *Server) FailLater(skip int, kind Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{op: "*", kind: kind, skip: skip, times: 1})
}

// Heal takes back all faults that did not happen yet.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) faultFor(op string) *fault {
	for _, f := range s.faults {
		if f.times > 0 && (f.op == op || f.op == "*") {
			if f.skip > 0 {
				f.skip--
				return nil
			}
			f.times--
			return f
		}
	}
	return nil
}

// cut sends nothing, or half of it, and closes the connection.
func cut(w http.ResponseWriter, how cutting, a answer) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if how == half {
		data, _ := json.Marshal(a.body)
		fmt.Fprintf(buffered, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			a.status, http.StatusText(a.status), len(data), strings.ToValidUTF8(string(data[:len(data)/2]), ""))
		_ = buffered.Flush()
	}
	_ = conn.Close()
}
