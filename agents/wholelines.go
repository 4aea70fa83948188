package agents

import (
	"bytes"
	"io"
	"sync"
)

// longestHeld is how much of a line without an end is held back before it is passed on in parts.
const longestHeld = 1 << 20

// wholeLines passes a stream on line by line into a log that it shares with another stream:
// without it the two would be torn into each other's lines.
type wholeLines struct {
	to   io.Writer
	turn *sync.Mutex // shared with the other stream
	held []byte
}

func (w *wholeLines) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	if end == 0 && len(w.held) > longestHeld {
		end = len(w.held)
	}
	if err := w.pass(end); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what has no line feed, and adds one: what the other stream says stands in a line of its own.
func (w *wholeLines) Close() error {
	if len(w.held) > 0 {
		w.held = append(w.held, '\n')
	}
	return w.pass(len(w.held))
}

func (w *wholeLines) pass(n int) error {
	if n == 0 {
		return nil
	}
	w.turn.Lock()
	defer w.turn.Unlock()
	_, err := w.to.Write(w.held[:n])
	w.held = append(w.held[:0], w.held[n:]...)
	return err
}
