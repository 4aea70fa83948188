package inbox

import (
	"regexp"
	"strings"
	"sync"
)

// terminalSequence matches what a terminal would obey: CSI, OSC with its text, and the two-byte escapes.
var terminalSequence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]`)
})

// normalise makes text from anywhere fit for a document:
// LF line ends, no byte order mark, no terminal sequences and no control characters but tab and newline.
// Text that is fit already comes back unchanged, and normalising twice changes nothing.
func normalise(s string) string {
	s = strings.TrimLeft(s, "\ufeff")
	if strings.IndexFunc(s, unfit) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = terminalSequence().ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		if unfit(r) {
			return -1
		}
		return r
	}, s)
	return strings.TrimLeft(s, "\ufeff")
}

// unfit reports a control character other than tab and newline.
func unfit(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0
}

// finishDocument gives a whole document its one final newline.
func finishDocument(doc string) []byte {
	return []byte(strings.TrimRight(doc, "\n") + "\n")
}
