package config

import (
	"strconv"
	"strings"
)

// mostNesting is how deep values and keys may be nested; the file's own keys need three levels.
// The parser has no limit and takes memory in the square of the depth.
const mostNesting = 64

// keyLines finds the line on which each key of a TOML text stands, by dotted path.
// Entries of arrays of tables carry their index, as in gemini.models[1].reasoning.
// It stops at the line that is nested too deeply, and returns it as tooDeep.
//
// The library tells positions of syntax errors only, and a person needs the line of a wrong value as well.
// The scanner does not judge syntax; in a text that does not parse, lines are merely missing.
func keyLines(src string) (lines map[string]int, tooDeep int) {
	s := scanner{rest: src, line: 1, lines: map[string]int{}, entries: map[string]int{}}
	for s.skipBlank(); s.rest != "" && s.tooDeep == 0; s.skipBlank() {
		if strings.HasPrefix(s.rest, "[") {
			s.header()
		} else {
			s.assignment()
		}
		s.skipLine()
	}
	return s.lines, s.tooDeep
}

// scanner walks over a TOML text. It advances by at least one byte in every step of keyLines.
type scanner struct {
	rest    string
	line    int
	prefix  string         // of the table we are in
	lines   map[string]int // by path
	entries map[string]int // number of entries of each array of tables, by path
	tooDeep int            // the line with too much nesting, 0 if there is none
}

// advance moves over n bytes and counts their lines.
func (s *scanner) advance(n int) {
	n = min(n, len(s.rest))
	s.line += strings.Count(s.rest[:n], "\n")
	s.rest = s.rest[n:]
}

// skipBlank moves to the next thing that is neither white space nor a comment.
func (s *scanner) skipBlank() {
	for s.rest != "" {
		switch s.rest[0] {
		case ' ', '\t', '\r', '\n':
			s.advance(1)
		case '#':
			s.skipLine()
		default:
			return
		}
	}
}

func (s *scanner) skipLine() {
	if i := strings.IndexByte(s.rest, '\n'); i >= 0 {
		s.advance(i + 1)
		return
	}
	s.rest = ""
}

// header reads [a.b] or [[a.b]].
func (s *scanner) header() {
	array := strings.HasPrefix(s.rest, "[[")
	s.advance(1)
	if array {
		s.advance(1)
	}
	parts := s.key()
	path := ""
	for i, part := range parts {
		path = joinKey(path, part)
		last := i == len(parts)-1
		if last && array {
			s.entries[path]++
		}
		s.note(path)
		if n := s.entries[path]; n > 0 && (array || !last) {
			path += "[" + strconv.Itoa(n-1) + "]"
			s.note(path)
		}
	}
	s.prefix = path
}

// assignment reads a.b = value.
func (s *scanner) assignment() {
	path := s.prefix
	for _, part := range s.key() {
		path = joinKey(path, part)
		s.note(path)
	}
	if strings.HasPrefix(s.rest, "=") {
		s.advance(1)
		s.value()
	}
}

func (s *scanner) note(path string) {
	if _, known := s.lines[path]; !known {
		s.lines[path] = s.line
	}
}

// key reads the parts of a dotted key and stops behind it.
func (s *scanner) key() []string {
	var parts []string
	for {
		s.rest = strings.TrimLeft(s.rest, " \t")
		part, ok := s.keyPart()
		if !ok {
			return parts
		}
		parts = append(parts, part)
		if len(parts) > mostNesting {
			s.tooDeep = s.line
			return nil
		}
		s.rest = strings.TrimLeft(s.rest, " \t")
		if !strings.HasPrefix(s.rest, ".") {
			return parts
		}
		s.advance(1)
	}
}

func (s *scanner) keyPart() (part string, ok bool) {
	if s.rest == "" {
		return "", false
	}
	if quote := s.rest[0]; quote == '"' || quote == '\'' {
		text := s.rest
		s.quoted()
		text = text[:len(text)-len(s.rest)]
		if plain, err := strconv.Unquote(text); err == nil && quote == '"' {
			return plain, true
		}
		return strings.Trim(text, string(rune(quote))), true
	}
	end := strings.IndexFunc(s.rest, func(r rune) bool {
		return !isBareKey(r)
	})
	if end < 0 {
		end = len(s.rest)
	}
	part = s.rest[:end]
	s.advance(end)
	return part, part != ""
}

// value moves over a value, which may go on for lines.
func (s *scanner) value() {
	depth, dots := 0, 0
	for s.rest != "" {
		if depth+dots > mostNesting {
			s.tooDeep = s.line
			return
		}
		switch s.rest[0] {
		case '"', '\'':
			s.quoted()
			continue
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = depth-1, 0
		case ',':
			dots = 0
		case '.': // of a dotted key in an inline table, or of a number
			dots++
		case '#':
			if depth <= 0 {
				return
			}
			s.skipLine()
			continue
		case '\n':
			if depth <= 0 {
				return
			}
		}
		s.advance(1)
	}
}

// quoted moves over a string in one of TOML's four quotes.
func (s *scanner) quoted() {
	quote := s.rest[:1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.rest, long) {
		s.advance(3)
		s.until(long, quote == `"`)
		for range 2 { // """"a"""" ends in a quote of its own
			if strings.HasPrefix(s.rest, quote) {
				s.advance(1)
			}
		}
		return
	}
	s.advance(1)
	s.until(quote, quote == `"`)
}

func (s *scanner) until(end string, escapes bool) {
	for s.rest != "" {
		switch {
		case strings.HasPrefix(s.rest, end):
			s.advance(len(end))
			return
		case escapes && s.rest[0] == '\\':
			s.advance(2)
		default:
			s.advance(1)
		}
	}
}

// joinKey adds a part to a dotted path, in quotes where TOML needs them.
func joinKey(path, part string) string {
	if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !isBareKey(r) }) {
		part = strconv.Quote(part)
	}
	if path == "" {
		return part
	}
	return path + "." + part
}

func isBareKey(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
