package specs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says how much a problem or a finding weighs.
// The zero value is no severity and is never valid in a document.
type Severity uint8

// The three severities, heaviest first. A High problem blocks a change.
const (
	High Severity = iota + 1
	Medium
	Low
)

// String returns HIGH, MEDIUM or LOW, and "" for the zero value.
func (s Severity) String() string {
	switch s {
	case High:
		return "HIGH"
	case Medium:
		return "MEDIUM"
	case Low:
		return "LOW"
	default:
		return ""
	}
}

// Title returns the severity as reports write it: High, Medium or Low.
func (s Severity) Title() string {
	text := s.String()
	if text == "" {
		return ""
	}
	return text[:1] + strings.ToLower(text[1:])
}

// ParseSeverity reads a severity in any case: documents and config files write High, HIGH and high.
func ParseSeverity(s string) (Severity, error) {
	for _, severity := range []Severity{High, Medium, Low} {
		if strings.EqualFold(strings.TrimSpace(s), severity.String()) {
			return severity, nil
		}
	}
	return 0, fmt.Errorf("unknown severity %q, want HIGH, MEDIUM or LOW", s)
}

// MarshalText writes the severity as String does, and refuses the zero value.
func (s Severity) MarshalText() ([]byte, error) {
	if s.String() == "" {
		return nil, fmt.Errorf("severity %d has no name", uint8(s))
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what ParseSeverity accepts.
func (s *Severity) UnmarshalText(text []byte) error {
	severity, err := ParseSeverity(string(text))
	if err != nil {
		return err
	}
	*s = severity
	return nil
}

// Problem is one thing that is wrong with a document.
type Problem struct {
	Rule     string   `json:"rule"` // stable kebab-case id, such as "missing-heading"
	Severity Severity `json:"severity"`
	File     string   `json:"file"`           // as the caller named it
	Line     int      `json:"line,omitempty"` // 1-based; 0 where the file as a whole is meant
	Message  string   `json:"message"`        // what is wrong, lower case, one line
	Hint     string   `json:"hint,omitempty"` // what to do about it, one line
}

// String returns "file:line: SEVERITY message (rule)".
func (p Problem) String() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s: %s %s (%s)", place, p.Severity, p.Message, p.Rule)
}

// Problems is what a reader or the validation found, in no particular order until Sort.
type Problems []Problem

// Counts returns how many problems there are of each severity.
func (ps Problems) Counts() (high, medium, low int) {
	for _, p := range ps {
		switch p.Severity {
		case High:
			high++
		case Medium:
			medium++
		default:
			low++
		}
	}
	return high, medium, low
}

// HasHigh reports whether any problem blocks.
func (ps Problems) HasHigh() bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return p.Severity == High })
}

// Sort orders the problems by file, line, severity and rule, so that two runs read the same.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
}
