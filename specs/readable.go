package specs

import (
	"bytes"
	"fmt"
)

// MaxDocument is the size above which no document is read or written, in bytes.
// The limit stands before every parser: none of them is asked about a larger input.
const MaxDocument = 256 << 10

// DocumentError says why a document cannot be read at all.
type DocumentError struct {
	File    string
	Line    int // 1-based; 0 where the file as a whole is meant
	Message string
}

// Error returns "file:line: message".
func (e *DocumentError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// ConflictError says that a document holds the markers of a merge that nobody has resolved.
type ConflictError struct {
	File        string
	First, Last int // the lines of the first opening and the last closing marker
}

// Error names the file and the lines between the markers.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("unresolved merge conflict in %s lines %d–%d", e.File, e.First, e.Last)
}

// Hint tells the person how to go on.
func (e *ConflictError) Hint() string {
	return fmt.Sprintf("edit %s, keep one side, and commit", e.File)
}

// utf8BOM is the byte order mark that editors on Windows put in front of a file.
var utf8BOM = []byte("\xef\xbb\xbf")

// readable is the door of every document:
// it refuses what is too large or in the middle of a merge and takes off one byte order mark.
func readable(file string, src []byte) ([]byte, error) {
	if len(src) > MaxDocument {
		return nil, &DocumentError{File: file, Message: fmt.Sprintf(
			"document has %d bytes, the limit is %d", len(src), MaxDocument)}
	}
	src = bytes.TrimPrefix(src, utf8BOM)
	if first, last, found := conflictMarkers(src); found {
		return nil, &ConflictError{File: file, First: first, Last: last}
	}
	return src, nil
}

// conflictMarkers finds the lines of an unresolved merge.
// All three markers must be there in order: a lone row of equals signs is a heading in Markdown.
func conflictMarkers(src []byte) (first, last int, found bool) {
	const (
		outside = iota
		ours
		theirs
	)
	state, opened, number := outside, 0, 0
	for line := range bytes.Lines(src) {
		number++
		switch {
		case isMarker(line, "<<<<<<<") && state != theirs:
			state, opened = ours, number
		case isMarker(line, "=======") && state == ours:
			state = theirs
		case isMarker(line, ">>>>>>>") && state == theirs:
			if !found {
				first, found = opened, true
			}
			state, last = outside, number
		}
	}
	return first, last, found
}

// isMarker reports whether the line is a marker as git writes them: seven characters, and what follows behind a space.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	rest = bytes.TrimRight(rest, "\r\n")
	return ok && (len(rest) == 0 || rest[0] == ' ')
}
