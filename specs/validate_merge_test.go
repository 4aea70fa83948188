package specs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// problemsOfMerge validates a change whose spec auth is theirs, and lists what the rules about merging say.
func problemsOfMerge(t *testing.T, main map[SpecID]MainSpec, theirs string) string {
	t.Helper()
	docs := ChangeDocs{ID: "x", Files: map[string][]byte{"specs/auth.md": []byte(theirs)}, Main: main}
	var found []string
	for _, p := range docs.Validate(ValidateOptions{}) {
		switch p.Rule {
		case "missing-artefact", "missing-frontmatter":
		default:
			found = append(found, p.String()+"; "+p.Hint)
		}
	}
	return strings.Join(found, "\n")
}

func TestValidate_dryMerge(t *testing.T) {
	const scenario = "### Scenario: b (R1)\n\n- **WHEN** c\n- **THEN** d\n"
	base := "## Overview\n\nx\n\n## Requirements\n\n### R1: a\n\nA.\n\n## Acceptance Criteria\n\n### Scenario: a (R1)\n\n- **WHEN** a\n- **THEN** b\n\n" + scenario
	const file = "agentd/changes/x/specs/auth.md"
	for _, row := range []struct {
		name   string
		main   map[SpecID]MainSpec
		theirs string
		want   string
	}{
		{"not known", nil, strings.Replace(base, scenario, "", 1), ""},
		{"new", map[SpecID]MainSpec{}, base, ""},
		{"the same", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}}, base, ""},
		{"lost", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}}, strings.Replace(base, scenario, "", 1),
			file + `: HIGH scenario "b" (R1) of the base branch is left out (lost-scenario); keep it, or list it under ## REMOVED Scenarios`},
		{"removed on purpose", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}},
			strings.Replace(base, scenario, "## REMOVED Scenarios\n\n- b (R1)\n", 1), ""},
		{"edited on main", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(strings.Replace(base, "A.", "B.", 1))}}, strings.Replace(base, "A.", "C.", 1),
			file + ":7: MEDIUM auth#R1 was edited on both sides (spec-conflict); write the text that says both, or take one side"},
		{"delta", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}}, "## MODIFIED Requirements\n\n### R1: a\n\nB.\n", ""},
		{"delta to nothing", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}}, "## MODIFIED Requirements\n\n### R2: a\n\nB.\n",
			file + `:3: HIGH auth: "R2: a" cannot be applied: there is no such requirement to modify (unmatched-delta); did you mean "R1: a"?`},
		{"delta without scenario", map[SpecID]MainSpec{"auth": {[]byte(base), []byte(base)}}, "## ADDED Requirements\n\n### R2: b\n\nB.\n",
			file + ": HIGH requirement R2 has no scenario (missing-scenario); write ### Scenario: name (R2)"},
		{"main in the middle of a merge", map[SpecID]MainSpec{"auth": {[]byte(base), []byte("<<<<<<< a\n=======\n>>>>>>> b\n")}}, base,
			"agentd/specs/auth.md:1: HIGH unresolved merge conflict in agentd/specs/auth.md lines 1–3 (unreadable); edit agentd/specs/auth.md, keep one side, and commit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, problemsOfMerge(t, row.main, row.theirs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
