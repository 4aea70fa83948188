package modeltest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Server is a provider on loopback.
type Server struct {
	// URL is where Gemini's and Anthropic's paths begin; OpenAI's begin at /v1 below it.
	URL string

	t      testing.TB
	script Script
	calls  atomic.Int64 // makes ids unique
	closed chan struct{}
	ledger ledger
}

// largestBody bounds what is read of a request. No CLI sends as much in a test.
const largestBody = 64 << 20

// Start starts a provider that answers as the script says, until the test's end.
// A request that the script has no answer for fails the test.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{t: t, script: script, closed: make(chan struct{})}
	s.ledger.changed = sync.NewCond(&s.ledger.mu)
	host := httptest.NewServer(s)
	s.URL = host.URL
	t.Cleanup(func() {
		close(s.closed)
		host.CloseClientConnections()
		host.Close()
	})
	return s
}

// wire is one vendor's format.
type wire interface {
	// read fills everything but the key and the total size.
	read(path string, body []byte) (Request, error)
	// events is an answer as a stream; the last one tells the end.
	events(call callID, r Request, a Answer, u Usage) []event
	// whole is an answer in one piece.
	whole(call callID, r Request, a Answer, u Usage) any
	// refuse is a fault that is told by a status and a body.
	// Where the vendor tells it in a stream of events instead, the body is []event.
	refuse(f Fault) refusal
}

// event is one server-sent event.
type event struct {
	name string // may be empty
	data any
}

// callID makes the id of a tool call. CLIs send it back with the result, whatever they wrapped the call in.
type callID func(label string) string

// ServeHTTP finds the vendor by the path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case r.Header.Get("Upgrade") != "":
		// Codex tries a WebSocket first, and takes this for "speak HTTP".
		w.WriteHeader(http.StatusUpgradeRequired)
	case r.Method != http.MethodPost:
		http.NotFound(w, r)
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		s.serve(geminiWire{}, Gemini, w, r)
	case strings.HasSuffix(path, "/v1/responses"):
		s.serve(openaiWire{}, Codex, w, r)
	case strings.HasSuffix(path, "/v1/messages"):
		s.serve(anthropicWire{}, Claude, w, r)
	case strings.HasSuffix(path, "/v1/messages/count_tokens"):
		body, _ := io.ReadAll(io.LimitReader(r.Body, largestBody)) // a request that breaks off is counted as far as it came
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": Tokens(len(body))})
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) serve(format wire, vendor Vendor, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, largestBody))
	if err != nil {
		return // the CLI was stopped while it sent
	}
	request, err := format.read(r.URL.Path, body)
	if err != nil {
		s.t.Errorf("%s sent a request that is not understood: %v\n%.2000s", vendor, err, body)
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": err.Error()}})
		return
	}
	request.Vendor, request.Key, request.Size.Total = vendor, keyOf(r.Header), len(body)
	at := s.ledger.open(request)
	answer := s.script(request)
	if answer.Err != nil {
		s.t.Errorf("the script has no answer for %s, step %q, after %d actions: %v", vendor, request.Step.Name, len(request.Done), answer.Err)
		// A refusal that no CLI repeats.
		answer = Fail(NoModel)
	}
	usage := measure(request, answer.bytes())
	if answer.Usage != nil {
		usage = *answer.Usage
	}
	out := reply{server: s, format: format, w: w, r: r, request: request, answer: answer, usage: usage}
	if out.send() {
		s.ledger.settle(at, usage)
	}
}

// keyOf is the API key, wherever the vendor has it sent.
func keyOf(h http.Header) string {
	for _, name := range []string{"X-Goog-Api-Key", "X-Api-Key"} {
		if key := h.Get(name); key != "" {
			return key
		}
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// named is the label in the id of a tool call.
func named(id string) (string, error) {
	rest, ok := strings.CutPrefix(id, "call_")
	_, label, found := strings.Cut(rest, "_")
	if !ok || !found {
		return "", errors.New("the id of a tool call is none of ours: " + id)
	}
	return label, nil
}
