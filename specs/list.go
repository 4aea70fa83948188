package specs

import (
	"strings"
)

// item is one item of a list, as text of its own.
type item struct {
	text string
	line int // in the file
}

// items returns the items of a list block.
func (o *outline) items(list block) []item {
	items := make([]item, 0, len(list.items))
	for _, s := range list.items {
		end := s.end
		for _, e := range o.extra {
			if e.start >= s.start {
				end = min(end, e.start)
			}
		}
		items = append(items, item{text: dedentItem(string(o.src[s.start:end]), s.column), line: o.line(s.start)})
	}
	return items
}

// nestedItems splits the text of an item into what comes before its first nested list and the items of that list.
func nestedItems(outer item) (lead string, nested []item) {
	src := []byte(outer.text)
	blocks := parseBlocks([]byte(outer.text))
	for _, b := range blocks {
		if b.kind != listBlock {
			continue
		}
		if nested == nil {
			lead = trimBlankLines(outer.text[:b.start])
		}
		for _, s := range b.items {
			line := outer.line + strings.Count(outer.text[:s.start], "\n")
			nested = append(nested, item{text: dedentItem(string(src[s.start:s.end]), s.column), line: line})
		}
	}
	if nested == nil {
		return outer.text, nil
	}
	return lead, nested
}

var itemMarker = lazy(`^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]*`)

// dedentItem takes the marker off an item and its indent off the further lines.
func dedentItem(source string, column int) string {
	lines := strings.Split(trimBlankLines(normalLines(source)), "\n")
	for i, line := range lines {
		if i == 0 {
			lines[i] = itemMarker().ReplaceAllString(line, "")
			continue
		}
		lines[i] = strings.TrimRight(dedent(line, column), " \t")
	}
	return trimBlankLines(strings.Join(lines, "\n"))
}

// dedent takes up to a number of columns of white space off a line.
func dedent(line string, columns int) string {
	for columns > 0 && line != "" {
		switch line[0] {
		case ' ':
			columns--
		case '\t':
			columns -= 4
		default:
			return line
		}
		line = line[1:]
	}
	return line
}

var label = lazy(`(?s)^(?:\*\*|__)?([A-Za-z][A-Za-z ]{0,40}?)(?:(?:\*\*|__)[ \t]*:|:(?:\*\*|__)|:)(?:[ \t]+|\n|$)(.*)$`)

// labelled splits "**Label**: value" into the lower-case label and the value.
func labelled(text string) (name, value string, ok bool) {
	match := label().FindStringSubmatch(text)
	if match == nil {
		return "", "", false
	}
	return strings.ToLower(match[1]), trimBlankLines(match[2]), true
}

// plainLabel takes emphasis, code marks and a colon off a heading or label.
func plainLabel(s string) string {
	return strings.TrimSpace(strings.TrimRight(strings.Trim(strings.TrimSpace(s), "*_`"), ":"))
}

// splitList splits text at commas that are outside code marks and brackets.
func splitList(s string) []string {
	var parts []string
	var depth, start int
	var code bool
	for i, r := range s {
		switch {
		case r == '`':
			code = !code
		case code:
		case r == '(' || r == '[':
			depth++
		case (r == ')' || r == ']') && depth > 0:
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// isNone reports the many ways to say that a list is empty.
func isNone(s string) bool {
	s, _, _ = strings.Cut(s, "(")
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), " .*_`"))
	switch s {
	case "", "none", "n/a", "na", "no", "nothing", "nil", "null", "-", "[]", "—":
		return true
	}
	return false
}
