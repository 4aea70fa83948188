package specs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ParseProposal reads proposal.md in any of its forms.
// The error says that it cannot be read at all; what is merely odd or wrong in it comes as problems.
// If one affected spec has an impossible id, the proposal affects none, so that none is created.
func ParseProposal(file string, src []byte) (*Proposal, Problems, error) {
	o, err := readOutline(file, src, "proposal")
	if err != nil {
		return nil, nil, err
	}
	return o.proposal()
}

// proposal reads a proposal from the outline of its document.
func (o *outline) proposal() (*Proposal, Problems, error) {
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
