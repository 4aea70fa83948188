package github

import (
	"regexp"
	"strings"
	"unicode"
)

// Sanitizer makes a model's words fit to be posted under our name. Everything that a model wrote goes through it.
//
// What comes out holds no secret that Redact knows, no marker of ours and no HTML, mentions nobody,
// refers to no issue, commands no bot, and links to nothing but files and commits of the repository.
// It is told from what GitHub would make of the text, not from how the text looks:
// whatever could be read in two ways is turned into plain characters.
type Sanitizer struct {
	Target Target              // whose files may be linked
	Redact func(string) string // required
}

// breaker is put where two characters must not meet. The reader does not see it, GitHub's filters do.
const breaker = "\u200d"

// Text is for bodies: Markdown paragraphs, lists, inline code and fenced code stay.
// It has at most most bytes, so that parts of known sizes make a body of a known size.
func (s Sanitizer) Text(text string, most int) string {
	most = max(most, 0)
	text = s.plain(text)
	for limit := most; ; limit -= max(limit/4, 1) {
		out := s.blocks(cutBytes(text, limit))
		if len(out) <= most {
			return out
		}
	}
}

// Line is Text in one line, without fences.
func (s Sanitizer) Line(text string, most int) string {
	most = max(most, 0)
	text = strings.Join(strings.Fields(s.plain(text)), " ")
	for limit := most; ; limit -= max(limit/4, 1) {
		out := s.inline(cutBytes(text, limit))
		if len(out) <= most {
			return out
		}
	}
}

// Title is for what GitHub does not read as Markdown: titles of pull requests, descriptions of statuses.
// It has at most most code points.
func (s Sanitizer) Title(text string, most int) string {
	text = strings.Join(strings.Fields(s.plain(text)), " ")
	return cutRunes(references.ReplaceAllString(text, "$1"+breaker+"$2"), most)
}

// references are what GitHub links in a title: #1 and GH-1, and in most places @name.
var references = regexp.MustCompile(`(?i)(@|#|gh-)([a-z0-9])`)

// plain drops what cannot be seen, and blanks secrets: before, and again in what comments and the invisible may have held apart.
func (s Sanitizer) plain(text string) string {
	return s.Redact(withoutComments(seen(s.Redact(strings.ToValidUTF8(text, "\uFFFD")))))
}

// seen is a text in lines of valid UTF-8, without characters that cannot be seen.
func seen(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || isVisible(r) {
			return r
		}
		return -1
	}, text)
}

// isVisible refuses Unicode's category C (controls, formats such as zero width and bidirectional, private use, unassigned),
// and the letters and symbols that are blank all the same.
func isVisible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return false
	}
	if unicode.Is(unicode.Variation_Selector, r) {
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

// withoutComments drops HTML comments, and breaks what begins one and does not end it.
func withoutComments(text string) string {
	for {
		from := strings.Index(text, "<!--")
		if from < 0 {
			return text
		}
		length := strings.Index(text[from+len("<!--"):], "-->")
		if length < 0 {
			return withoutMarkers(text)
		}
		text = text[:from] + text[from+len("<!--")+length+len("-->"):]
	}
}

// blocks writes fenced code anew and sends every other line through inline.
func (s Sanitizer) blocks(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	var b strings.Builder
	for i := 0; i < len(lines); i++ {
		if open := fence.FindStringSubmatch(lines[i]); open != nil && !strings.Contains(open[2], "`") {
			end := i + 1
			for end < len(lines) && !closes(lines[end], open[1]) {
				end++
			}
			writeFence(&b, open[2], lines[i+1:min(end, len(lines))])
			i = end
			continue
		}
		b.WriteString(s.inline(strings.TrimRight(lines[i], " \t")))
		b.WriteByte('\n')
	}
	return strings.Trim(b.String(), "\n")
}

var fence = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")

func closes(line, open string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(open) && strings.Trim(line, open[:1]) == ""
}

// writeFence writes code as a block of its own at the left edge, where nothing around it can end it early.
func writeFence(b *strings.Builder, info string, code []string) {
	marks := 3
	for _, line := range code {
		marks = max(marks, longestRun(line, '`')+1)
	}
	tick := strings.Repeat("`", marks)
	b.WriteString("\n" + tick + language(info) + "\n")
	for _, line := range code {
		b.WriteString(line + "\n")
	}
	b.WriteString(tick + "\n\n")
}

var word = regexp.MustCompile(`^[A-Za-z0-9+#.-]{1,20}`)

// language is the fence's language, unless GitHub does more with it than colour:
// a suggestion is applied by one click, diagrams and maps are drawn.
func language(info string) string {
	name := word.FindString(info)
	switch strings.ToLower(name) {
	case "suggestion", "mermaid", "math", "geojson", "topojson", "stl":
		return "text"
	}
	return name
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// cutBytes cuts before a code point.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := max(most-len(ellipsis), 0)
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	if end == 0 {
		return ""
	}
	return s[:end] + ellipsis
}
