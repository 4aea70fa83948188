package specs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// mergeCase is one file of testdata/merge: base, ours and theirs, each left out where the spec is not there,
// and what comes of it: want, or conflicts with marked; gone; edits, lost and hints, one on each line.
// Lines of the comment such as "crlf: theirs" change how files are written:
// crlf their line ends, bare the last of them, bom their first bytes. The sign ␠ is a space.
type mergeCase map[string]string

func readMergeCase(t testing.TB, name string) mergeCase {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := mergeCase{}
	for _, file := range archive.Files {
		c[file.Name] = strings.ReplaceAll(string(file.Data), "␠", " ")
	}
	for line := range strings.Lines(string(archive.Comment)) {
		how, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, file := range strings.Fields(names) {
			switch how {
			case "crlf":
				c[file] = strings.ReplaceAll(c[file], "\n", "\r\n")
			case "bare":
				c[file] = strings.TrimRight(c[file], "\n")
			case "bom":
				c[file] = "\ufeff" + c[file]
			}
		}
	}
	return c
}

func (c mergeCase) parts(t *testing.T, name string) *Parts {
	t.Helper()
	text, there := c[name]
	if !there {
		return nil
	}
	p, err := ParseParts("agentd/specs/auth.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lines[T any](list []T, line func(T) string) string {
	var out strings.Builder
	for _, one := range list {
		out.WriteString(line(one) + "\n")
	}
	return out.String()
}

func TestMerge_cases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "merge", "*.txtar"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := readMergeCase(t, file)
			sides := Sides{Spec: "auth", Base: c.parts(t, "base"), Ours: c.parts(t, "ours"), Theirs: c.parts(t, "theirs")}
			merged, err := Merge(sides)
			if err != nil {
				t.Fatal(err)
			}
			check := func(name, got string) {
				t.Helper()
				if want, said := c[name]; said && got != want {
					t.Errorf("%s: %s", name, cmp.Diff(want, got))
				}
			}
			if got := lines(merged.Conflicts, Conflict.String); got != c["conflicts"] {
				t.Errorf("conflicts: %s", cmp.Diff(c["conflicts"], got))
			}
			if got := lines(merged.Delta.Lost(), Edit.String); got != c["lost"] {
				t.Errorf("lost: %s", cmp.Diff(c["lost"], got))
			}
			if _, gone := c["gone"]; gone != merged.Gone {
				t.Errorf("gone is %v", merged.Gone)
			}
			check("want", string(merged.Text))
			check("marked", string(merged.Marked))
			check("edits", lines(merged.Delta.Edits, Edit.String))
			check("hints", lines(merged.Conflicts, func(c Conflict) string { return c.Hint }))
			if _, said := c["want"]; said && len(merged.Text) > 0 {
				again, err := Merge(Sides{Spec: "auth", Base: sides.Base, Ours: mustParts(t, merged.Text), Theirs: sides.Theirs})
				if err != nil || string(again.Text) != string(merged.Text) {
					t.Errorf("merged again: %v %v %s", err, again.Conflicts, cmp.Diff(string(merged.Text), string(again.Text)))
				}
			}
		})
	}
}

func mustParts(t *testing.T, text []byte) *Parts {
	t.Helper()
	p, err := ParseParts("agentd/specs/auth.md", text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
