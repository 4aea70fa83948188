package phases_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestParseTrailers(t *testing.T) {
	for _, tc := range []struct{ name, message, want string }{
		{"a block", "s\n\nA: 1\nB: 2\n", "A=1 B=2"},
		{"only the last paragraph", "s\n\nA: 1\n\nB: 2\n", "B=2"},
		{"never the first paragraph", "A: 1\nB: 2\n", ""},
		{"never the first, after blank lines", "\n\nA: 1\n", ""},
		{"text after the block", "s\n\nA: 1\n\ntext\n", ""},
		{"blanks around the colon", "s\n\nA : \t1 \t\n", "A=1"},
		{"continued", "s\n\nA: 1\n  2\n\t3\nB: 4\n", "A=1 2 3 B=4"},
		{"a continuation of nothing", "s\n\n 1\nA: 1\n", "A=1"},
		{"foreign lines between", "s\n\nA: 1\nTicket ABC-1\nB: 2\n", "A=1 B=2"},
		{"a foreign line is not continued", "s\n\nA: 1\nTicket\n ABC-1\n", "A=1"},
		{"blank lines of blanks", "s\n \t\nA: 1\n   \n", "A=1"},
		{"Windows line ends", "s\r\n\r\nA: 1\r\n", "A=1"},
		{"no key", "s\n\n: 1\n-x: 2\na_b: 3\na.b: 4\nhttp://x\n", "http=//x"},
		{"empty value", "s\n\nA:\n", "A="},
		{"value with colons", "s\n\nA: b: c\n", "A=b: c"},
		{"empty message", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			trailers, err := phases.ParseTrailers(tc.message)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, trailer := range trailers {
				got = append(got, trailer.Key+"="+trailer.Value)
			}
			if d := cmp.Diff(tc.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFormatTrailers_refuses_ID12(t *testing.T) {
	for _, bad := range []phases.Trailer{
		{"A", "1\nAgentd-Phase: complete"}, {"A", "1\r"}, {"A", "1\x00"}, {"A", "1\x1b[0m"}, {"A", "\u0085"}, {"A", "a\u2028b"},
		{"A", ""}, {"A", " 1"}, {"A", "1 "}, {"A", "\t1"}, {"A", "\xff"},
		{"", "1"}, {"A B", "1"}, {"A:", "1"}, {"a_b", "1"}, {"-a", "1"}, {"1a", "1"}, {"A\nB", "1"}, {"É", "1"},
	} {
		if block, err := phases.FormatTrailers([]phases.Trailer{{"X", "1"}, bad}); err == nil || block != "" {
			t.Errorf("%q was written as %q", bad, block)
		}
	}
}

func TestFormatTrailers_gitReadsTheSame(t *testing.T) {
	git := needGit(t)
	rapid.Check(t, func(rt *rapid.T) {
		trailers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) phases.Trailer {
			return phases.Trailer{
				Key: rapid.StringMatching(`[A-Za-z][A-Za-z0-9-]{0,20}`).Draw(t, "key"),
				Value: rapid.OneOf(rapid.Map(rapid.String(), phases.OneLine), rapid.SampledFrom([]string{"---", "# x", "Agentd-Phase: x", ": x", "="})).
					Filter(func(s string) bool { return s != "" }).Draw(t, "value"),
			}
		}), 1, 6).Draw(rt, "trailers")
		block, err := phases.FormatTrailers(trailers)
		if err != nil {
			rt.Fatal(err)
		}
		message := "subject\n\nbody\n\n" + block
		back, err := phases.ParseTrailers(message)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(trailers, back); d != "" {
			rt.Fatal(d)
		}
		if got := git(rt, message, "--no-divider"); got != block {
			rt.Fatalf("git reads\n%q\nwe wrote\n%q", got, block)
		}
	})
}

func FuzzParseTrailers(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
		f.Add("subject\n\n" + text)
	}
	f.Add("s\n\nagentd-PHASE: Complete\nAgentd-Phase: proposed\nTicket ABC-1\n folded\n")
	f.Fuzz(func(t *testing.T, message string) {
		trailers, err := phases.ParseTrailers(message)
		if err != nil {
			return
		}
		for _, trailer := range trailers {
			if strings.Trim(trailer.Value, " \t\r") != trailer.Value || strings.Contains(trailer.Value, "\n") {
				t.Errorf("value %q", trailer.Value)
			}
		}
		block, err := phases.FormatTrailers(trailers)
		if err != nil {
			return // what others wrote may be more than we write
		}
		back, err := phases.ParseTrailers("s\n\n" + block)
		if err != nil || len(back) != len(trailers) {
			t.Fatalf("%v, %v", back, err)
		}
		if d := cmp.Diff(trailers, back); len(trailers) > 0 && d != "" {
			t.Error(d)
		}
		if _, err := phases.ParseMessage(message); err != nil && len(err.Error()) > 1000 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	})
}
