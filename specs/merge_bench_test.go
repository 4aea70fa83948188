package specs

import (
	"fmt"
	"strings"
	"testing"
)

// bigSpec has a number of requirements with a scenario each.
func bigSpec(requirements int) string {
	var out strings.Builder
	out.WriteString("---\nid: auth\nversion: 1\nupdated_at: 2026-01-01T00:00:00Z\n---\n\n# Specification: Sign in\n\n## Overview\n\nPeople sign in.\n\n## Requirements\n")
	for i := range requirements {
		fmt.Fprintf(&out, "\n### R%d: Requirement %[1]d\n\nThe system SHALL keep promise %[1]d to the people who use it,\nwhatever the network does in between.\n\n"+
			"#### Scenario: promise %[1]d is kept\n\n- **GIVEN** a person with a session\n- **WHEN** promise %[1]d is due\n- **THEN** it is kept\n- **AND** nothing else happens\n", i+1)
	}
	out.WriteString("\n## Data Model\n\nA promise has a number.\n")
	return out.String()
}

func BenchmarkParseParts(b *testing.B) {
	src := []byte(bigSpec(50))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := ParseParts("auth.md", src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMerge merges parsed specs of 50 requirements. Bytes are those of one spec.
func BenchmarkMerge(b *testing.B) {
	base := bigSpec(50)
	ours := strings.Replace(base, "promise 7 is due", "promise 7 is long due", 1) + "\n## Later\n\nMore.\n"
	theirs := strings.Replace(base, "keep promise 30", "always keep promise 30", 1)
	theirs = strings.Replace(theirs, "### R41:", "### R60: New\n\nIt is new.\n\n### R41:", 1)
	sides := Sides{Spec: "auth", Base: benchParts(b, base), Ours: benchParts(b, ours), Theirs: benchParts(b, theirs)}
	b.SetBytes(int64(len(base)))
	b.ReportAllocs()
	for b.Loop() {
		if merged, err := Merge(sides); err != nil || len(merged.Conflicts) > 0 {
			b.Fatal(err)
		}
	}
}

func benchParts(b *testing.B, text string) *Parts {
	b.Helper()
	p, err := ParseParts("auth.md", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkMerge_pairs compares 50 changes of a spec of 100 requirements, each with each, as a forecast of conflicts does.
func BenchmarkMerge_pairs(b *testing.B) {
	text := bigSpec(100)
	base := benchParts(b, text)
	var changes []*Parts
	for i := range 50 {
		edited := strings.Replace(text, fmt.Sprintf("promise %d is due", i+1), "time has come", 1)
		edited = strings.Replace(edited, "updated_at: 2026-01-01", fmt.Sprintf("updated_at: 2026-02-%02d", i%28+1), 1)
		changes = append(changes, benchParts(b, edited))
	}
	for b.Loop() {
		for i, ours := range changes {
			for _, theirs := range changes[i+1:] {
				if merged, err := Merge(Sides{Spec: "auth", Base: base, Ours: ours, Theirs: theirs}); err != nil || len(merged.Conflicts) > 0 {
					b.Fatal(err)
				}
			}
		}
	}
}
