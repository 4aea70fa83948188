package proc

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes foreign text fit for a terminal, a document or a log line.
// What is left are printable characters, spaces, line feeds and tabs:
// no escape sequence, no control character, nothing invisible or that turns the direction of writing.
// A carriage return before a line feed goes with it; one that stands alone, and would overwrite its line, becomes a line feed.
// Clean text comes back unchanged, and Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = ansi.Strip(s)
	return strings.Map(func(r rune) rune {
		if isPlain(r) {
			return r
		}
		return -1
	}, s)
}

func isClean(s string) bool {
	for _, r := range s {
		// RuneError stands for itself and for a broken sequence; the slow path tells which.
		if r == unicode.ReplacementChar || !isPlain(r) {
			return false
		}
	}
	return true
}

// isPlain refuses all of Unicode's category C: control characters, format characters
// (bidirectional controls, zero width, byte order mark), surrogates, private use and unassigned code points.
// \P{C} of package regexp knows the assigned categories; a code point in none of L, M, N, P, S, Z is in C.
func isPlain(r rune) bool {
	return r == '\n' || r == '\t' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}
