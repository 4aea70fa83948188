package specs

import (
	"cmp"
	"slices"
	"strings"
)

// maxSpecs is how many specs one change may affect.
const maxSpecs = 50

// statedSpec is an affected spec as the text names it.
type statedSpec struct {
	text string
	line int
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
