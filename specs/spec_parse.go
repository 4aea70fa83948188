package specs

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ParseSpec reads a spec in any of its forms.
// The error says that it cannot be read at all; what is merely odd or wrong in it comes as problems.
// The ranges of requirements and scenarios are byte offsets into src as it was given.
func ParseSpec(file string, src []byte) (*Spec, Problems, error) {
	o, err := readOutline(file, src, "spec")
	if err != nil {
		return nil, nil, err
	}
	return o.spec()
}

// spec reads a spec from the outline of its document.
func (o *outline) spec() (*Spec, Problems, error) {
	r := &specReader{outline: o}
	front, err := o.fields(&r.problems)
	if err != nil {
		return nil, nil, err
	}
	r.head(front)
	r.level = r.requirementLevel()
	for i, b := range o.blocks {
		if b.kind == headingBlock {
			r.heading(i)
		}
	}
	r.spec.attach()
	r.implicit()
	return &r.spec, r.problems, nil
}

// IsSpec reports whether a document under specs/ is a spec and not mere documentation:
// it has requirements or acceptance criteria.
func IsSpec(src []byte) bool {
	o, err := readOutline("", src, "spec")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(o.blocks, func(b block) bool {
		region := regionOf(b.title)
		return b.kind == headingBlock && b.level == 2 && (region == requirementsRegion || region == acceptanceRegion)
	})
}

type specReader struct {
	*outline
	spec     Spec
	problems Problems
	level    int    // the level of requirement headings
	region   region // of the heading of level two that was met last
	owner    string // the requirement that scenarios met now belong to
}

// region is the part of a spec that a heading of level two begins.
type region uint8

const (
	otherRegion region = iota
	overviewRegion
	requirementsRegion
	acceptanceRegion
)

var deltaTitle = lazy(`(?i)^(added|modified|removed|renamed) requirements$`)

func regionOf(title string) region {
	switch title = strings.ToLower(plainLabel(title)); {
	case title == "overview":
		return overviewRegion
	case title == "requirements", deltaTitle().MatchString(title):
		return requirementsRegion
	case title == "acceptance criteria", title == "scenarios":
		return acceptanceRegion
	default:
		return otherRegion
	}
}

var (
	requirementTitle = lazy(`^\**((?:[A-Z]{1,4}-?)?R\d+)\**\s*(?:$|[:.–—-]\s*\**\s*)(.*)$`)
	namedRequirement = lazy(`(?i)^requirement:\s*(.*)$`)
	requirementID    = lazy(`^(?:[A-Z]{1,4}-?)?R\d+$`)
	mentionedID      = lazy(`\b(?:[A-Z]{1,4}-?)?R\d+\b`)
	ownerSuffix      = lazy(`^(.*?)\s*\(((?:[A-Z]{1,4}-?)?R\d+)\)$`)
	specTitle        = lazy(`(?i)^(?:specification|spec):\s*`)
)

