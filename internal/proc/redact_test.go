package proc_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestRedactor_String_AG24(t *testing.T) {
	r := proc.NewRedactor([]string{"hunter22-canary", "two\nlines-of-key\n", "x", "", "a b c d e f",
		"canary/with/slash", "-----BEGIN PRIVATE KEY-----\nMIIcanary0123456789\nshort\n-----END PRIVATE KEY-----\n"})
	for _, row := range []struct{ name, in, want string }{
		{"nothing to hide", "a plain line", "a plain line"},
		{"known value", "key=hunter22-canary;", "key=[redacted];"},
		{"known value twice", "hunter22-canaryhunter22-canary", "[redacted]"},
		{"inside JSON", `{"k":"two\nlines-of-key\n"}`, `{"k":"[redacted]"}`},
		{"key without its last line feed", "two\nlines-of-key", "[redacted]"},
		{"inside JSON with escaped slashes", `{"k":"canary\/with\/slash"}`, `{"k":"[redacted]"}`},
		{"one line of a key", "-----BEGIN PRIVATE KEY-----\n> MIIcanary0123456789\n> short", "-----BEGIN PRIVATE KEY-----\n> [redacted]\n> short"},
		{"too short to be one", "x marks the spot", "x marks the spot"},
		{"GitHub token", "token ghp_0123456789abcdefghij0123456789abcdef.", "token [redacted]."},
		{"GitHub fine-grained token", "github_pat_11ABCDEFG0123456789_abcdef", "[redacted]"},
		{"OpenAI and Anthropic keys", "sk-ant-" + "api03-abcdefgh01234567 and sk-proj-0123456789abcdef", "[redacted] and [redacted]"},
		{"a word that only ends so", "task-with-a-very-long-name-indeed", "task-with-a-very-long-name-indeed"},
		{"a word that only begins so", "ghp_short risk-averse", "ghp_short risk-averse"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := r.String(row.in); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	if !r.Find([]byte("…hunter22-canary…")) || r.Find([]byte("hunter22-canar")) {
		t.Error("Find disagrees with String")
	}
}

func TestRedactor_Writer_seesWhatComesInPieces_AG24(t *testing.T) {
	secrets := []string{"hunter22-canary", "aaaaaa", "-canary-tail", "ghp_0123456789abcdefghij0123456789abcdef"}
	r := proc.NewRedactor(secrets[:3])
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom(secrets), rapid.StringMatching(`[b-f \n]{0,12}`), rapid.SampledFrom([]string{"hunter22", "aaa", "ghp_", " "}),
		)).Draw(t, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		var out bytes.Buffer
		w := r.Writer(&out)
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := r.String(text); out.String() != want {
			t.Fatalf("in pieces %q, whole %q", out.String(), want)
		}
		for _, secret := range secrets {
			if strings.Contains(out.String(), secret) {
				t.Fatalf("%q holds %q", out.String(), secret)
			}
		}
	})
}

func TestRedactor_Writer_holdsBackLittle(t *testing.T) {
	r := proc.NewRedactor([]string{"hunter22-canary"})
	var out bytes.Buffer
	w := r.Writer(&out)
	flood := bytes.Repeat([]byte("hunter22-canary"), 1<<16)
	for range 4 {
		if _, err := w.Write(flood); err != nil {
			t.Fatal(err)
		}
	}
	line := bytes.Repeat([]byte{'z'}, 1<<20)
	if _, err := w.Write(line); err != nil {
		t.Fatal(err)
	}
	if out.Len() < len(line)-4096 {
		t.Errorf("%d bytes came through of %d", out.Len(), len(line))
	}
	if err := w.Close(); err != nil || bytes.Contains(out.Bytes(), []byte("canary")) {
		t.Errorf("close = %v; secret in the output: %v", err, bytes.Contains(out.Bytes(), []byte("canary")))
	}
}
