package specs

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
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
	parts, err := ParseParts(file, resolved)
	if err != nil {
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
	if len(bytes.TrimSpace(resolved)) == 0 {
		return nil // the spec is retired
	}
	return onlyDecides(file, marked, parts)
}

// onlyDecides says why a text does more than to decide: it hides what was not in conflict, or says what neither side has said.
// A requirement that got another id is what its side said, under that id.
func onlyDecides(file string, marked []byte, resolved *Parts) error {
	refuse := func(n *node, format string, args ...any) error {
		return &ResolutionError{File: file, Line: n.line, Reason: fmt.Sprintf(format, args...)}
	}
	for number, line := range strings.SplitAfter(string(resolved.src), "\n") {
		if strings.ContainsFunc(strings.TrimRight(line, "\r\n"), func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			return &ResolutionError{File: file, Line: number + 1, Reason: "it holds a control character"}
		}
	}
	said, twice := map[string]bool{}, map[string]bool{}
	bodies := map[string]bool{}
	both := map[string]int{}
	sides := 0
	for _, side := range []string{"<<<<<<<", "======="} {
		p, err := ParseParts(file, oneSide(marked, side))
		if err != nil {
			continue // only the other one can be read
		}
		sides++
		for _, n := range p.requirements() {
			if n.turn > 0 {
				twice[n.name] = true
				continue
			}
			both[n.name]++
			said[n.name] = true
			bodies[strings.TrimSpace(string(n.body[n.heading:]))] = true
		}
	}
	have := map[string]bool{}
	for _, n := range resolved.requirements() {
		switch {
		case n.turn > 0 && !twice[n.name]:
			return refuse(n, "requirement %s stands there twice", n.id)
		case !said[n.name] && !bodies[strings.TrimSpace(string(n.body[n.heading:]))]:
			return refuse(n, "requirement %s is of neither side", n.id)
		}
		have[n.name] = true
	}
	undisputed := bytes.Join(settled(marked), nil)
	if p, err := ParseParts(file, undisputed); err == nil {
		for _, n := range p.requirements() {
			if both[n.name] == sides && !have[n.name] {
				return &ResolutionError{File: file, Line: 1, Reason: fmt.Sprintf("it hides requirement %s, which was not in conflict", n.id)}
			}
		}
	}
	return nil
}

// requirements are those that can be merged, in document order.
func (p *Parts) requirements() []*node {
	var all []*node
	for _, n := range p.nodes {
		if n.kind == RequirementPart {
			all = append(all, n)
		}
	}
	return all
}

// oneSide is a merge with what one side has at each conflict; begin is the marker above that.
func oneSide(marked []byte, begin string) []byte {
	var out []byte
	inside, wanted := false, false
	for line := range bytes.Lines(marked) {
		switch {
		case isMarker(line, "<<<<<<<"):
			inside, wanted = true, begin == "<<<<<<<"
		case inside && isMarker(line, "|||||||"):
			wanted = false
		case inside && isMarker(line, "======="):
			wanted = begin == "======="
		case isMarker(line, ">>>>>>>"):
			inside, wanted = false, false
		case !inside || wanted:
			out = append(out, line...)
		}
	}
	return out
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
