package specs

import (
	"bytes"
	"fmt"
	"strings"
)

// Resolves says why a text is no resolution of a merge with conflicts: something of them is left in it,
// it cannot be read as a spec, or it differs from the merge where there was nothing to decide.
// marked is [Merged.Marked]. White space around what was decided does not count.
func Resolves(file string, marked, resolved []byte) error {
	for number, line := range strings.SplitAfter(string(resolved), "\n") {
		if Unresolved([]byte(line)) {
			return &ResolutionError{File: file, Line: number + 1, Reason: "a marker of a conflict is left in it"}
		}
	}
	if _, err := ParseParts(file, resolved); err != nil {
		return err
	}
	kept := settled(marked)
	rest := bytes.TrimSpace(resolved)
	for i, want := range kept {
		want = bytes.TrimSpace(want)
		at := bytes.Index(rest, want)
		if last := i == len(kept)-1; last && len(want) > 0 {
			at = -1
			if bytes.HasSuffix(rest, want) {
				at = len(rest) - len(want)
			}
		}
		if at < 0 || i == 0 && at > 0 {
			line, _, _ := bytes.Cut(want, []byte("\n"))
			return &ResolutionError{
				File: file, Line: 1 + bytes.Count(resolved[:len(resolved)-len(rest)], []byte("\n")),
				Reason: fmt.Sprintf("it also differs where nothing was in conflict, near %q", excerptOf(string(line))),
			}
		}
		rest = rest[at+len(want):]
	}
	return nil
}

// ResolutionError says what is wrong with the text that a person made of a merge with conflicts.
type ResolutionError struct {
	File   string
	Line   int
	Reason string
}

func (e *ResolutionError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// settled are the stretches of a merge that are not in conflict, one more than there are conflicts.
func settled(marked []byte) [][]byte {
	stretches := [][]byte{nil}
	inside := false
	for line := range bytes.Lines(marked) {
		switch {
		case isMarker(line, "<<<<<<<"):
			inside = true
		case isMarker(line, ">>>>>>>"):
			inside = false
			stretches = append(stretches, nil)
		case !inside:
			last := len(stretches) - 1
			stretches[last] = append(stretches[last], line...)
		}
	}
	return stretches
}
