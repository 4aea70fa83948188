package proc

import (
	"fmt"
	"sync"
)

// TailBytes is how much a [Tail] keeps by default of the beginning, and of the end.
const TailBytes = 1 << 20

// Tail is an io.Writer that keeps the beginning and the end of what is written to it
// and forgets the middle, so that a program may print for ever into bounded memory.
// The zero value keeps [TailBytes] of each. It may be written to by several goroutines.
type Tail struct {
	// HeadBytes and EndBytes are the sizes kept; if both are zero, TailBytes each.
	HeadBytes, EndBytes int

	mu      sync.Mutex
	head    []byte
	ring    []byte // the end: a ring once it is full
	next    int    // where the next byte goes in a full ring
	written int64
}

// Write takes everything and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.written += int64(n)
	headSize, endSize := t.sizes()
	if room := headSize - len(t.head); room > 0 {
		take := min(room, len(p))
		t.head = append(t.head, p[:take]...)
		p = p[take:]
	}
	t.keepEnd(p, endSize)
	return n, nil
}

func (t *Tail) sizes() (head, end int) {
	if t.HeadBytes == 0 && t.EndBytes == 0 {
		return TailBytes, TailBytes
	}
	return t.HeadBytes, t.EndBytes
}

func (t *Tail) keepEnd(p []byte, size int) {
	if size == 0 || len(p) == 0 {
		return
	}
	if len(p) >= size {
		t.ring, t.next = append(t.ring[:0], p[len(p)-size:]...), 0
		return
	}
	if room := size - len(t.ring); room > 0 {
		take := min(room, len(p))
		t.ring = append(t.ring, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		n := copy(t.ring[t.next:], p)
		t.next = (t.next + n) % size
		p = p[n:]
	}
}

// Len is the number of bytes written, kept or not.
func (t *Tail) Len() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// Cut is the number of bytes that were not kept.
func (t *Tail) Cut() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cut()
}

func (t *Tail) cut() int64 { return t.written - int64(len(t.head)) - int64(len(t.ring)) }

// Bytes is what was kept, with a line that says how much is missing between the two parts:
// "[… 98 MiB left out …]".
func (t *Tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]byte, 0, len(t.head)+len(t.ring)+40)
	out = append(out, t.head...)
	if cut := t.cut(); cut > 0 {
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = fmt.Appendf(out, "[… %s left out …]\n", byteSize(cut))
	}
	out = append(out, t.ring[t.next:]...)
	return append(out, t.ring[:t.next]...)
}

func (t *Tail) String() string { return string(t.Bytes()) }

// byteSize writes a size in the largest binary unit that keeps it above one.
func byteSize(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
