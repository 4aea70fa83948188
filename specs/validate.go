package specs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Validate checks the plan of a change as a whole and returns all that is wrong with it, sorted.
// A High problem blocks; it is the author's to repair.
func (d ChangeDocs) Validate(opts ValidateOptions) Problems {
	v := &validation{docs: d, opts: opts, severities: opts.severities(), specs: map[SpecID]*Spec{}}
	v.patterns()
	v.proposalPart()
	v.specsPart()
	v.tasksPart()
	v.clarificationsPart()
	v.problems.Sort()
	return v.problems
}

type validation struct {
	docs       ChangeDocs
	opts       ValidateOptions
	severities severities
	problems   Problems

	proposal *Proposal        // nil if it cannot be read
	specs    map[SpecID]*Spec // those that can be read
	tasks    *Tasks

	requirement, scenario, when, then *regexp.Regexp // nil where the config has none
}

// report adds a problem under the severity of its rule.
func (v *validation) report(rule, file string, line int, hint, format string, args ...any) {
	v.add(Problem{Rule: rule, File: file, Line: line, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (v *validation) add(problems ...Problem) {
	for _, problem := range problems {
		v.problems = append(v.problems, v.severities.settle(problem))
	}
}

// unreadable is the problem that stands for an error of a reader.
func unreadable(file string, err error) Problem {
	problem := Problem{Rule: "unreadable", Severity: High, File: file, Message: err.Error()}
	switch err := err.(type) {
	case *DocumentError:
		problem.Line, problem.Message = err.Line, err.Message
	case *ConflictError:
		problem.Line, problem.Hint = err.First, err.Hint()
	}
	return problem
}

// patterns compiles what the config adds.
func (v *validation) patterns() {
	for _, p := range []struct {
		key, text string
		into      **regexp.Regexp
	}{
		{"requirement_pattern", v.opts.RequirementPattern, &v.requirement},
		{"scenario_pattern", v.opts.ScenarioPattern, &v.scenario},
		{"when_pattern", v.opts.WhenPattern, &v.when},
		{"then_pattern", v.opts.ThenPattern, &v.then},
	} {
		if p.text == "" {
			continue
		}
		compiled, err := regexp.Compile("(?m)" + p.text)
		if err != nil {
			v.report("invalid-pattern", "agentd/config.toml", 0, "correct it in [validation]", "%s: %v", p.key, err)
			continue
		}
		*p.into = compiled
	}
}

// placeholders reports what every document may have wrong.
func (v *validation) placeholders(o *outline) {
	for _, line := range o.placeholders() {
		v.report("placeholder", o.file, line, "write the text", "a placeholder is left over")
	}
}

// missing reports a document that is not there.
func (v *validation) missing(name, hint string) bool {
	if _, there := v.docs.Files[name]; !there {
		v.report("missing-artefact", v.docs.name(name), 0, hint, "%s is missing", name)
		return true
	}
	if v.docs.missing(name) {
		v.report("missing-artefact", v.docs.name(name), 0, hint, "%s is empty", name)
		return true
	}
	return false
}

// headings reports headings of level two that a document must have, and those with nothing below.
// A heading may be called by several names.
func (v *validation) headings(o *outline, wanted ...[]string) {
	for _, titles := range wanted {
		i, there := o.find(2, titles...)
		switch {
		case !there:
			v.report("missing-heading", o.file, o.wrongLevel(titles), "write ## "+titles[0], "heading %q is missing", "## "+titles[0])
		case strings.TrimSpace(o.section(i)) == "":
			v.report("empty-section", o.file, o.line(o.blocks[i].start), "write the text", "section %q is empty", titles[0])
		}
	}
}

// wrongLevel returns the line of a heading that has one of the titles but not level two, 0 if there is none.
func (o *outline) wrongLevel(titles []string) int {
	for _, b := range o.blocks {
		if b.kind == headingBlock && matchesTitle(b.title, titles) {
			return o.line(b.start)
		}
	}
	return 0
}

func (v *validation) proposalPart() {
	if v.missing(ProposalPath, "let the proposal be written: gh agentd plan "+v.docs.ID) {
		return
	}
	file := v.docs.name(ProposalPath)
	o, err := readOutline(file, v.docs.Files[ProposalPath], "proposal")
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	proposal, problems, err := o.proposal()
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	v.proposal = proposal
	v.add(problems...)
	v.placeholders(o)
	v.headings(o, []string{"Summary"}, []string{"Why"}, []string{"What Changes", "What"}, []string{"Impact"})
	if _, canonical := o.find(2, "What Changes"); !canonical {
		if i, ok := o.find(2, "What"); ok {
			v.report("odd-heading", file, o.line(o.blocks[i].start), "write ## What Changes", "heading %q is the older form", "## What")
		}
	}
	if v.docs.ID != "" && proposal.ID != "" && proposal.ID != v.docs.ID {
		v.report("id-mismatch", file, 1, "make the two agree", "proposal says %q, the change is %q", excerptOf(proposal.ID), v.docs.ID)
	}
	_, cycle := v.docs.order(proposal)
	v.add(cycle...)
	for _, affected := range proposal.AffectedSpecs {
		for _, need := range affected.Depends {
			if !v.affects(need) && !slices.Contains(v.opts.MainSpecs, need) {
				v.report("broken-reference", file, 0, didYouMean(string(need), v.specNames()),
					"spec %q depends on the spec %q, which does not exist", affected.ID, need)
			}
		}
	}
}

// affects reports whether the proposal names a spec.
func (v *validation) affects(id SpecID) bool {
	return v.proposal != nil && slices.ContainsFunc(v.proposal.AffectedSpecs, func(a AffectedSpec) bool { return a.ID == id })
}

// specNames lists the specs that a reference may name.
func (v *validation) specNames() []string {
	names := map[string]bool{}
	for id := range v.specs {
		names[string(id)] = true
	}
	for _, id := range v.opts.MainSpecs {
		names[string(id)] = true
	}
	if v.proposal != nil {
		for _, affected := range v.proposal.AffectedSpecs {
			names[string(affected.ID)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (v *validation) clarificationsPart() {
	src, there := v.docs.Files[ClarificationsPath]
	if !there {
		return
	}
	file := v.docs.name(ClarificationsPath)
	_, problems, err := ParseClarifications(file, src)
	if err != nil {
		v.add(unreadable(file, err))
		return
	}
	v.add(problems...)
}

// didYouMean is a hint with the nearest of the names, "" where none is near.
func didYouMean(name string, names []string) string {
	if nearest, ok := nearestName(name, names); ok {
		return fmt.Sprintf("did you mean %q?", nearest)
	}
	return ""
}

// nearestName returns the name with the fewest letters to change, if they are few.
func nearestName(name string, names []string) (string, bool) {
	name = strings.ToLower(name)
	if len(name) > 200 || len(names) == 0 {
		return "", false
	}
	distance := func(other string) int { return editDistance(name, strings.ToLower(other)) }
	nearest := slices.MinFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b))
	})
	return nearest, distance(nearest) <= max(2, len(name)/3)
}

// editDistance counts the letters to insert, drop or change.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for k := range row {
		row[k] = k
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for k, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[k+1]
			row[k+1] = min(change, row[k]+1, diagonal+1)
		}
	}
	return row[len(to)]
}
