package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one message. The longest that a tool takes is a document of 256 KiB.
const maxLine = 4 << 20

// tailBytes is how much is kept of the end of a line that is too long: the request id may stand there.
const tailBytes = 512

// line is one line of the input without its end.
type line struct {
	text []byte // the whole line; the first maxLine bytes of one that is too long
	size int64  // bytes in the input
	tail []byte // the last bytes of a line that is too long
	err  error  // why there is no line: io.EOF, or what the reader said
}

// tooLong reports whether text is only the beginning.
func (l line) tooLong() bool { return l.size > maxLine }

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	in *bufio.Reader
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next line. What stands before the end of the input without a line end is a line too.
func (r *lineReader) next() line {
	var l line
	for {
		chunk, err := r.in.ReadSlice('\n')
		l.take(chunk)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && l.size > 0:
			return l.trimmed()
		default:
			return line{err: err}
		}
	}
}

// take adds a chunk: to the text as long as there is room, and to the tail from then on.
func (l *line) take(chunk []byte) {
	l.size += int64(len(chunk))
	if l.tooLong() {
		if l.tail == nil {
			l.tail = lastBytes(l.text, tailBytes)
		}
		l.tail = lastBytes(append(l.tail, chunk...), tailBytes)
	}
	keep := min(len(chunk), maxLine-len(l.text))
	l.text = append(l.text, chunk[:keep]...)
}

// trimmed takes the line end off, which does not count.
func (l line) trimmed() line {
	if !l.tooLong() {
		l.text = bytes.TrimSpace(l.text)
		l.tail = nil
	}
	return l
}

// lastBytes returns the last n bytes of b in memory of their own, so that the rest can be freed.
func lastBytes(b []byte, n int) []byte {
	return bytes.Clone(b[max(0, len(b)-n):])
}
