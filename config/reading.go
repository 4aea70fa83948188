package config

import (
	"fmt"
	"strings"
)

// Error is a known key with an impossible value, or a file that is not TOML.
type Error struct {
	File   string
	Line   int    // 1-based; 0 where the line is not known
	Key    string // dotted name, "" where the whole file is meant
	Reason string
}

// Error returns "file:line: key: reason".
func (e *Error) Error() string {
	text := e.Reason
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	}
	return e.File + ": " + text
}

// Hint names the place to mend.
func (e *Error) Hint() string {
	if e.Line > 0 {
		return fmt.Sprintf("mend line %d of %s, then run the same command again", e.Line, e.File)
	}
	return fmt.Sprintf("mend %s, then run the same command again", e.File)
}

// reading is one pass over the values of a file.
// It remembers which keys were asked for; what nobody asked for is unknown.
type reading struct {
	file  string
	lines map[string]int
	asked map[string]bool
	errs  []*Error
}

// lineOf returns the line of a path, or of the nearest table around it.
func (r *reading) lineOf(path string) int {
	for path != "" {
		if line, ok := r.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 0
}

func (r *reading) refuse(path, format string, args ...any) {
	r.errs = append(r.errs, &Error{File: r.file, Line: r.lineOf(path), Key: path, Reason: fmt.Sprintf(format, args...)})
}
