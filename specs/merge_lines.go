package specs

import (
	"bytes"
)

// lineStyle is how the lines of a file end.
type lineStyle uint8

const (
	noLines lineStyle = iota // there is no file, or it has one line
	lineFeeds
	windowsLines
	mixedLines
)

// lines says how the lines of a spec end.
func (p *Parts) lines() lineStyle {
	if p == nil {
		return noLines
	}
	all, windows := bytes.Count(p.src, []byte("\n")), bytes.Count(p.src, []byte("\r\n"))
	switch {
	case bytes.Count(p.src, []byte("\r")) != windows:
		return mixedLines
	case all == 0:
		return noLines
	case windows == 0:
		return lineFeeds
	case windows == all:
		return windowsLines
	default:
		return mixedLines
	}
}

// alikeLines makes the three versions end their lines alike, where one of them has other line ends than the others.
// The second result gives the merged text the line ends that it should have: those of the side that changed them.
// A file whose lines do not all end alike is left as it is, and so are the others; its parts are merged with the line ends that they have.
func (s Sides) alikeLines() (Sides, func([]byte) []byte) {
	asItIs := func(text []byte) []byte { return text }
	base, ours, theirs := s.Base.lines(), s.Ours.lines(), s.Theirs.lines()
	several := map[lineStyle]bool{base: true, ours: true, theirs: true}
	if several[mixedLines] || !several[lineFeeds] || !several[windowsLines] {
		return s, asItIs
	}
	if s.Theirs.isDeltaTo(s.Base) {
		theirs = base // a delta says nothing about the spec's lines
	}
	alike := Sides{Spec: s.Spec, Base: s.Base.withLineFeeds(), Ours: s.Ours.withLineFeeds(), Theirs: s.Theirs.withLineFeeds()}
	if mergeLines(base, ours, theirs) != windowsLines {
		return alike, asItIs
	}
	return alike, func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
}

// mergeLines is the three-way merge of line ends.
func mergeLines(base, ours, theirs lineStyle) lineStyle {
	switch {
	case ours == noLines, ours == base && theirs != noLines:
		return theirs
	case theirs == noLines, theirs == base, ours == theirs:
		return ours
	default:
		return lineFeeds
	}
}

// withLineFeeds is the spec with other line ends.
func (p *Parts) withLineFeeds() *Parts {
	if p.lines() != windowsLines {
		return p
	}
	same, err := ParseParts(p.file, bytes.ReplaceAll(p.src, []byte("\r\n"), []byte("\n")))
	if err != nil {
		return p // it is the same document, and was read
	}
	return same
}
