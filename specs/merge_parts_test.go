package specs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseParts_agreesWithParseSpec(t *testing.T) {
	texts := append(slices.Clone(awkward), canonicalSpec, bigSpec(3))
	for _, text := range texts {
		agree(t, []byte(text))
	}
}

// agree checks that the two ways of reading a spec find the same requirements, in the same places.
func agree(t *testing.T, src []byte) {
	t.Helper()
	p, err := ParseParts("specs/x.md", src)
	spec, _, other := ParseSpec("specs/x.md", src)
	if err != nil || other != nil {
		return
	}
	type place struct {
		ID, Title string
		Line      int
	}
	var parts, read []place
	for _, n := range p.nodes {
		if n.kind == RequirementPart {
			parts = append(parts, place{n.id, headingText(n.title), n.line})
		}
	}
	for _, r := range spec.Requirements {
		if !r.Implicit {
			read = append(read, place{r.ID, r.Title, r.Line})
		}
	}
	if diff := cmp.Diff(read, parts); diff != "" {
		t.Errorf("%q\n%s", src, diff)
	}
	var scenarios, readScenarios []place
	for _, n := range p.nodes {
		if n.kind == ScenarioPart {
			scenarios = append(scenarios, place{n.id, n.title, n.line})
		}
	}
	for _, s := range spec.Scenarios {
		if slices.ContainsFunc(p.nodes, func(n *node) bool { return n.kind == ScenarioPart && n.line == s.Line }) {
			readScenarios = append(readScenarios, place{s.Requirement, s.Name, s.Line})
		}
	}
	if diff := cmp.Diff(readScenarios, scenarios); diff != "" {
		t.Errorf("%q\n%s", src, diff)
	}
}

func TestUnresolved(t *testing.T) {
	for text, want := range map[string]bool{
		"":                               false,
		"Title\n=======\n":               false,
		"<<<<<<<< eight\n":               false,
		" <<<<<<< ours\n":                false,
		"a\n<<<<<<< ours auth#R1\nb\n":   true,
		"a\n>>>>>>> theirs auth#R1\r\n":  true,
		"||||||| base\n":                 true,
		"=======\n":                      false,
		"<<<<<<<\n=======\n>>>>>>>\nx\n": true,
	} {
		if got := Unresolved([]byte(text)); got != want {
			t.Errorf("Unresolved(%q) = %v", text, got)
		}
	}
}
