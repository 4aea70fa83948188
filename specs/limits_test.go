package specs

import (
	"strings"
	"testing"
)

// Large documents, made to be as slow as possible, are read to their end.
// What is worse than quadratic does not end before the limit that go test sets.
func TestReaders_endOnHostileText_DC03_DC16(t *testing.T) {
	const size = MaxDocument / 16
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	for name, src := range map[string]string{
		"nested lists":         fill("- "),
		"nested mixed lists":   fill("- + "),
		"numbered lists":       fill("1. 2) "),
		"nested below":         nestedBelow(size),
		"nested quotes":        fill("> "),
		"quotes, then text":    strings.Repeat(">", size/2) + strings.Repeat("\na", size/5),
		"lists, then text":     strings.Repeat("- ", size/8) + strings.Repeat("\na", size/5),
		"empty items":          fill("-\n"),
		"headings":             fill("##\n"),
		"requirements":         "## Requirements\n" + fill("### R1\n"),
		"scenarios":            "## Requirements\n### R1\n## Scenarios\n" + fill("### Scenario: R2\n"),
		"mentions":             "## Requirements\n" + strings.Repeat("### R1\n", 2000) + "## Scenarios\n" + strings.Repeat("### Scenario: R2 R3 R4 R5\n", 1500),
		"reviews":              strings.Repeat("<review iteration=\"1\">\n</review>\n", 1000) + "\n## What Changes\n" + strings.Repeat("- a\n", 8000),
		"brackets":             fill("["),
		"backticks":            fill("` "),
		"open comments":        "## Why\n" + fill("<!--\n\n"),
		"open fences":          "## Why\n" + fill("```\n~~~\n"),
		"setext":               fill("a\n=\n"),
		"placeholders":         fill("[Aa]\n"),
		"tasks":                "# Tasks\n" + fill("- [ ] 1.1 a\n  - Depends: 1.2, 1.3\n"),
		"a task of many needs": "# Tasks\n- [ ] 1.1 a\n  - Depends: " + fill("1.2, "),
		"front matter":         "---\n" + fill("a: [[[[b]]]]\n"),
		"flow lists":           "---\na: " + fill("["),
		"specs":                "## Impact\n- Affected specs: " + fill("a, "),
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte(src)
			_, _, _ = ParseProposal("proposal.md", text)
			_, _, _ = ParseSpec("specs/auth.md", text)
			_, _, _ = ParseTasks("tasks.md", text)
			_, _, _ = ParseClarifications("clarifications.md", text)
			docs := ChangeDocs{ID: "x", Files: map[string][]byte{ProposalPath: text, "specs/auth.md": text, TasksPath: text}}
			docs.Validate(ValidateOptions{})
			NextArtefact(docs)
		})
	}
}

// nestedBelow nests one list below the other, as deep as the size allows.
func nestedBelow(size int) string {
	var out strings.Builder
	for depth := 0; out.Len() < size; depth++ {
		out.WriteString(strings.Repeat(" ", 2*depth) + "- WHEN\n")
	}
	return "## Acceptance Criteria\n\n### Scenario: s\n" + out.String()
}
