package specs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostText bounds one text in STATE.yaml, in bytes.
// Names of models come from agents, and a file that has grown beyond MaxDocument could not be read again.
const mostText = 2 << 10

var (
	// plainText is what every YAML reader takes for the same text, in a flow mapping as well.
	plainText = lazy(`^[A-Za-z](?:[A-Za-z0-9_./@+-]| [A-Za-z0-9_./@+-]|:[A-Za-z0-9_/])*$`)
	// plainHex is an object id; with two letters in it, it cannot be taken for a number.
	plainHex = lazy(`^[0-9a-f]*[a-f][0-9a-f]*[a-f][0-9a-f]*$`)
)

// yamlText writes a text as one YAML scalar on one line, "" for an empty one.
// What could be read as anything else is quoted.
func yamlText(s string) string {
	s = boundedText(s)
	if s == "" {
		return ""
	}
	if plainHex().MatchString(s) || plainText().MatchString(s) && !isYAMLWord(s) {
		return s
	}
	return yamlQuoted(s)
}

// isYAMLWord reports the words that some reader takes for a truth value or nothing.
func isYAMLWord(s string) bool {
	return slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
}

// boundedText makes text valid UTF-8 and cuts what is too long, visibly.
func boundedText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= mostText {
		return s
	}
	cut := mostText - 32 // room for the words below, so that a cut text is not cut again
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… %d bytes cut", s[:cut], len(s)-cut)
}

// yamlQuoted writes a text in double quotes.
// Every character that a YAML reader would refuse or fold is escaped,
// among them those that show a text as another than it is.
func yamlQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range boundedText(s) {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
