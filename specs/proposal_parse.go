package specs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxSpecs is how many specs one change may affect.
const maxSpecs = 50

// ParseProposal reads proposal.md in any of its forms.
// The error says that it cannot be read at all; what is merely odd or wrong in it comes as problems.
// If one affected spec has an impossible id, the proposal affects none, so that none is created.
func ParseProposal(file string, src []byte) (*Proposal, Problems, error) {
	o, err := readOutline(file, src, "proposal")
	if err != nil {
		return nil, nil, err
	}
	r := &proposalReader{outline: o}
	front, err := o.fields(&r.problems)
	if err != nil {
		return nil, nil, err
	}
	r.frontmatter(front)
	r.sections()
	r.affected(front)
	r.reviews()
	return &r.proposal, r.problems, nil
}

type proposalReader struct {
	*outline
	proposal Proposal
	problems Problems
	specs    []statedSpec // as Impact names them
	stated   bool         // whether Impact has a line for affected specs
}

// statedSpec is an affected spec as the text names it.
type statedSpec struct {
	text string
	line int
}

func (r *proposalReader) problem(rule string, severity Severity, line int, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Rule: rule, Severity: severity, File: r.file, Line: line,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *proposalReader) frontmatter(front fields) {
	p := &r.proposal
	p.ID = front.text("id", "change_id")
	p.Version = front.number("version")
	p.CreatedAt = front.time("created_at")
	p.UpdatedAt = front.time("updated_at")
	p.Author = front.text("author")
	p.Status = strings.ToLower(front.text("status"))
	p.Iteration = front.number("iteration")
	p.Summary = cleanText(front.text("summary"))
	impact := front.sub("impact")
	p.Impact.Scope = impact.text("scope")
	p.Impact.AffectedFiles = impact.number("affected_files")
	p.Impact.NewFiles = impact.number("new_files")
	needs := front.sub("dependencies")
	for _, node := range needs.list("external") {
		entry := front.of(node)
		if name := cmp.Or(entry.text("name"), scalarText(node)); name != "" {
			p.Dependencies.External = append(p.Dependencies.External,
				ExternalDependency{Name: oneLine(name), Version: oneLine(entry.text("version"))})
		}
	}
	for _, text := range needs.texts("internal") {
		p.Dependencies.Internal = append(p.Dependencies.Internal, oneLine(text))
	}
	for _, node := range front.list("risks") {
		entry := front.of(node)
		p.Risks = append(p.Risks, Risk{Severity: oneLine(entry.text("severity")),
			Category: oneLine(entry.text("category")), Description: cleanText(cmp.Or(entry.text("description"), scalarText(node)))})
	}
	if !front.has("id") && !r.front.present {
		r.problem("missing-frontmatter", Low, 1, "let the proposal be written again to get one", "proposal has no front matter")
	}
}

func (r *proposalReader) sections() {
	p := &r.proposal
	if i, ok := r.titled("change:"); ok && p.ID == "" {
		p.ID = strings.TrimSpace(r.blocks[i].title[len("change:"):])
	}
	if p.ID == "" {
		if dir := path.Base(path.Dir(r.file)); dir != "." && dir != "/" {
			p.ID = dir
		}
	}
	if i, ok := r.find(2, "Summary"); ok {
		p.Summary = cmp.Or(cleanText(r.section(i)), p.Summary)
	}
	if i, ok := r.find(2, "Why"); ok {
		p.Why = cleanText(r.section(i))
	}
	if i, ok := r.find(2, "What Changes", "What"); ok {
		p.WhatChanges = r.entries(i)
	}
	if i, ok := r.find(2, "Impact"); ok {
		r.impact(i)
	}
	p.Impact.Scope = strings.ToLower(oneLine(p.Impact.Scope))
	if scope := p.Impact.Scope; scope != "" && !slices.Contains([]string{"patch", "minor", "major"}, scope) {
		r.problem("unknown-scope", Low, 0, "write patch, minor or major", "scope is %q", scope)
	}
}

// titled finds the first heading of level one that begins with a prefix, compared without case.
func (o *outline) titled(prefix string) (int, bool) {
	for i, b := range o.blocks {
		if b.kind == headingBlock && b.level == 1 && len(b.title) >= len(prefix) && strings.EqualFold(b.title[:len(prefix)], prefix) {
			return i, true
		}
	}
	return 0, false
}

