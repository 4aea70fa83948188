package github

import (
	"unicode/utf16"
	"unicode/utf8"
)

const ellipsis = "…"

// cutRunes cuts a text to that many code points, with an ellipsis as the last where something is gone.
func cutRunes(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	if most <= 0 {
		return ""
	}
	n := 0
	for i := range s {
		if n == most-1 {
			return s[:i] + ellipsis
		}
		n++
	}
	return s
}

// utf16Len is a text's length in the larger of the units that GitHub may count.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// cutUTF16 cuts a text to that many units of [utf16Len].
func cutUTF16(s string, most int) string {
	if utf16Len(s) <= most {
		return s
	}
	if most <= 0 {
		return ""
	}
	n := 0
	for i, r := range s {
		if n += max(utf16.RuneLen(r), 1); n > most-1 {
			return s[:i] + ellipsis
		}
	}
	return s
}
