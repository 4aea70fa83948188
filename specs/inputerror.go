package specs

import (
	"fmt"
	"slices"
	"strings"
)

// InputError says what is wrong with the arguments of a tool.
// Its text is written for the agent that called: every sentence names the argument.
type InputError struct {
	Problems []string
}

// Error joins the problems.
func (e *InputError) Error() string { return strings.Join(e.Problems, "; ") }

// inputError returns an *InputError, or nil where there is nothing to complain about.
func inputError(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return &InputError{Problems: problems}
}

// complaints collects what is wrong with an input.
type complaints []string

func (c *complaints) addf(format string, args ...any) {
	*c = append(*c, fmt.Sprintf(format, args...))
}

// need complains about text that is missing or still a placeholder.
func (c *complaints) need(name, text string) {
	switch {
	case strings.TrimSpace(cleanText(text)) == "":
		c.addf("argument %q is required", name)
	case isPlaceholder(text):
		c.addf("argument %q is the placeholder %s", name, excerptOf(text))
	}
}

// oneOf complains about text that is none of the allowed words.
func (c *complaints) oneOf(name, text string, words ...string) {
	if !slices.Contains(words, text) {
		c.addf("argument %q is %q, want one of %s", name, excerptOf(text), strings.Join(words, ", "))
	}
}

// atMost complains about a list that is too long.
func (c *complaints) atMost(name string, length, limit int) {
	if length > limit {
		c.addf("argument %q has %d entries, the limit is %d", name, length, limit)
	}
}

// specs complains about a spec id that is impossible.
func (c *complaints) spec(name, text string) {
	if _, err := ParseSpecID(text); err != nil {
		c.addf("argument %q: %v", name, err)
	}
}

// boundTo refuses arguments for another change than the one the tool is there for.
func boundTo(id, given string) error {
	if given != "" && given != id {
		return &InputError{Problems: []string{fmt.Sprintf("argument \"change_id\" is %q, but this server serves change %q", excerptOf(given), id)}}
	}
	return nil
}

// proof is the last check of every document that is made from arguments:
// what will be written must be within the limit and must be read back as what was meant.
func proof[T any](file string, markdown []byte, want T, parse func(string, []byte) (*T, Problems, error), same func(a, b T) bool) (*T, error) {
	if len(markdown) > MaxDocument {
		return nil, &InputError{Problems: []string{fmt.Sprintf(
			"%s would have %d bytes, the limit is %d: shorten it", file, len(markdown), MaxDocument)}}
	}
	read, problems, err := parse(file, markdown)
	if err != nil {
		return nil, &InputError{Problems: []string{err.Error()}}
	}
	for _, problem := range problems {
		if problem.Severity == High {
			return nil, &InputError{Problems: []string{problem.Message}}
		}
	}
	if !same(*read, want) {
		return nil, &InputError{Problems: []string{fmt.Sprintf(
			"%s would not be read back as it was meant: keep headings, fences and labels out of short texts", file)}}
	}
	return read, nil
}
