package specs

import (
	"strings"
)

// element is a part of the source that is marked up with tags on lines of their own.
type element struct {
	name       string // "review", or "" for the closing line of a wrapper
	attributes map[string]string
	start, end int // with the lines of the tags
	body       span
}

var (
	openFence  = lazy("^ {0,3}(`{3,}|~{3,})(.*)$")
	openReview = lazy(`^<review((?:\s+[A-Za-z_-]+="[^"]*")+)\s*>$`)
	attribute  = lazy(`([A-Za-z_-]+)="([^"]*)"`)
)

// unwrap masks the tags that older documents are wrapped in, and the review blocks behind the text.
// A wrapper is only what stands on the first line with text;
// a review is only what has attributes and a closing tag. Anything else that looks like a tag is text.
func unwrap(masked []byte, from int, tag string) []element {
	var found []element
	var wrapped, reviewing bool
	var review element
	first := true
	for line := range outsideFences(masked, from) {
		text := strings.TrimRight(string(masked[line.start:line.end]), " \t\r\n")
		if text == "" {
			continue
		}
		isFirst := first
		first = false
		switch {
		case tag != "" && isFirst && text == "<"+tag+">":
			wrapped = true
			blank(masked[line.start:line.end])
		case reviewing && text == "</review>":
			review.body.end, review.end = line.start, line.end
			found = append(found, review)
			reviewing = false
		case !reviewing && wrapped && text == "</"+tag+">":
			found = append(found, element{start: line.start, end: line.end})
			wrapped = false
		case !reviewing && tag == "proposal" && openReview().MatchString(text):
			review = element{name: "review", start: line.start, body: span{start: line.end}, attributes: map[string]string{}}
			for _, pair := range attribute().FindAllStringSubmatch(text, -1) {
				review.attributes[strings.ToLower(pair[1])] = pair[2]
			}
			reviewing = true
		}
	}
	for _, e := range found {
		blank(masked[e.start:e.end])
	}
	return found
}

// outsideFences yields the lines from an offset on that are not in a fenced block.
func outsideFences(src []byte, from int) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		var fence string // what closes the open fence, "" outside
		for offset := from; offset < len(src); {
			line := span{start: offset, end: lineEnd(src, offset)}
			offset = line.end
			text := strings.TrimRight(string(src[line.start:line.end]), " \t\r\n")
			if fence != "" {
				if trimmed := strings.TrimLeft(text, " "); len(text)-len(trimmed) <= 3 && len(trimmed) >= len(fence) &&
					strings.Trim(trimmed, fence[:1]) == "" {
					fence = ""
				}
				continue
			}
			if marks := strings.TrimLeft(text, " "); strings.HasPrefix(marks, "```") || strings.HasPrefix(marks, "~~~") {
				if match := openFence().FindStringSubmatch(text); match != nil &&
					(match[1][0] == '~' || !strings.Contains(match[2], "`")) {
					fence = match[1]
					continue
				}
			}
			if !yield(line) {
				return
			}
		}
	}
}

// normalLines turns every kind of line end into a line feed.
func normalLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// trimBlankLines takes blank lines off both ends, and space off the end; the indent of the first line stays.
func trimBlankLines(s string) string {
	s = strings.TrimRight(s, " \t\n")
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}
