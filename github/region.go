package github

import "strings"

// What stands between these two lines of a pull request's body is ours, everything else is the author's.
const (
	regionBegin = "<!-- agentd:begin -->"
	regionEnd   = "<!-- agentd:end -->"
)

// SetRegion puts a text into our part of a pull request's body, and makes that part at the end where there is none.
// Not a byte outside of it changes. A text that is there already, whatever its line ends, changes nothing.
func SetRegion(body, text string) string {
	text = strings.Trim(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(withoutMarkers(text)), "\n")
	from, to, found := findRegion(body)
	if !found {
		switch {
		case body == "" || strings.HasSuffix(body, "\n\n"):
		case strings.HasSuffix(body, "\n"):
			body += "\n"
		default:
			body += "\n\n"
		}
		return body + regionBegin + "\n" + text + "\n" + regionEnd
	}
	if have, _ := Region(body); have == text {
		return body
	}
	return body[:from] + "\n" + text + "\n" + body[to:]
}

// Region is our part of a body, with LF as line ends: the editor of GitHub's pages writes CRLF.
func Region(body string) (string, bool) {
	from, to, found := findRegion(body)
	if !found {
		return "", false
	}
	return strings.Trim(strings.ReplaceAll(body[from:to], "\r\n", "\n"), "\n"), true
}

// findRegion finds the last whole region, between its markers.
// A marker that lost its partner to somebody's edit is text like any other.
func findRegion(body string) (from, to int, found bool) {
	to = strings.LastIndex(body, regionEnd)
	if to < 0 {
		return 0, 0, false
	}
	from = strings.LastIndex(body[:to], regionBegin)
	if from < 0 {
		return 0, 0, false
	}
	return from + len(regionBegin), to, true
}

// withoutMarkers breaks every HTML comment's beginning, so that no text can hold a marker of ours.
func withoutMarkers(text string) string { return strings.ReplaceAll(text, "<!--", "<! --") }
