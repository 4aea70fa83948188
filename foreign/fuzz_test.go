package foreign_test

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/foreign"
	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// FuzzRead puts the same text wherever a tree can have one, beside a folder with any name.
// Whatever it says, nothing is approved, every path can be written, and what is written can be read.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "# a\n", "## Why\n\nb\n", "phase: complete\n", "phase: rejected\nchange_id: x\n", "- [x] 1.1 a\n  - b\n", "## Verdict\n\nAPPROVED\n",
		"## ADDED Requirements\n\n### Requirement: 日本\n", "---\nid: a\n", "<<<<<<< a\n=======\n>>>>>>> b\n", "```\n## x\n", "\xef\xbb\xbf<spec>\n# a\n</spec>\n",
		"# Feature Specification: a\n\n**Input**: b\n\n## Requirements\n\n- **FR-001**: c. d\n", "- [ ] T001 [P] a/b.go (depends on T001)\n", "a\n===\n\nb\n---\n\xff",
	} {
		f.Add("add-x", []byte(seed))
	}
	f.Add("Ünï/../x", []byte("x"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		if confine.CheckName(name) != nil || strings.Contains(name, "/") || len(src) > 4<<10 {
			return
		}
		tree := foreign.Tree{"agentd/config.toml": nil, "openspec/config.yaml": nil}
		for at, files := range map[string][]string{
			"agentd/changes/" + name:                      {"STATE.yaml", "proposal.md", "tasks.md", "CHALLENGE.md", "specs/" + name + ".md"},
			"agentd/archive/20260101-" + name:             {"STATE.yaml", "ARCHIVE_REVIEW.md"},
			"openspec/changes/" + name:                    {"proposal.md", "tasks.md", "design.md", "specs/" + name + "/spec.md"},
			"openspec/changes/archive/2026-01-01-" + name: {"tasks.md"},
			"specs/001-" + name:                           {"spec.md", "plan.md", "tasks.md"},
		} {
			for _, file := range files {
				tree[at+"/"+file] = src
			}
		}
		tree["openspec/specs/"+name+"/spec.md"], tree["agentd/specs/"+name+".md"] = src, src
		check(t, foreign.Read(tree, foreign.Options{}))
	})
}

func check(t *testing.T, c foreign.Collection) {
	t.Helper()
	for _, change := range c.Changes {
		if change.Phase == phases.None || change.Err != nil {
			if len(change.Files) > 0 {
				t.Fatalf("%s has files", change.Path)
			}
			continue
		}
		if change.Phase != phases.Proposed && change.Phase != phases.Rejected {
			t.Fatalf("%s is %s", change.Path, change.Phase)
		}
		if err := phases.CheckName(change.ID); err != nil {
			t.Fatal(err)
		}
		for file := range change.Files {
			if err := confine.CheckName(file); err != nil {
				t.Fatalf("%s: %v", change.Path, err)
			}
		}
		record, err := specs.ParseImportRecord("IMPORT.yaml", change.Record.YAML())
		if err != nil || len(record.Differs(change.Record)) > 0 {
			t.Fatalf("%s: the record reads as %+v, %v", change.Path, record, err)
		}
		if change.Format == foreign.Agentd {
			continue // its documents stay as they are, whatever they are
		}
		docs := specs.ChangeDocs{ID: change.ID, Files: change.Files}
		for _, p := range docs.Validate(specs.ValidateOptions{Legacy: true}) {
			if p.Rule == "unreadable" && strings.HasSuffix(p.File, "/proposal.md") {
				t.Fatalf("%s", p)
			}
		}
	}
}