// entries returns what a section lists; text outside a list is an entry of its own.
func (r *proposalReader) entries(heading int) []string {
	var entries []string
	for i := heading + 1; i < r.after(heading); i++ {
		b := r.blocks[i]
		if b.kind == listBlock {
			for _, it := range r.items(b) {
				if it.text != "" {
					entries = append(entries, itemText(it.text))
				}
			}
			continue
		}
		if text := itemText(r.text(b.start, r.endBefore(i, i+1))); text != "" {
			entries = append(entries, text)
		}
	}
	return entries
}

// impact reads the labelled lines of the Impact section.
func (r *proposalReader) impact(heading int) {
	p := &r.proposal
	for i := heading + 1; i < r.after(heading); i++ {
		if r.blocks[i].kind != listBlock {
			continue
		}
		for _, it := range r.items(r.blocks[i]) {
			name, value, ok := labelled(it.text)
			if !ok {
				continue
			}
			switch name {
			case "scope":
				p.Impact.Scope = value
			case "affected files":
				p.Impact.AffectedFiles = countIn(value, p.Impact.AffectedFiles)
			case "new files":
				p.Impact.NewFiles = countIn(value, p.Impact.NewFiles)
			case "affected specs":
				r.stated = true
				r.specs = append(r.specs, specNames(it, value)...)
			case "affected code":
				p.Impact.AffectedCode = codeNames(it, value)
			case "breaking changes", "breaking":
				if !isNone(value) {
					p.Impact.BreakingChanges = cleanText(value)
				}
			}
		}
	}
}

// countIn reads "~12 files"; without a number the count stays.
func countIn(value string, otherwise int) int {
	digits := strings.TrimLeft(value, "~ ≈*`")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return otherwise
}

// codeNames lists the code a proposal names, on the line of the label or below it.
func codeNames(it item, value string) []string {
	lead, nested := nestedItems(it)
	var names []string
	add := func(text string) {
		text = oneLine(text)
		if unquoted := strings.Trim(text, "`"); strings.Count(text, "`") == 2 && len(unquoted) == len(text)-2 {
			text = unquoted
		}
		if text != "" {
			names = append(names, text)
		}
	}
	if nested != nil {
		_, value, _ = labelled(lead)
	}
	if !isNone(value) {
		for _, part := range splitList(value) {
			add(part)
		}
	}
	for _, below := range nested {
		add(below.text)
	}
	return names
}

// specNames lists the specs a proposal names: several on a line, in a list below, as a JSON list, with notes.
func specNames(it item, value string) []statedSpec {
	lead, nested := nestedItems(it)
	if nested != nil {
		_, value, _ = labelled(lead)
	}
	var specs []statedSpec
	add := func(text string, line int) {
		if !isNone(text) {
			specs = append(specs, statedSpec{text: text, line: line})
		}
	}
	if !isNone(value) {
		if inner, ok := strings.CutPrefix(value, "["); ok && strings.ContainsAny(value, `",`) {
			value = strings.TrimSuffix(strings.TrimSpace(inner), "]")
		}
		for _, part := range splitList(value) {
			add(part, it.line)
		}
	}
	for _, below := range nested {
		add(below.text, below.line)
	}
	return specs
}

// specName takes off what people put around the id of a spec: a note, quotes, a folder, the suffix.
func specName(text string) string {
	text = strings.TrimSpace(text)
	if quoted := strings.SplitN(text, "`", 3); len(quoted) == 3 && quoted[0] == "" {
		text = quoted[1]
	} else {
		text, _, _ = strings.Cut(text, "(")
	}
	text = strings.Trim(strings.TrimSpace(text), "\"'*`")
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	if name, ok := strings.CutSuffix(text, ".md"); ok {
		text = name
	}
	for _, folder := range []string{"agentd/specs/", "./specs/", "specs/"} {
		if name, ok := strings.CutPrefix(text, folder); ok {
			return name
		}
	}
	if rest, ok := strings.CutPrefix(text, "agentd/changes/"); ok {
		if _, name, ok := strings.Cut(rest, "/specs/"); ok {
			return name
		}
	}
	return text
}

