package specs

import (
	"strings"
	"unicode"
)

// cleanText makes text from anywhere fit for a document:
// valid UTF-8, line feeds, no control or direction characters, no space at line ends, no blank lines around it.
func cleanText(s string) string {
	s = normalLines(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if unsafeRune(r) {
			return -1
		}
		return r
	}, s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return trimBlankLines(strings.Join(lines, "\n"))
}

// unsafeRune reports characters that YAML refuses when read back, that steer a terminal,
// or that make text look different from what it is.
func unsafeRune(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u2028' || r == '\u2029' || r == '\u0085': // line ends for YAML, not for Markdown
		return true
	case r == '\ufeff' || r == '\ufffe' || r == '\uffff':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f':
		return true // direction: the order on the screen would not be the order in the file
	}
	return unicode.IsControl(r)
}

// oneLine is cleanText on a single line.
func oneLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// proseText makes text fit to stand below a heading, so that it ends where the next heading begins:
// its own headings move down to the given level, and what it opens it also closes.
func proseText(s string, level int) string {
	s = demoteHeadings(escapeTags(cleanText(s)), level)
	for range 3 {
		if endsClosed(s) {
			return s
		}
		// What an open tag has hidden may hold headings of its own.
		s = demoteHeadings(closeLast(s), level)
	}
	s = demoteHeadings(escapeLines(s, func(line string) bool { return strings.HasPrefix(line, "<") }), level)
	if !endsClosed(s) {
		s = demoteHeadings(closeLast(s), level)
	}
	return s
}

// escapeLines puts a backslash in front of the text of some lines.
func escapeLines(s string, which func(line string) bool) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if text := strings.TrimLeft(line, " "); which(text) {
			lines[i] = line[:len(line)-len(text)] + `\` + text
		}
	}
	return strings.Join(lines, "\n")
}

// demoteHeadings moves headings that would end the section down to a level that does not.
func demoteHeadings(s string, level int) string {
	src := []byte(s)
	var out strings.Builder
	done := 0
	for _, b := range parseBlocks([]byte(s)) {
		if b.kind != headingBlock || b.level >= level {
			continue
		}
		out.Write(src[done:b.start])
		out.WriteString(strings.TrimRight(strings.Repeat("#", level)+" "+b.title, " "))
		out.WriteByte('\n')
		done = b.body
	}
	out.Write(src[done:])
	return trimBlankLines(out.String())
}

// endsClosed reports whether a heading behind the text would be a heading.
func endsClosed(s string) bool {
	if s == "" {
		return true
	}
	last := lastBlock(s)
	return last.kind == headingBlock && last.start == len(s)+2
}

// lastBlock returns the last block of a text with a heading behind it:
// that heading, or what has swallowed it.
func lastBlock(s string) block {
	blocks := parseBlocks([]byte(s + "\n\n# end\n"))
	return blocks[len(blocks)-1]
}

// closeLast closes the fence, or disarms the tag, with which the last block of a text begins.
func closeLast(s string) string {
	last := lastBlock(s)
	start := min(last.start, len(s))
	first, _, _ := strings.Cut(s[start:], "\n")
	if match := openFence().FindStringSubmatch(first); match != nil && last.kind == fenceBlock {
		return s + "\n" + match[1]
	}
	indent := len(first) - len(strings.TrimLeft(first, " "))
	return s[:start+indent] + `\` + s[start+indent:]
}

// escapeTags disarms lines that would be taken for the review blocks of older proposals.
func escapeTags(s string) string {
	if !strings.Contains(s, "review") {
		return s
	}
	return escapeLines(s, func(line string) bool { return openReview().MatchString(strings.TrimRight(line, " \t")) })
}

// headingText is oneLine, fit to be a heading: number signs at its end would be taken for decoration.
func headingText(s string) string {
	s = oneLine(s)
	rest := strings.TrimRight(s, "#")
	if rest == s || rest != "" && !strings.HasSuffix(rest, " ") {
		return s
	}
	return rest + `\` + s[len(rest):]
}

// labelText makes text fit to stand behind a label.
func labelText(s string) string {
	return escapeTags(strings.TrimLeftFunc(cleanText(s), unicode.IsSpace))
}

// itemText makes text fit to be the item of a list.
func itemText(s string) string {
	s = labelText(s)
	first, _, _ := strings.Cut(s, "\n")
	if s != "" && strings.Trim(first, "- \t") == "" {
		return `\` + s // a line of dashes is a rule, not an item
	}
	return s
}

// writeItem writes text as an item, its further lines below the first.
func writeItem(out *strings.Builder, indent, text string) {
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
			out.WriteString(indent + "- " + line)
		case line != "":
			out.WriteString("\n" + indent + "  " + line)
		default:
			out.WriteByte('\n')
		}
	}
	out.WriteByte('\n')
}
