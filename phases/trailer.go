package phases

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

// FormatTrailers writes a trailer block, one line per trailer.
// git and [ParseTrailers] read back the same pairs, or it is an error:
// a value is one line of UTF-8 without control characters and without blanks at its ends.
func FormatTrailers(trailers []Trailer) (string, error) {
	var b strings.Builder
	for _, t := range trailers {
		if err := t.check(); err != nil {
			return "", err
		}
		b.WriteString(t.Key + ": " + t.Value + "\n")
	}
	return b.String(), nil
}

func (t Trailer) check() error {
	if !isTrailerKey(t.Key) {
		return fmt.Errorf("%s is not a trailer key", quoteShort(t.Key))
	}
	if reason := valueFault(t.Value); reason != "" {
		return fmt.Errorf("the value %s of %s %s", quoteShort(t.Value), t.Key, reason)
	}
	return nil
}

// valueFault says why a value cannot stand in a trailer; "" when it can.
func valueFault(value string) string {
	switch {
	case value == "":
		return "is empty"
	case strings.Trim(value, blanks) != value:
		return "begins or ends with a blank"
	case !utf8.ValidString(value):
		return "is not UTF-8"
	case strings.ContainsFunc(value, breaksLine):
		return "has a control character"
	}
	return ""
}

// breaksLine finds what some reader would take for the end of the line, or for a command.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// blanks are what git trims around keys and values.
const blanks = " \t\r"

// ParseTrailers reads the trailers of a raw commit message:
// the "key: value" lines of its last paragraph, unless that is its first.
// Lines that begin with a blank continue the value before them.
// Foreign lines between trailers, such as hooks add, are passed over;
// there git would see no trailer at all.
func ParseTrailers(message string) ([]Trailer, error) {
	_, last := splitMessage(message)
	return readTrailers(message, last)
}

// readTrailers reads the last paragraph of a message.
func readTrailers(message string, last []string) ([]Trailer, error) {
	if strings.ContainsRune(message, 0) {
		return nil, errors.New("has a NUL in its message")
	}
	return readBlock(last), nil
}

// splitMessage parts the lines of a message before its last paragraph.
// A message of one paragraph has no last one.
func splitMessage(message string) (head, last []string) {
	lines := strings.Split(strings.ReplaceAll(message, "\r\n", "\n"), "\n")
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if isBlank(lines[i]) {
			return lines[:i], lines[i+1:]
		}
	}
	return lines, nil
}

func isBlank(line string) bool { return strings.Trim(line, blanks) == "" }

func readBlock(lines []string) []Trailer {
	var trailers []Trailer
	open := false // the line before belongs to the last trailer
	for _, line := range lines {
		if line[0] == ' ' || line[0] == '\t' {
			if open {
				t := &trailers[len(trailers)-1]
				t.Value = strings.Trim(t.Value+" "+strings.Trim(line, blanks), blanks)
			}
			continue
		}
		key, value, found := strings.Cut(line, ":")
		key = strings.TrimRight(key, blanks)
		open = found && isTrailerKey(key)
		if open {
			trailers = append(trailers, Trailer{Key: key, Value: strings.Trim(value, blanks)})
		}
	}
	return trailers
}

// isTrailerKey follows git: letters, digits and hyphens. Ours begin with a letter.
func isTrailerKey(key string) bool {
	for i, r := range key {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return key != ""
}