// affected decides which specs the proposal affects: front matter first, then Impact.
func (r *proposalReader) affected(front fields) {
	named := r.specs
	depends := map[string][]string{}
	paths := map[string]string{}
	if front.has("affected_specs") {
		if fromText := r.specs; r.stated {
			defer func() { r.compare(fromText) }()
		}
		named = nil
		for _, node := range front.list("affected_specs") {
			entry := front.of(node)
			id := cmp.Or(entry.text("id"), entry.text("path"), scalarText(node))
			named = append(named, statedSpec{text: id, line: node.Line + front.first - 1})
			depends[specName(id)] = append(depends[specName(id)], entry.texts("depends")...)
			paths[specName(id)] = entry.text("path")
		}
	} else if !r.stated {
		r.proposal.SpecsUnstated = true
		return
	}
	r.accept(named, depends)
}

// accept turns names into ids. One bad name and none is accepted.
func (r *proposalReader) accept(named []statedSpec, depends map[string][]string) {
	var accepted []AffectedSpec
	good := true
	if len(named) > maxSpecs {
		r.problem("too-many-specs", High, named[0].line, "split the change", "proposal affects %d specs, the limit is %d", len(named), maxSpecs)
		return
	}
	for _, spec := range named {
		name := specName(spec.text)
		if isPlaceholder(spec.text) {
			good = false
			r.problem("placeholder", High, spec.line, "name the specs, or write none", "affected specs is the placeholder %s", excerptOf(spec.text))
			continue
		}
		id, err := ParseSpecID(name)
		if err != nil {
			good = false
			r.problem("invalid-spec-id", High, spec.line, "use lower-case letters, digits and hyphens", "affected spec: %v", err)
			continue
		}
		if slices.ContainsFunc(accepted, func(a AffectedSpec) bool { return a.ID == id }) {
			r.problem("duplicate-spec", Medium, spec.line, "name it once", "spec %q is named twice", id)
			continue
		}
		affected := AffectedSpec{ID: id, Path: id.Path()}
		for _, text := range depends[name] {
			need, err := ParseSpecID(specName(text))
			if err != nil {
				good = false
				r.problem("invalid-spec-id", High, spec.line, "use lower-case letters, digits and hyphens", "spec %q depends on: %v", id, err)
				continue
			}
			affected.Depends = append(affected.Depends, need)
		}
		accepted = append(accepted, affected)
	}
	if good {
		r.proposal.AffectedSpecs = accepted
	}
}

// compare reports where the front matter and the text name different specs.
func (r *proposalReader) compare(fromText []statedSpec) {
	var text, front []string
	for _, spec := range fromText {
		text = append(text, specName(spec.text))
	}
	for _, spec := range r.proposal.AffectedSpecs {
		front = append(front, string(spec.ID))
	}
	slices.Sort(text)
	slices.Sort(front)
	if !slices.Equal(slices.Compact(text), front) {
		r.problem("spec-mismatch", Low, 0, "make the two agree; the front matter counts",
			"front matter and Impact name different affected specs")
	}
}

// reviews keeps the review blocks behind the text, in their order.
func (r *proposalReader) reviews() {
	for _, e := range r.extra {
		if e.name != "review" {
			continue
		}
		iteration, err := strconv.Atoi(e.attributes["iteration"])
		if err != nil || iteration < 0 {
			r.problem("odd-review", Low, r.line(e.start), "number it", "review block has the iteration %q", e.attributes["iteration"])
			iteration = 0
		}
		r.proposal.Reviews = append(r.proposal.Reviews, ReviewBlock{
			Iteration: iteration,
			Reviewer:  e.attributes["reviewer"],
			Status:    strings.ToLower(e.attributes["status"]),
			Text:      cleanText(r.text(e.body.start, e.body.end)),
		})
	}
}

// NewestReview returns the review with the highest iteration, wherever in the file it stands.
func (p *Proposal) NewestReview() (ReviewBlock, bool) {
	if len(p.Reviews) == 0 {
		return ReviewBlock{}, false
	}
	return slices.MaxFunc(p.Reviews, func(a, b ReviewBlock) int { return a.Iteration - b.Iteration }), true
}
