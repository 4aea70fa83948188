package github

import (
	"strings"
	"testing"
)

func TestParseMarker(t *testing.T) {
	m := Marker{Kind: "challenge", Change: "add-oauth", Round: 2, Head: "abc", Key: "k"}
	for _, body := range []string{m.String(), "text\n\n" + m.String(), "text\r\n" + m.String() + "\r\n\n"} {
		if got, ok := ParseMarker(body); !ok || got != m {
			t.Errorf("%q: got %+v", body, got)
		}
	}
	for _, body := range []string{"", "x " + m.String(), m.String() + "\nmore", strings.Replace(m.String(), "v1", "v2", 1), "> " + m.String()} {
		if got, ok := ParseMarker(body); ok {
			t.Errorf("%q is taken for %+v", body, got)
		}
	}
}

func FuzzMarker(f *testing.F) {
	f.Add("challenge", "add-oauth", 1, "abc", "k")
	f.Add("--> <!-- agentd v1", "a b\n", -1, "%", "ü=&")
	f.Fuzz(func(t *testing.T, kind, change string, round int, head, key string) {
		m := Marker{Kind: kind, Change: change, Round: round % 1_000_000, Head: head, Key: "k" + key}
		text := m.String()
		if strings.Count(text, "-->") != 1 || strings.ContainsAny(text, "\r\n") {
			t.Fatalf("%q is not one comment in one line", text)
		}
		if got, ok := ParseMarker("text\n\n" + text); !ok || got != m {
			t.Fatalf("got %+v, want %+v", got, m)
		}
	})
}

func TestReview_Key(t *testing.T) {
	base := Review{Kind: "challenge", Change: "a", Round: 1, Head: "h", Findings: []Finding{{ID: "R1", Text: "x"}}}
	other := base
	other.Heading, other.Summary, other.Footer, other.Moved = "words", "more", "last", MovedComment
	if base.Key() != other.Key() {
		t.Error("words around the findings make another review")
	}
	for name, r := range map[string]Review{
		"kind": {Kind: "review", Change: "a", Round: 1, Head: "h", Findings: base.Findings}, "round": {Kind: "challenge", Change: "a", Round: 2, Head: "h", Findings: base.Findings},
		"head": {Kind: "challenge", Change: "a", Round: 1, Head: "i", Findings: base.Findings}, "findings": {Kind: "challenge", Change: "a", Round: 1, Head: "h"},
	} {
		if r.Key() == base.Key() {
			t.Errorf("another %s has the same key", name)
		}
	}
}
