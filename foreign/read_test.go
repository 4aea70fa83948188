package foreign_test

import (
	stdcmp "cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentd/gh-agentd/foreign"
	"github.com/agentd/gh-agentd/phases"
)

// TestRead compares what is read of each tree in testdata with the file "want" at its end.
// UPDATE_SCRIPTS=1 writes it anew: read the difference before you commit it.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, want := foreign.Tree{}, ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				tree[f.Name] = f.Data
			}
			got := told(foreign.Read(tree, foreign.Options{}))
			if os.Getenv("UPDATE_SCRIPTS") != "" && got != want {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// told is a collection as text: each change with its notes, and what became of its files.
func told(c foreign.Collection) string {
	var b strings.Builder
	for _, change := range c.Changes {
		phase := change.Phase.String()
		if change.Phase == phases.None {
			phase = "history in " + change.Into
		}
		fmt.Fprintf(&b, "%s: %s, claims %q\n", change.ID, phase, change.Claimed)
		if change.Err != nil {
			fmt.Fprintf(&b, "  error: %v\n", change.Err)
		}
		for _, note := range change.Notes {
			mark := "note"
			if note.Contradiction {
				mark = "contradiction"
			}
			fmt.Fprintf(&b, "  %s: %s\n", mark, note.Text)
		}
		became := map[string]string{}
		for _, f := range change.Record.Files {
			became[f.Path] = stdcmp.Or(f.Became, "left out")
		}
		for _, name := range slices.Sorted(maps.Keys(became)) {
			fmt.Fprintf(&b, "  %s → %s\n", name, became[name])
		}
		for _, name := range slices.Sorted(maps.Keys(change.Files)) {
			if strings.HasPrefix(name, "source/") || strings.HasPrefix(name, "history/") {
				continue
			}
			fmt.Fprintf(&b, "  == %s\n", name)
			for line := range strings.Lines(string(change.Files[name])) {
				b.WriteString(strings.TrimRight("  | "+strings.TrimRight(line, "\n"), " ") + "\n")
			}
		}
	}
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}