func (r *specReader) problem(rule string, severity Severity, line int, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Rule: rule, Severity: severity, File: r.file, Line: line,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

// head reads the front matter, the title and the overview.
func (r *specReader) head(front fields) {
	s := &r.spec
	s.Title = headingText(front.text("title"))
	s.Version = front.number("version")
	s.CreatedAt = front.time("created_at")
	s.UpdatedAt = front.time("updated_at")
	s.ArchivedAt = front.time("archived_at")
	for _, b := range r.blocks {
		if b.kind == headingBlock && b.level == 1 {
			if title := headingText(specTitle().ReplaceAllString(b.title, "")); title != "" && s.Title == "" {
				s.Title = title
			}
			break
		}
	}
	if i, ok := r.find(2, "Overview"); ok {
		s.Overview = cleanText(r.section(i))
	}

	named := strings.TrimSuffix(path.Base(r.file), ".md")
	stated := front.text("id")
	id, err := ParseSpecID(named)
	if err != nil {
		id, err = ParseSpecID(stated)
	}
	if err != nil {
		r.problem("invalid-spec-id", High, 0, "rename the file", "spec: %v", err)
		return
	}
	s.ID = id
	if stated != "" && stated != string(id) {
		r.problem("id-mismatch", Low, front.line("id"), "make the two agree; the file name counts",
			"front matter says %q, the file is the spec %q", excerptOf(stated), id)
	}
}

// heading takes the part of the document below one heading.
func (r *specReader) heading(i int) {
	b := r.blocks[i]
	id, title, isRequirement := requirementOf(b.title)
	isRequirement = isRequirement && b.level == r.level
	switch {
	case isRequirement && r.region == acceptanceRegion && b.level > 2:
		r.owner = id // criteria that are grouped by requirement
		r.bareSteps(i)
	case isRequirement && r.region != overviewRegion:
		r.requirement(i, id, title)
	case b.level == 1:
		r.region, r.owner = otherRegion, ""
	case b.level == 2:
		r.region, r.owner = regionOf(b.title), ""
		r.part(i)
	case r.region == acceptanceRegion || r.owner != "":
		if b.level <= r.level && r.region != acceptanceRegion {
			r.owner = ""
		}
		r.scenario(i)
	}
	if b.level == r.level && r.region == requirementsRegion && !isRequirement && b.level > 2 {
		r.problem("invalid-requirement-format", High, r.line(b.start), "write ### R1: Title",
			"heading %q is not a requirement", excerptOf(b.title))
	}
}

// part takes what a heading of level two begins, where it is not made of requirements.
func (r *specReader) part(i int) {
	switch r.region {
	case acceptanceRegion:
		r.bareSteps(i)
		return
	case requirementsRegion:
		return
	case overviewRegion:
		if first, _ := r.find(2, "Overview"); first == i {
			return
		}
	}
	for k := i + 1; k < r.after(i); k++ {
		if b := r.blocks[k]; b.kind == headingBlock && b.level == r.level {
			if _, _, ok := requirementOf(b.title); ok {
				return
			}
		}
	}
	title := headingText(r.blocks[i].title)
	if strings.HasPrefix(strings.ToLower(title), "flow") && r.spec.FlowDiagram == "" && r.after(i) == i+2 {
		if only := r.blocks[i+1]; only.kind == fenceBlock && only.info == "mermaid" {
			r.spec.FlowDiagram = cleanText(r.fence(i + 1))
			return
		}
	}
	r.spec.Sections = append(r.spec.Sections, Section{Title: title, Text: cleanText(r.section(i))})
}

// attach finds the requirement of each scenario that does not stand below one.
func (s *Spec) attach() {
	ids := make(map[string]string, len(s.Requirements))
	for _, requirement := range slices.Backward(s.Requirements) {
		ids[normalID(requirement.ID)] = requirement.ID
	}
	for i := range s.Scenarios {
		s.Scenarios[i].attach(ids)
	}
}

// attach takes the owner from the end of the name, or from a requirement that the name mentions;
// ids are those of the requirements, by their normal form.
func (s *Scenario) attach(ids map[string]string) {
	if strings.HasSuffix(s.Name, ")") {
		if match := ownerSuffix().FindStringSubmatch(s.Name); match != nil && (s.Requirement == "" || s.Requirement == match[2]) {
			s.Name, s.Requirement = match[1], match[2]
		}
	}
	if s.Requirement != "" {
		return
	}
	for _, mention := range mentionedID().FindAllString(s.Name, -1) {
		if id, known := ids[normalID(mention)]; known {
			s.Requirement = id
			return
		}
	}
}

// implicit gives a spec without requirements one for each of its acceptance criteria.
func (r *specReader) implicit() {
	if len(r.spec.Requirements) > 0 {
		return
	}
	if slices.ContainsFunc(r.blocks, func(b block) bool {
		return b.kind == headingBlock && b.level == 2 && regionOf(b.title) == requirementsRegion
	}) {
		return
	}
	for i := range r.spec.Scenarios {
		scenario := &r.spec.Scenarios[i]
		id := "R" + strconv.Itoa(i+1)
		scenario.Requirement = id
		r.spec.Requirements = append(r.spec.Requirements, Requirement{ID: id, Title: scenario.Name,
			Implicit: true, Line: scenario.Line, Start: scenario.Start, End: scenario.End})
	}
}
