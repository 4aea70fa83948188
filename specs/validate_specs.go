package specs

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// specsPart checks the specs that the proposal affects and those that are there.
func (v *validation) specsPart() {
	if v.proposal != nil {
		for _, affected := range v.proposal.AffectedSpecs {
			v.missing(affected.ID.Path(), "let the spec be written: gh agentd plan "+v.docs.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.docs.Files)) {
		if !strings.HasPrefix(name, "specs/") || path.Base(name) == "_skeleton.md" || path.Ext(name) != ".md" {
			continue
		}
		v.spec(name)
	}
}

func (v *validation) spec(name string) {
	file := v.docs.name(name)
	id, err := specIDFromPath(name)
	if err != nil {
		v.report("invalid-spec-id", file, 0, "move it to specs/<id>.md", "%v", err)
		return
	}
	if v.proposal != nil && !v.proposal.SpecsUnstated && !v.affects(id) {
		v.report("unlisted-spec", file, 0, "name it in the proposal, or remove the file", "the proposal does not affect the spec %q", id)
	}
	if v.docs.missing(name) {
		if !v.affects(id) { // specsPart has said it of the others
			v.report("missing-artefact", file, 0, "write it, or remove the file", "%s is empty", name)
		}
		return
	}
	src, delta := v.tryMerge(file, id, v.docs.Files[name])
	if delta { // what is wrong is in the spec that comes of it, which has other lines
		first := len(v.problems)
		defer func() {
			for i := range v.problems[first:] {
				v.problems[first+i].Line = 0
			}
		}()
	}
	o, err := readOutline(file, src, "spec")
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	spec, problems, err := o.spec()
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	v.specs[id] = spec
	v.placeholders(o)
	for _, problem := range problems {
		if problem.Rule == "invalid-requirement-format" && v.matches(o, problem.Line) {
			continue
		}
		v.add(problem)
	}
	v.headings(o, v.specHeadings()...)
	if v.tooMany(file, spec) {
		return // each of the following looks for one thing among many
	}
	v.requirements(file, spec)
	v.scenarios(file, spec, o)
}

// tooMany reports a spec that is too large to be one.
func (v *validation) tooMany(file string, spec *Spec) bool {
	for _, part := range []struct {
		rule, name   string
		count, limit int
	}{
		{"too-many-requirements", "requirements", len(spec.Requirements), maxRequirements},
		{"too-many-scenarios", "scenarios", len(spec.Scenarios), maxScenarios},
	} {
		if part.count > part.limit {
			v.report(part.rule, file, 0, "split the spec", "spec %q has %d %s, the limit is %d", spec.ID, part.count, part.name, part.limit)
			delete(v.specs, spec.ID)
		}
	}
	return v.specs[spec.ID] == nil
}

// matches reports whether the line of a heading is a requirement by the config's own pattern.
func (v *validation) matches(o *outline, line int) bool {
	if v.requirement == nil || line < 1 || line > len(o.starts) {
		return false
	}
	start := o.starts[line-1]
	return v.requirement.Match(o.src[start:lineEnd(o.src, start)])
}

// specHeadings are the headings a spec must have. Requirements are looked for by themselves.
func (v *validation) specHeadings() [][]string {
	required := v.opts.RequiredHeadings
	if len(required) == 0 {
		required = []string{"Overview", "Acceptance Criteria"}
	}
	var headings [][]string
	for _, title := range required {
		titles := []string{strings.TrimLeft(title, "# ")}
		if strings.EqualFold(titles[0], "Acceptance Criteria") {
			titles = append(titles, "Scenarios")
		}
		headings = append(headings, titles)
	}
	return headings
}

// requirements checks that there are some and that no two have one id.
func (v *validation) requirements(file string, spec *Spec) {
	explicit := slices.ContainsFunc(spec.Requirements, func(r Requirement) bool { return !r.Implicit })
	if !explicit {
		v.report("no-requirements", file, 0, "write ## Requirements with ### R1: Title", "spec %q has no requirements", spec.ID)
	}
	first := map[string]Requirement{}
	for _, requirement := range spec.Requirements {
		id := normalID(requirement.ID)
		if earlier, twice := first[id]; twice {
			v.report("duplicate-requirement", file, requirement.Line, "give it another id",
				"requirement %s is the same as %s in line %d", requirement.ID, earlier.ID, earlier.Line)
			continue
		}
		first[id] = requirement
	}
}

// scenarios checks that there are enough, that each says what happens and what follows,
// and that each requirement has one.
func (v *validation) scenarios(file string, spec *Spec, o *outline) {
	least := v.opts.ScenarioMinCount
	if least == 0 {
		least = 1
	}
	count := len(spec.Scenarios)
	if v.scenario != nil {
		count = max(count, len(v.scenario.FindAllIndex(o.src, -1)))
	}
	if count < least {
		v.report("missing-scenario", file, 0, "write ### Scenario: name with WHEN and THEN",
			"spec %q has %d scenarios, want %d or more", spec.ID, count, least)
	}

	owners := map[string]bool{}
	loose := false // a scenario of the spec as a whole may check any requirement
	for _, scenario := range spec.Scenarios {
		owners[normalID(scenario.Requirement)] = true
		loose = loose || scenario.Requirement == ""
		if scenario.Requirement != "" {
			if _, known := spec.Resolve(scenario.Requirement); !known {
				v.report("broken-reference", file, scenario.Line, didYouMean(scenario.Requirement, requirementIDs(spec)),
					"scenario %q belongs to %s, which does not exist", excerptOf(scenario.Name), scenario.Requirement)
			}
		}
		v.whenThen(file, scenario, o)
	}
	if least < 0 || count < least || v.scenario != nil {
		return
	}
	for _, requirement := range spec.Requirements {
		if owners[normalID(requirement.ID)] {
			continue
		}
		problem := Problem{Rule: "missing-scenario", File: file, Line: requirement.Line,
			Message: "requirement " + requirement.ID + " has no scenario",
			Hint:    "write ### Scenario: name (" + requirement.ID + ")"}
		if loose {
			problem.Severity = Low
		}
		v.add(problem)
	}
}

func (v *validation) whenThen(file string, scenario Scenario, o *outline) {
	if v.opts.WhenThenOptional {
		return
	}
	start, end := max(scenario.Start-o.base, 0), min(scenario.End-o.base, len(o.src))
	text := o.src[min(start, end):end]
	var lacks []string
	if len(scenario.When) == 0 && (v.when == nil || !v.when.Match(text)) {
		lacks = append(lacks, "WHEN")
	}
	if len(scenario.Then) == 0 && (v.then == nil || !v.then.Match(text)) {
		lacks = append(lacks, "THEN")
	}
	if len(lacks) > 0 {
		v.report("missing-when-then", file, scenario.Line, "write - **WHEN** … and - **THEN** …",
			"scenario %q has no %s", excerptOf(scenario.Name), strings.Join(lacks, " and no "))
	}
}

func requirementIDs(spec *Spec) []string {
	var ids []string
	for _, requirement := range spec.Requirements {
		ids = append(ids, requirement.ID)
	}
	return ids
}
