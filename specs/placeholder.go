package specs

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// placeholderText is what skeletons hold where an author has to write: "[Brief 1-2 sentence summary]".
var placeholderText = lazy(`^(?:\[[A-Za-z][^\]"]*\]|\{\{[^}]*\}\}|<[A-Z][A-Za-z ]*>|TODO|TBD|FIXME)\.?$`)

// isPlaceholder reports text that is nothing but a placeholder.
func isPlaceholder(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), "`*_\"")
	return placeholderText().MatchString(text) && !isNameList(text)
}

// isNameList reports "[auth, billing]": brackets around several single words.
func isNameList(text string) bool {
	words := strings.Split(strings.Trim(text, "[]."), ",")
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool {
		return len(strings.Fields(word)) != 1
	})
}

// placeholders finds the lines of a document that still hold what its skeleton put there.
// Code is left alone: brackets in it have their own meaning.
func (o *outline) placeholders() []int {
	var lines []int
	for line := range outsideFences(o.src, o.front.body) {
		if holdsPlaceholder(strings.TrimSpace(string(o.src[line.start:line.end]))) {
			lines = append(lines, o.line(line.start))
		}
	}
	return lines
}

// holdsPlaceholder reports a line with nothing but a placeholder behind its mark, box or label.
func holdsPlaceholder(line string) bool {
	// Hardly a line ends as placeholders do, and each expression below takes longer than a look at the end.
	if end := strings.TrimRight(line, "`*_\"."); end == "" || !strings.Contains("]}>ODE", end[len(end)-1:]) {
		return false
	}
	text := itemMarker().ReplaceAllString(line, "")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "[ ] "), "[x] ")
	text = strings.TrimLeft(text, "# ")
	if _, value, ok := labelled(text); ok {
		text = value
	}
	return isPlaceholder(text)
}

// excerptOf shortens text for a message.
func excerptOf(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if utf8.RuneCountInString(s) <= 60 {
		return s
	}
	return string([]rune(s)[:60]) + "…"
}
