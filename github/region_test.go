package github

import (
	"strings"
	"testing"
)

func TestSetRegion(t *testing.T) {
	tests := []struct{ name, body, text, want string }{
		{"nothing yet", "", "a", regionBegin + "\na\n" + regionEnd},
		{"after a person's text", "Hello", "a", "Hello\n\n" + regionBegin + "\na\n" + regionEnd},
		{"replaced", "x" + regionBegin + "old" + regionEnd + "y", "a", "x" + regionBegin + "\na\n" + regionEnd + "y"},
		{"the same with CRLF", "x\r\n" + regionBegin + "\r\na\r\nb\r\n" + regionEnd, "a\nb\n", "x\r\n" + regionBegin + "\r\na\r\nb\r\n" + regionEnd},
		{"a marker alone", regionEnd + " and " + regionBegin, "a", regionEnd + " and " + regionBegin + "\n\n" + regionBegin + "\na\n" + regionEnd},
		{"two begin", regionBegin + "mine" + regionBegin + "old" + regionEnd, "a", regionBegin + "mine" + regionBegin + "\na\n" + regionEnd},
		{"a marker in our text", "", "a" + regionEnd, regionBegin + "\na" + strings.Replace(regionEnd, "<!--", "<! --", 1) + "\n" + regionEnd},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := SetRegion(tt.body, tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What is around our part stays to the byte, our text is found again, and setting it again changes nothing.
func FuzzSetRegion(f *testing.F) {
	f.Add("Hello\r\n", "a\nb", "c")
	f.Add("0", "\r", "\r\n\r")
	f.Add(regionBegin, regionEnd, regionBegin+regionEnd)
	f.Add("x"+regionBegin+"y"+regionEnd+"z", "\n", "<!--")
	f.Fuzz(func(t *testing.T, body, first, second string) {
		before, after := body, ""
		if from, to, found := findRegion(body); found {
			before, after = body[:from], body[to:]
		}
		for _, text := range []string{first, second} {
			body = SetRegion(body, text)
			if !strings.HasPrefix(body, before) || !strings.HasSuffix(body, after) {
				t.Fatalf("%q lost what was around %q and %q", body, before, after)
			}
			want := strings.Trim(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(withoutMarkers(text)), "\n")
			if got, found := Region(body); !found || got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			if again := SetRegion(body, text); again != body {
				t.Fatalf("again: %q, not %q", again, body)
			}
		}
	})
}
