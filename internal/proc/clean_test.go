package proc_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestClean_AG08(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"plain text is left alone", "Grüße,\n\t世界 ✓ 🙂", "Grüße,\n\t世界 ✓ 🙂"},
		{"AG-08 colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"AG-08 cursor and clear screen", "a\x1b[2J\x1b[H\x1b[10;5Hb", "ab"},
		{"AG-08 OSC 8 link", "\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"AG-08 OSC 52 clipboard write", "a\x1b]52;c;cm0gLXJm\x07b", "ab"},
		{"AG-08 C1 control sequence introducer", "a\u009b31mb", "a31mb"},
		{"AG-08 carriage return overwrites", "harmless\rrm -rf /", "harmless\nrm -rf /"},
		{"AG-08 line end of other systems", "one\r\ntwo\r\n", "one\ntwo\n"},
		{"AG-08 backspace", "safe\b\b\b\bevil", "safeevil"},
		{"AG-08 bidirectional controls", "a\u202egnp.exe\u202c\u2066b\u2069", "agnp.exeb"},
		{"AG-08 zero width", "pass\u200bword\ufeff\u200d", "password"},
		{"AG-08 unfinished escape", "text\x1b", "text"},
		{"AG-07 invalid UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"AG-07 lone surrogate", "a\xed\xa0\x80b", "a\uFFFDb"},
		{"AG-07 NUL", "a\x00b", "ab"},
		{"AG-07 UTF-16", "h\x00i\x00\n\x00", "hi\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := proc.Clean(row.in); got != row.want {
				t.Errorf("Clean(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

func TestClean_plainTextCostsNothing(t *testing.T) {
	text := strings.Repeat("a line of a log\n", 1000)
	if n := testing.AllocsPerRun(10, func() { proc.Clean(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzClean_AG08(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "\x1b[31mred\x1b[0m", "\x1b]52;c;x\x07", "\u009b2J", "a\rb", "\x1b\x1b[[0mm", "\xff\x1b[", "\x1bP1$q\x1b\\x", "a\u0308\u200d",
		"\x1b\u202e[31m", "\x1b[3\r1m", "\x90\x9c", "\U000e0041", "\ufffd",
	} {
		f.Add(seed)
	}
	allowed := regexp.MustCompile(`^[\P{C}\n\t]*$`)
	f.Fuzz(func(t *testing.T, s string) {
		clean := proc.Clean(s)
		if !utf8.ValidString(clean) || !allowed.MatchString(clean) {
			t.Errorf("Clean(%q) = %q", s, clean)
		}
		if again := proc.Clean(clean); again != clean {
			t.Errorf("Clean(%q) = %q, and again = %q", s, clean, again)
		}
	})
}
