package specs

import (
	"strings"
	"unicode"
)

// Free text in a report comes from an agent and may hold anything.
// The functions here let it say what it likes and keep it from being structure:
// no headings, fences, HTML, frontmatter, quotes, tables or ticked boxes come out of them.
// Lists, emphasis, code spans and links stay, for they end where their paragraph ends.

// plainBlock returns text as lines of Markdown that stay where they are put.
// Indentation is lost, since it would be structure again.
func plainBlock(text string) []string {
	var lines []string
	for line := range strings.Lines(reportText(text)) {
		line = plainStart(strings.TrimSpace(line))
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// plainLine returns text as one line for the inside of a heading or a bullet.
func plainLine(text string) string {
	line := plainInline(strings.Join(strings.Fields(reportText(text)), " "))
	if strings.HasSuffix(line, "#") { // a closing sequence would vanish from a heading
		line = line[:len(line)-1] + `\#`
	}
	return line
}

// firstSentence makes the title of a finding that has none.
func firstSentence(text string) string {
	const limit = 80
	line, _, _ := strings.Cut(strings.TrimSpace(reportText(text)), "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "#>*-+ \t"))
	if i := strings.Index(line, ". "); i > 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, ".")
	if runes := []rune(line); len(runes) > limit {
		line = strings.TrimSpace(string(runes[:limit])) + "…"
	}
	return line
}

// terminalSequence is what a terminal would obey: CSI and OSC.
var terminalSequence = lazy("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)?")

// reportText returns valid UTF-8 with \n as the only line end
// and without control, direction and zero-width characters.
func reportText(text string) string {
	text = terminalSequence().ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return '\n'
		case unicode.Is(unicode.C, r):
			return -1
		default:
			return r
		}
	}, text)
}

var (
	listItem    = lazy(`^([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$`)
	ruleLine    = lazy(`^[-=*_+|:~ \t]+$`) // rules, setext underlines, table delimiters, empty items
	bulletStart = lazy(`^[-*+]([ \t]|$)`)
	numberStart = lazy(`^(\d{1,9})([.)](?:[ \t].*)?)$`)
	boldLabel   = lazy(`^(\*\*|__)[^*_]{1,80}(:(\*\*|__)|(\*\*|__)\s*:)`)
	linkStart   = lazy(`^\[[^\[\]]*\]\(`)
)

// plainStart makes a line harmless that may begin a list item, but nothing else.
func plainStart(line string) string {
	item := listItem().FindStringSubmatch(line)
	if item == nil || ruleLine().MatchString(line) {
		return plainOpening(line)
	}
	return item[1] + " " + plainOpening(strings.TrimSpace(item[2]))
}

// plainOpening makes a line harmless whose first character stands where blocks begin.
func plainOpening(line string) string {
	numbered := numberStart().FindStringSubmatch(line)
	switch {
	case line == "":
		return ""
	case ruleLine().MatchString(line):
		return `\` + plainInline(line)
	case numbered != nil:
		return numbered[1] + `\` + plainInline(numbered[2])
	case strings.HasPrefix(line, "```"):
		return plainInline(strings.ReplaceAll(line, "`", "\\`"))
	case boldLabel().MatchString(line):
		return `\` + line[:1] + `\` + line[1:2] + plainInline(line[2:])
	case bulletStart().MatchString(line),
		strings.ContainsRune("#>|", rune(line[0])),
		strings.HasPrefix(line, "~~~"),
		line[0] == '[' && !linkStart().MatchString(line):
		return `\` + line[:1] + plainInline(line[1:])
	default:
		return plainInline(line)
	}
}

// plainInline takes HTML, autolinks and images out of a line
// and leaves no code span open, so that nothing reaches beyond it.
func plainInline(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		rest := line[i:]
		switch {
		case rest == `\`: // would be a hard line break
			b.WriteString(`\\`)
			i++
		case rest[0] == '\\' && rest[1] == '<':
			i++ // the next round writes it without help
		case rest[0] == '\\':
			b.WriteString(rest[:2])
			i += 2
		case rest[0] == '`':
			run := backticks(rest)
			if end := closingRun(rest[run:], run); end >= 0 {
				b.WriteString(rest[:run+end+run])
				i += run + end + run
				break
			}
			b.WriteString(strings.Repeat("\\`", run))
			i += run
		case rest[0] == '<' && len(rest) > 1 && opensHTML(rest[1]):
			b.WriteString("&lt;")
			i++
		case strings.HasPrefix(rest, "!["):
			b.WriteString(`!\[`)
			i += 2
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String()
}

func opensHTML(c byte) bool {
	return c == '/' || c == '!' || c == '?' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func backticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closingRun finds the next run of exactly n backticks, -1 if there is none.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := backticks(s[i:])
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// codeSpan quotes text that is to be read letter by letter, such as a command or a path.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(reportText(text)), " ")
	longest := 0
	for i := 0; i < len(text); {
		run := backticks(text[i:])
		longest = max(longest, run)
		i += max(run, 1)
	}
	fence, pad := strings.Repeat("`", longest+1), ""
	if longest > 0 {
		pad = " "
	}
	if text == "" {
		return ""
	}
	return fence + pad + text + pad + fence
}
