package specs

import (
	"path"
	"strings"
)

// Unmatched is something that an explicit delta asks for and that the spec cannot give.
type Unmatched struct {
	Section string `json:"section"` // its heading: "MODIFIED Requirements"
	Name    string `json:"name"`    // what it names, as it is written there
	Line    int    `json:"line"`
	Message string `json:"message"` // why it cannot be done, lower case
	Hint    string `json:"hint"`
	text    []byte // of the delta
}

// applied is what a change makes of its base: the whole spec, also where the change says it as a delta.
type applied struct {
	parts     *Parts
	unmatched []Unmatched
	stated    map[*node]bool // scenarios of the base whose removal is stated
}

var (
	deltaSection     = lazy(`(?i)^(added|modified|removed|renamed) (requirements|scenarios)$`)
	renameLine       = lazy(`(?i)^\s*(?:[-*+]\s+)?\**(from|to)\**\s*:\s*\**\s*(.+?)\s*$`)
	listedName       = lazy(`^\s*[-*+]\s+(.+?)\s*$`)
	ownerPrefix      = lazy(`^((?:[A-Z]{1,4}-?)?R\d+)\s*[:/]\s*(.+)$`)
	explicitSections = []string{"renamed requirements", "removed requirements", "modified requirements", "added requirements"}
)

// applyTo returns what the change makes of its base, nil for a base that is not there.
//
// A spec is an explicit delta where it has sections such as "## ADDED Requirements" and its base has none.
// Any spec may state the removal of scenarios in a section "## REMOVED Scenarios":
// a list of their names, or their headings. That section is for the merge and does not become part of the spec.
func (p *Parts) applyTo(base *Parts) *applied {
	sections := p.deltaSections()
	if len(sections) == 0 || base != nil && len(base.deltaSections()) > 0 {
		return &applied{parts: p}
	}
	a := &application{applied: applied{stated: map[*node]bool{}}, base: base, renamed: map[string]*node{}, done: map[*node]string{}}
	if base == nil {
		a.base = noParts()
	}
	if p.isExplicit(sections) {
		a.begin(p)
		a.sections(p, sections)
	} else {
		a.wholeSpec(p, sections)
	}
	if stated := sections["removed scenarios"]; stated != nil {
		a.removeScenarios(stated)
	}
	return a.finish()
}

// wholeSpec takes a spec that is whole, without the section that is not meant to stay.
func (a *application) wholeSpec(p *Parts, sections map[string]*node) {
	a.parts = p.clone()
	for _, n := range a.parts.nodes {
		n.from = nil
	}
	if stated := sections["removed scenarios"]; stated != nil {
		a.parts.nodes[stated.index].remove()
	}
	if name, mixed := anyExplicit(sections); mixed {
		a.refuse(sections[name], nil, sections[name].title, "the spec has this section and whole requirements beside it",
			"write the whole spec, or nothing but the sections of a delta")
	}
}

// deltaSections returns the sections of an explicit delta, by their title in lower case.
func (p *Parts) deltaSections() map[string]*node {
	var found map[string]*node
	for _, n := range p.root.children {
		if n.kind == SectionPart && deltaSection().MatchString(n.name) {
			if found == nil {
				found = map[string]*node{}
			}
			if found[n.name] == nil {
				found[n.name] = n
			}
		}
	}
	return found
}

func anyExplicit(sections map[string]*node) (string, bool) {
	for _, name := range explicitSections {
		if sections[name] != nil {
			return name, true
		}
	}
	return "", false
}

// isExplicit reports a spec that is nothing but a delta.
func (p *Parts) isExplicit(sections map[string]*node) bool {
	_, explicit := anyExplicit(sections)
	for _, n := range p.nodes {
		inDelta := n.parent != nil && sections[n.parent.name] == n.parent
		switch {
		case n.kind == SectionPart && n.name == "requirements":
			return false
		case n.kind == RequirementPart && !inDelta && !explicit:
			return false
		}
	}
	return true
}

// isDeltaTo reports whether a spec is a delta to its base, and not whole.
func (p *Parts) isDeltaTo(base *Parts) bool {
	sections := p.deltaSections()
	return len(sections) > 0 && (base == nil || len(base.deltaSections()) == 0) && p.isExplicit(sections)
}

// application applies one explicit delta.
type application struct {
	applied
	base    *Parts
	renamed map[string]*node // by the name before
	done    map[*node]string // which section named a requirement already
}

// begin makes the copy of the base that is edited.
func (a *application) begin(p *Parts) {
	if len(a.base.nodes) > 0 {
		a.parts = a.base.clone()
		return
	}
	title := strings.TrimSuffix(path.Base(p.file), ".md")
	a.parts, _ = ParseParts(p.file, []byte("# Specification: "+title+"\n\n## Requirements\n"))
}

// finish numbers and names what has come out.
func (a *application) finish() *applied {
	a.parts.number()
	a.parts.name()
	return &a.applied
}

func (a *application) refuse(section, n *node, name, message, hint string) {
	if n == nil {
		n = section
	}
	a.unmatched = append(a.unmatched, Unmatched{Section: section.title, Name: name, Line: n.line, Message: message, Hint: hint, text: n.text()})
}

// sections applies the sections in the order in which their words make sense, then what else the delta says.
func (a *application) sections(p *Parts, sections map[string]*node) {
	apply := map[string]func(*node){
		"renamed requirements": a.rename, "removed requirements": a.removeAll,
		"modified requirements": a.modifyAll, "added requirements": a.addAll,
	}
	for _, name := range explicitSections {
		for _, n := range p.root.children {
			if n.kind == SectionPart && n.name == name {
				apply[name](n)
			}
		}
	}
	for _, n := range p.root.children {
		if n.kind == SectionPart && !deltaSection().MatchString(n.name) {
			a.section(n)
		}
	}
}

// find returns a requirement by its key, as it is called now or was before.
func (a *application) find(key string) *node {
	var found *node
	a.parts.root.walk(func(n *node) {
		if found == nil && n.kind == RequirementPart && n.name == key {
			found = n
		}
	})
	if found == nil {
		found = a.renamed[key]
	}
	return found
}

// missing is the hint for a requirement that is not there.
func (a *application) missing(name string) string {
	var names []string
	a.parts.root.walk(func(n *node) {
		if n.kind == RequirementPart {
			names = append(names, n.headingText())
		}
	})
	if hint := didYouMean(name, names); hint != "" {
		return hint
	}
	return "name a requirement of the spec as its heading does, or add it under ## ADDED Requirements"
}

// headingText is the text of a heading without its number signs.
func (n *node) headingText() string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(string(n.body[:n.heading])), "#"))
}

// targetKey is the key of a requirement that a delta names.
func targetKey(name string) string {
	if key := requirementKey(name); key != "" {
		return key
	}
	return "=" + identity(name)
}

// bare takes code marks and number signs off a name.
func bare(name string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.Trim(strings.TrimSpace(name), "`*"), "# "))
}
