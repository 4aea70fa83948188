package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestParsePatch(t *testing.T) {
	tests := []struct {
		name, patch string
		want        []Hunk
	}{
		{"none", "", nil},
		{"new file", "@@ -0,0 +1,2 @@\n+a\n+b", []Hunk{{0, 0, 1, 2}}},
		{"removed file", "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file", []Hunk{{1, 1, 0, 0}}},
		{"two hunks", "@@ -1,2 +1,2 @@ func x()\n a\n-b\n+c\n@@ -10,2 +10,3 @@\n d\n+e\n f\n", []Hunk{{1, 2, 1, 2}, {10, 2, 10, 3}}},
		{"content that looks like heads", "@@ -1,2 +1,2 @@\n-@@ -5 +5 @@\n+--- a\n x", []Hunk{{1, 2, 1, 2}}},
		{"cut by GitHub", "@@ -1,100 +1,100 @@\n a\n+b", []Hunk{{1, 1, 1, 2}}},
		{"an empty context line without its blank", "@@ -1,3 +1,3 @@\n a\n\n b", []Hunk{{1, 3, 1, 3}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParsePatch(tt.patch)
			must(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, patch := range []string{"+a", "@@ -x +1 @@", "@@ -1 +1 @@\n*", "@@ -99999999999 +1 @@"} {
		if got, err := ParsePatch(patch); err == nil || !strings.Contains(err.Error(), "patch line") {
			t.Errorf("%q: got %v, %v", patch, got, err)
		}
	}
}

// What git writes is read: every line that it shows is in a hunk, and every line that it adds is one of the new file's.
func TestParsePatch_readsWhatGitWrites(t *testing.T) {
	repo := gitopstest.New(t, "")
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "", " c", "+d", "-e", "@@ -1 +1 @@", "\\ f", "diff --git x y"})
		before := rapid.SliceOfN(line, 0, 30).Draw(t, "before")
		after := rapid.SliceOfN(line, 0, 30).Draw(t, "after")
		text := func(lines []string) string { return strings.Join(lines, "\n") }
		old, now := repo.Feed(text(before), "hash-object", "-w", "--stdin"), repo.Feed(text(after), "hash-object", "-w", "--stdin")
		diff := repo.Git("diff", "--no-color", old, now)
		at := strings.Index(diff, "\n@@")
		if at < 0 {
			return
		}
		hunks, err := ParsePatch(diff[at+1:])
		if err != nil {
			t.Fatalf("%v in\n%s", err, diff)
		}
		has := func(side Side, n int) bool {
			return Files{Changed: []File{{Path: "x", Hunks: hunks}}}.Has("x", side, n, n)
		}
		left, right := 0, 0
		for text := range strings.Lines(diff[at+1:] + "\n") {
			var a, b, c, d int
			if strings.HasPrefix(text, "@@ ") {
				head, _, _ := strings.Cut(text[3:], " @@")
				l, r, _ := strings.Cut(head, " ")
				if n, _ := fmt.Sscanf(l, "-%d,%d", &a, &b); n == 0 {
					t.Fatal(head)
				}
				if n, _ := fmt.Sscanf(r, "+%d,%d", &c, &d); n == 0 {
					t.Fatal(head)
				}
				left, right = a, c
				continue
			}
			if text[0] == '-' || text[0] == ' ' {
				if !has(Left, left) {
					t.Fatalf("left %d is in none of %v of\n%s", left, hunks, diff)
				}
				left++
			}
			if text[0] == '+' || text[0] == ' ' {
				if !has(Right, right) || after[right-1] != strings.TrimSuffix(text[1:], "\n") {
					t.Fatalf("right %d is in none of %v of\n%s", right, hunks, diff)
				}
				right++
			}
		}
	})
}

func FuzzParsePatch(f *testing.F) {
	f.Add("@@ -1,2 +1,2 @@\n a\n-b\n+c")
	f.Add("@@ -999999999,2 +1,2 @@\n a")
	f.Fuzz(func(t *testing.T, patch string) {
		hunks, err := ParsePatch(patch)
		lines := strings.Count(patch, "\n") + 1
		for _, h := range hunks {
			if err != nil || h.LeftCount < 0 || h.RightCount < 0 || h.LeftCount > lines || h.RightCount > lines || h.LeftStart < 0 || h.RightStart < 0 {
				t.Fatalf("%+v, %v", h, err)
			}
		}
	})
}
