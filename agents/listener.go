package agents

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// maxLine bounds a line that a codec gets to see. What is longer arrives cut, and so as no valid JSON:
// an event that carries more than an MCP message may is nothing that we need.
const maxLine = 4 << 20

// listener hands lines to the codec and its events to the caller,
// and tells the idle limit what counts as progress.
type listener struct {
	mu       sync.Mutex // both streams meet here
	codec    Codec
	redact   *proc.Redactor
	on       func(Event)
	stop     func(*Error)
	pulse    *proc.Pulse
	toolIdle time.Duration
	open     int    // tools that have not answered
	why      *Error // of the retry that nothing has followed yet
	streams  []*lines
}

func newListener(codec Codec, redact *proc.Redactor, limits proc.Limits, toolIdle time.Duration, on func(Event), stop func(*Error)) *listener {
	if limits.Idle == 0 || toolIdle < limits.Idle {
		toolIdle = 0 // it only ever gives more time
	}
	return &listener{codec: codec, redact: redact, on: on, stop: stop, pulse: new(proc.Pulse), toolIdle: toolIdle}
}

func (l *listener) stdout() io.Writer {
	return l.stream(l.codec.Line, true)
}

// stderr is read only by codecs that know what is there; for others every byte is a sign of life.
func (l *listener) stderr() io.Writer {
	if notes, ok := l.codec.(NoteReader); ok {
		return l.stream(notes.Note, false)
	}
	return writerFunc(func(p []byte) (int, error) {
		l.pulse.Beat()
		return len(p), nil
	})
}

// stream reads lines; where alive, even one that says nothing to the codec is a sign of life.
func (l *listener) stream(read func([]byte) []Event, alive bool) io.Writer {
	s := &lines{limit: maxLine, partial: func() {}}
	if alive {
		s.partial = l.pulse.Beat
	}
	s.line = func(line []byte) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.hear(read(line), alive)
	}
	l.streams = append(l.streams, s)
	return s
}

// hear passes events on. A line that says nothing but "trying again" is no progress.
func (l *listener) hear(events []Event, alive bool) {
	for _, e := range events {
		switch e.Kind {
		case Retry:
			alive, l.why = false, e.Why
		case Tool:
			l.open++
		case ToolDone:
			l.open = max(l.open-1, 0)
		default:
			alive = true
		}
		if e.Kind != Retry && e.Kind != Warning {
			l.why = nil
		}
		l.tell(e)
		if e.Fatal != nil {
			l.stop(e.Fatal)
		}
	}
	if l.open > 0 {
		l.pulse.Allow(l.toolIdle)
	} else {
		l.pulse.Allow(0)
	}
	if alive {
		l.pulse.Beat()
	}
}

// waitedFor is why the agent was still trying when a limit ended it; nil if it was doing something else.
func (l *listener) waitedFor() *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil || !l.why.Temporary() {
		return nil
	}
	return l.why
}

func (l *listener) tell(e Event) {
	if l.on == nil {
		return
	}
	l.on(Event{Kind: e.Kind, Name: proc.Clean(l.redact.String(e.Name)), Text: proc.Clean(l.redact.String(e.Text))})
}

// end hands over last lines that lack a line feed, and tells of processes that were left behind.
func (l *listener) end(survivors []string) {
	for _, s := range l.streams {
		s.flush()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range survivors {
		l.tell(Event{Kind: Warning, Text: "was left running and has been ended: " + name})
	}
}

// lines cuts a stream into lines in bounded memory.
type lines struct {
	limit   int
	line    func([]byte)
	partial func() // a piece came that ends no line
	held    []byte
}

func (s *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		if len(s.held) == 0 && i <= s.limit {
			s.line(bytes.TrimSuffix(p[:i], []byte{'\r'}))
		} else {
			s.hold(p[:i])
			s.flush()
		}
		p = p[i+1:]
	}
	if len(p) > 0 {
		s.hold(p)
		s.partial()
	}
	return n, nil
}

func (s *lines) hold(p []byte) {
	if room := s.limit - len(s.held); room > 0 {
		s.held = append(s.held, p[:min(room, len(p))]...)
	}
}

func (s *lines) flush() {
	if len(s.held) == 0 {
		return
	}
	s.line(bytes.TrimSuffix(s.held, []byte{'\r'}))
	s.held = s.held[:0]
	if cap(s.held) > 64<<10 {
		s.held = nil // a long line is the exception
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
