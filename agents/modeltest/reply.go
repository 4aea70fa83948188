package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// bytes is how much the model said.
func (a Answer) bytes() int {
	n := len(a.Text)
	for _, action := range a.Do {
		n += len(action.name) + len(action.args) + len(action.path) + len(action.content) + len(action.command)
	}
	return n
}

// reply is one answer on its way.
type reply struct {
	server  *Server
	format  wire
	w       http.ResponseWriter
	r       *http.Request
	request Request
	answer  Answer
	usage   Usage
}

// send writes the answer and reports whether the usage was told.
func (o reply) send() bool {
	fault := o.answer.Fault
	if fault == nil {
		return o.all()
	}
	switch fault.Kind {
	case Silent:
		o.wait()
	case Stalled:
		o.begin()
		o.wait()
	case Cut:
		o.begin()
		// The server closes the connection without the end of the body.
		panic(http.ErrAbortHandler)
	case Empty:
		o.answer = Answer{}
		return o.all()
	default:
		o.refuse(*fault)
	}
	return false
}

// all writes the whole answer.
func (o reply) all() bool {
	if !o.request.stream {
		return writeJSON(o.w, http.StatusOK, o.format.whole(o.id, o.request, o.answer, o.usage)) == nil
	}
	return o.stream(o.format.events(o.id, o.request, o.answer, o.usage)) == nil
}

// begin writes the first half of an answer.
func (o reply) begin() {
	begun := Say("The answer begins, and")
	if !o.request.stream {
		o.w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(o.w, `{"`) // what counts is that no more comes
		o.flush()
		return
	}
	events := o.format.events(o.id, o.request, begun, o.usage)
	_ = o.stream(events[:max(1, len(events)/2)]) // as above
}

// wait ends with the connection or the test.
func (o reply) wait() {
	select {
	case <-o.r.Context().Done():
	case <-o.server.closed:
	}
}

func (o reply) refuse(f Fault) {
	if f.RetryAfter > 0 {
		o.w.Header().Set("Retry-After", strconv.Itoa(f.seconds()))
	}
	refused := o.format.refuse(f)
	if events, ok := refused.body.([]event); ok {
		_ = o.stream(events) // a CLI that has gone away heard enough
		return
	}
	_ = writeJSON(o.w, refused.status, refused.body) // as above
}

func (o reply) id(label string) string {
	return fmt.Sprintf("call_%d_%s", o.server.calls.Add(1), label)
}

func (o reply) stream(events []event) error {
	o.w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		data, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		if e.name != "" {
			if _, err := fmt.Fprintf(o.w, "event: %s\n", e.name); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(o.w, "data: %s\n\n", data); err != nil {
			return err
		}
		o.flush()
	}
	return nil
}

func (o reply) flush() {
	if f, ok := o.w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(data)
	return err
}
