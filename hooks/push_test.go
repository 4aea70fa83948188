package hooks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/hooks"
)

const (
	one  = "1111111111111111111111111111111111111111"
	two  = "2222222222222222222222222222222222222222"
	zero = "0000000000000000000000000000000000000000"
)

func TestParsePush_whatGitSays_HK03(t *testing.T) {
	tests := []struct {
		name, in string
		want     []hooks.Update
	}{
		{"nothing to push", "", nil},
		{"a new branch", "refs/heads/x " + one + " refs/heads/x " + zero + "\n", []hooks.Update{{"refs/heads/x", one, "refs/heads/x", zero}}},
		{"a deletion", "(delete) " + zero + " refs/heads/x " + two + "\n", []hooks.Update{{"(delete)", zero, "refs/heads/x", two}}},
		{"a tag", "refs/tags/v1 " + one + " refs/tags/v1 " + zero + "\n", []hooks.Update{{"refs/tags/v1", one, "refs/tags/v1", zero}}},
		{"HEAD", "HEAD " + one + " refs/for/main " + two + "\n", []hooks.Update{{"HEAD", one, "refs/for/main", two}}},
		{"an id", one + " " + one + " refs/heads/x " + two + "\n", []hooks.Update{{one, one, "refs/heads/x", two}}},
		{"an expression with blanks", "HEAD@{2 days ago} " + one + " refs/heads/x " + two + "\n", []hooks.Update{{"HEAD@{2 days ago}", one, "refs/heads/x", two}}},
		{"an empty line, and no end", "\nHEAD " + one + " refs/heads/x " + two, []hooks.Update{{"HEAD", one, "refs/heads/x", two}}},
		{"SHA-256", "HEAD " + strings.Repeat("a", 64) + " refs/heads/x " + strings.Repeat("0", 64) + "\n", []hooks.Update{{"HEAD", strings.Repeat("a", 64), "refs/heads/x", strings.Repeat("0", 64)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := hooks.ParsePush(strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	gone, _ := hooks.ParsePush(strings.NewReader("(delete) " + zero + " refs/heads/x " + two + "\n"))
	if !gone[0].Deletes() || gone[0].Creates() {
		t.Error("a deletion is not one, or is a new branch")
	}
}

func TestParsePush_refusesWhatGitNeverSays(t *testing.T) {
	for _, in := range []string{
		"x", "a b c d", "HEAD " + one + " refs/heads/x", "HEAD " + one + " main " + two, " " + one + " refs/heads/x " + two,
		"HEAD " + strings.ToUpper(strings.Repeat("a", 40)) + " refs/heads/x " + two, strings.Repeat("x", 100<<10),
	} {
		if got, err := hooks.ParsePush(strings.NewReader(in + "\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%.50q: %v, %v", in, got, err)
		}
	}
}

func TestParsePush_manyReferences_HK10(t *testing.T) {
	var in strings.Builder
	const many = 3000
	for i := range many {
		fmt.Fprintf(&in, "refs/heads/b%d %s refs/heads/b%d %s\n", i, one, i, two)
	}
	got, err := hooks.ParsePush(strings.NewReader(in.String()))
	if err != nil || len(got) != many || got[many-1].Remote != "refs/heads/b2999" {
		t.Errorf("%d references, %v", len(got), err)
	}
}

func FuzzParsePush_HK03(f *testing.F) {
	f.Add("HEAD " + one + " refs/heads/x " + two + "\n")
	f.Add("(delete) " + zero + " refs/heads/x " + two + "\n\n")
	f.Add(":/a b " + one + " refs/heads/x " + zero)
	f.Fuzz(func(t *testing.T, in string) {
		updates, err := hooks.ParsePush(strings.NewReader(in))
		if err != nil {
			return
		}
		var again strings.Builder
		for _, u := range updates {
			fmt.Fprintf(&again, "%s %s %s %s\n", u.Local, u.LocalID, u.Remote, u.RemoteID)
		}
		back, err := hooks.ParsePush(strings.NewReader(again.String()))
		if err != nil || !cmp.Equal(updates, back) {
			t.Errorf("%q became %q: %v", updates, back, err)
		}
	})
}
