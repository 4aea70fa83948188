package github

import "strings"

// Words are what a reader of GitHub's pages sees of what somebody wrote: valid UTF-8 in lines,
// without HTML comments and without characters that cannot be seen, of at most most bytes.
//
// They are data for the record and for agents, and fit to be posted only through a [Sanitizer]:
// mentions, links and Markdown are as they were.
func Words(text string, most int) string {
	return strings.TrimSpace(cutBytes(withoutComments(seen(text)), max(most, 0)))
}
