package specs

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzMerge checks that no three texts stop a merge, and that the laws of merging hold for all of them.
func FuzzMerge(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "merge", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		c := readMergeCase(f, file)
		f.Add(c["base"], c["ours"], c["theirs"])
	}
	for i, text := range awkward {
		f.Add(canonicalSpec, canonicalSpec+text, text+canonicalSpec)
		f.Add(text, awkward[(i+1)%len(awkward)], awkward[(i+7)%len(awkward)])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if len(base)+len(ours)+len(theirs) > 20_000 {
			return
		}
		for _, text := range []string{base, ours, theirs} {
			if Unresolved([]byte(text)) {
				return // half a marker is text, and would be found again
			}
		}
		var laws mergeLaws
		laws.check(t, base, ours, theirs, loose)
		anything(t, base, ours, theirs)
	})
}

// anything merges what may be a delta, too, and checks that the outcome is one or the other.
func anything(t *testing.T, texts ...string) {
	t.Helper()
	var parts [3]*Parts
	for i, text := range texts {
		p, err := ParseParts("specs/x.md", []byte(text))
		if err != nil {
			return
		}
		if i < 2 && len(strings.TrimSpace(text)) == 0 {
			p = nil // no file
		}
		agree(t, []byte(text))
		parts[i] = p
	}
	Compare(parts[0], parts[2])
	merged, err := Merge(Sides{Spec: "x", Base: parts[0], Ours: parts[1], Theirs: parts[2]})
	switch {
	case err != nil:
		t.Fatal(err)
	case len(merged.Conflicts) > 0 && (merged.Text != nil || !Unresolved(merged.Marked)):
		t.Fatalf("conflicts %v, text %q, marked %q", merged.Conflicts, merged.Text, merged.Marked)
	case len(merged.Conflicts) == 0 && merged.Marked != nil:
		t.Fatalf("marked without conflicts: %q", merged.Marked)
	}
	for _, c := range merged.Conflicts {
		if c.Hint == "" || c.String() == "" || c.Ref.Spec != "x" {
			t.Fatalf("odd conflict %+v", c)
		}
	}
}
