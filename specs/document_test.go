package specs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadDocument(t *testing.T) {
	src := "\xef\xbb\xbf---\nid: x\n---\n# Title ##\r\n\r\nLead.\r\n\r\n## One\n\na\n\n### Below\n\n```\n## fenced\n```\n\nTwo\n---\n\nb\n# Another title\n\n> ## quoted\n"
	got, err := ReadDocument("x.md", []byte(src), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := &Document{Title: "Title", Lead: "Lead.", Sections: []Section{
		{Title: "One", Text: "a\n\n### Below\n\n```\n## fenced\n```"},
		{Title: "Two", Text: "b"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if one, ok := got.Section("nothing", "ONE"); !ok || one.Title != "One" {
		t.Errorf("got %+v, %v", one, ok)
	}
	if _, err := ReadDocument("x.md", []byte("<<<<<<< a\n=======\n>>>>>>> b\n"), 2); err == nil {
		t.Error("a document in the middle of a merge was read")
	}
}

func TestNested(t *testing.T) {
	got, err := Nested("design.md", []byte("# Design\n\nText.\n\n## A\n\n###### Deep\n\nB\n===\n\n~~~\n# no heading\n~~~\n"))
	want := "Text.\n\n### A\n\n###### Deep\n\n## B\n\n~~~\n# no heading\n~~~"
	if err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"as it is", "# a\n\nb\n", "# a\n\nb\n"},
		{"byte order mark, line ends, no final newline", "\xef\xbb\xbf# a\r\nb\rc", "# a\nb\nc\n"},
		{"wrapped", "<spec>\n\n# a\n</spec>\n", "# a\n"},
		{"wrapped behind front matter, text behind", "---\nid: x\n---\n<spec>\n# a\n</spec>\n\nb\n", "---\nid: x\n---\n# a\n\nb\n"},
		{"not closed", "<spec>\n# a\n", "<spec>\n# a\n"},
		{"not at the beginning", "# a\n<spec>\n</spec>\n", "# a\n<spec>\n</spec>\n"},
		{"closed in a fence", "<spec>\n```\n</spec>\n```\n", "<spec>\n```\n</spec>\n```\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Plain([]byte(tt.src), "spec")); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProposal_Around(t *testing.T) {
	p := Proposal{ID: "add-x", Version: 1, Summary: "s", AffectedSpecs: []AffectedSpec{{ID: "auth"}}}
	src := p.Around([]Section{
		{Title: "Summary", Text: "s"},
		{Title: "Why", Text: "# Loud\n\n## Louder\n\n<review iteration=\"1\" reviewer=\"a\" status=\"approved\">\n</review>"},
		{Title: "Impact", Text: "Anything.\n\n```\nopen"},
		{Title: "Design", Text: "d"},
	})
	got, problems, err := ParseProposal("agentd/changes/add-x/proposal.md", src)
	if err != nil || problems.HasHigh() {
		t.Fatalf("%v %v\n%s", err, problems, src)
	}
	if len(got.Reviews) != 0 || got.Summary != "s" || !strings.Contains(got.Why, "### Louder") || len(got.AffectedSpecs) != 1 {
		t.Errorf("reads as %+v\n%s", got, src)
	}
	doc, err := ReadDocument("x", src, 2)
	if design, ok := doc.Section("Design"); err != nil || !ok || design.Text != "d" {
		t.Errorf("the section behind an open fence is %+v, %v\n%s", design, err, src)
	}
}

func TestImportRecord(t *testing.T) {
	r := ImportRecord{Format: "openspec", Source: "old/openspec/changes/add-x", Claimed: "3 of 4 tasks done", Notes: []string{"a\nb: c"},
		Files: []ImportedFile{NewImportedFile("proposal.md", []byte("a"), "proposal.md"), NewImportedFile("日本.md", nil, "")}}
	read, err := ParseImportRecord("IMPORT.yaml", r.YAML())
	if err != nil {
		t.Fatal(err)
	}
	want := r
	want.Notes = []string{"a b: c"}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if differs := read.Differs(r); len(differs) > 0 {
		t.Errorf("the same record differs in %v", differs)
	}
	moved := r
	moved.Source, moved.Files = "elsewhere", []ImportedFile{NewImportedFile("proposal.md", []byte("b"), "proposal.md"), NewImportedFile("tasks.md", nil, "")}
	if diff := cmp.Diff([]string{"proposal.md", "tasks.md", "日本.md"}, moved.Differs(r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
