package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestHarmless_leavesTheRunnerNothingToObey_AC01(t *testing.T) {
	for in, want := range map[string]string{
		"a plain :: line":              "a plain :: line",
		"::set-env name=x::y":          ": :set-env name=x::y",
		"first\n  ::add-mask::x\nlast": "first\n  : :add-mask::x\nlast",
		"text ##[set-env name=x]y":     "text # #[set-env name=x]y",
	} {
		if got := harmless(in); got != want {
			t.Errorf("harmless(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRedactedLines_blanksWhatComesInPieces_AC14(t *testing.T) {
	var out bytes.Buffer
	w := &redactedLines{w: &out, r: proc.NewRedactor([]string{"hunter22-canary"})}
	for _, piece := range []string{"one hunter", "22-can", "ary two\nthree ", "hunter22-canary\n"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", piece, n, err)
		}
	}
	if got, want := out.String(), "one [redacted] two\nthree [redacted]\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if strings.Contains(out.String(), "hunter") {
		t.Error("a piece is there")
	}
}
