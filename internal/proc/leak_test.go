package proc_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/internal/proc"
)

func TestRedactor_Leak_findsSecretsInDisguise_AC06(t *testing.T) {
	const secret = "canary-Zq8vT3nLw0-canary"
	r := proc.NewRedactor([]string{secret, "short-1"})
	reversed := []byte(secret)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	for _, row := range []struct {
		name, text string
		leaks      bool
	}{
		{"words", "The retry has no limit, so a dead server is asked for ever.", false},
		{"the id of a commit", "since 5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689 it fails", false},
		{"the name of a test", "TestPublish_outdatesOlderReviewsOfTheSameKind_GH05_andKeepsOthers fails", false},
		{"a long path", "internal/verylongfoldername2/another_folder_of_1999/File-2026-11-21.golden.txt", false},
		{"a line of go.sum", "h1:Zk3vXq0LmT8rWb5YpN1sHc7DgJ2fKa9QeRu4abcdefg= is not what was there", false},
		{"a digest of a lock file", "sha512-Zk3vXq0LmT8rWb5YpN1sHc7DgJ2fKa9QeRu4abcdefg==", false},
		{"the secret", "it is " + secret, true},
		{"in pieces with words between", "first canary-Zq8v, then T3nLw0-, then canary", true},
		{"in pieces with words between, one of them short", "first canary-, then Zq8v, then T3nLw0-, then canary", true},
		{"in pieces with words between, reversed", "first " + string(reversed[:9]) + ", then " + string(reversed[9:]), true},
		{"one of its pieces", "a canary-Zq8v is a bird", false},
		{"a word of it, again and again", "canary canary canary canary", false},
		{"in pieces that words are made of", "can ary, then Zq8, then vT3, then nLw, then 0ca, then nary", false}, // nobody can tell
		{"with blanks in it", strings.Join(strings.Split(secret, ""), " "), true},
		{"with line feeds in it", secret[:9] + "\n" + secret[9:], true},
		{"reversed", string(reversed), true},
		{"in hexadecimal", hex.EncodeToString([]byte(secret)), true},
		{"in base64", base64.StdEncoding.EncodeToString([]byte(secret)), true},
		{"in base64 of something longer", base64.URLEncoding.EncodeToString([]byte("x=" + secret + "&y")), true},
		{"a GitHub token", "ghs_0123456789abcdefghij0123456789", true},
		{"a key that nobody told us", "use Zk3vXq0LmT8rWb5YpN1sHc7DgJ2fKa9QeRu4", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := r.Leak(row.text); (got != "") != row.leaks {
				t.Errorf("Leak(%q) = %q, want leaks = %v", row.text, got, row.leaks)
			}
		})
	}
}
