package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// maxBlock bounds one data block.
// The smallest limit that an agent's program sets on a whole prompt is 1,048,576 characters (Codex).
const maxBlock = 64 << 10

// fence marks where text begins and ends that is not ours.
// One mark serves all blocks of a prompt, so that no block can pretend to end another.
type fence struct{ mark string }

// newFence finds a mark that occurs in none of the texts.
// It is derived from them, so that the same prompt always has the same bytes;
// whoever writes a text cannot know the mark, for writing it down would change it.
func newFence(texts []string) fence {
	all := strings.Join(texts, "\x00")
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", n, all))
		mark := "DATA-" + hex.EncodeToString(sum[:6])
		if !strings.Contains(all, mark) {
			return fence{mark}
		}
	}
}

// block is a text between its two lines. The label is ours.
func (f fence) block(label, text string) string {
	return fmt.Sprintf("BEGIN %s (%s)\n%s\nEND %s", f.mark, label, text, f.mark)
}

// clean makes text of others fit to stand in a block:
// valid UTF-8, plain line ends, no runs of empty lines, nothing that a reader cannot see, bounded.
//
// Gemini and Claude replace "@path" anywhere in a prompt by the content of that file,
// so the at sign is written as its full-width twin U+FF20; the prompt says so.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = cut(strings.Map(visible, text), maxBlock)
	return strings.Trim(fold(text), "\n")
}

// fold makes one empty line of many.
func fold(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// visible maps one character of foreign text; -1 drops it.
// Format characters (Cf: bidi controls, zero-width, tags) can hide orders from a person who reads along.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
		return '\n'
	case r == '@':
		return '＠'
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		return -1
	default:
		return r
	}
}

// cut keeps the beginning and the end of a text that is too long, and says how much is missing.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head := strings.ToValidUTF8(text[:limit/2], "")
	tail := strings.ToValidUTF8(text[len(text)-limit/2:], "")
	missing := len(text) - len(head) - len(tail)
	return fmt.Sprintf("%s\n[... %d KiB left out ...]\n%s", head, (missing+1023)/1024, tail)
}

// line is clean for something that belongs on one line, such as a file name or a title.
func line(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}
