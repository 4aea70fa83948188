package specs

import (
	"fmt"
	"path"
	"slices"
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

// rename takes the pairs of lines FROM and TO.
func (a *application) rename(section *node) {
	from := ""
	for line := range strings.Lines(string(section.text())) {
		match := renameLine().FindStringSubmatch(line)
		switch {
		case match == nil:
		case strings.EqualFold(match[1], "from"):
			from = bare(match[2])
		case from != "":
			a.renameOne(section, from, bare(match[2]))
			from = ""
		}
	}
}

func (a *application) renameOne(section *node, from, to string) {
	n := a.find(targetKey(from))
	switch {
	case n == nil:
		a.refuse(section, nil, from, "there is no such requirement to rename", a.missing(from))
		return
	case a.find(targetKey(to)) != nil && targetKey(to) != n.name:
		a.refuse(section, nil, to, "there is a requirement of that name already", "choose another name, or modify that requirement")
		return
	}
	if requirementKey(to) == "" {
		to = "Requirement: " + to
	}
	a.renamed[n.name] = n
	before := n.id
	n.id, n.title, _ = requirementOf(to)
	n.name = targetKey(to)
	n.retitle(strings.Repeat("#", n.level) + " " + to)
	n.walk(func(below *node) {
		if below.id == before {
			below.id = n.id
		}
	})
}

// retitle writes another heading above the text of a node.
func (n *node) retitle(heading string) {
	n.body = slices.Concat([]byte(heading), n.body[n.heading:])
	n.heading = len(heading)
}

// removeAll takes requirements out that are named by headings or in a list.
func (a *application) removeAll(section *node) {
	named := map[string]bool{}
	one := func(n *node, name string) {
		key := targetKey(name)
		target := a.find(key)
		if target == nil {
			if !named[key] {
				a.refuse(section, n, name, "there is no such requirement to remove", a.missing(name))
			}
			return
		}
		named[key] = true
		a.done[target] = "removed"
		target.remove()
	}
	for _, name := range section.listed() {
		if requirementKey(bare(name)) != "" {
			one(nil, bare(name))
		}
	}
	for _, n := range section.children {
		one(n, n.headingText())
	}
}

// listed are the items of lists in the text of a section itself.
func (n *node) listed() []string {
	var names []string
	for line := range strings.Lines(string(n.body[n.heading:])) {
		if match := listedName().FindStringSubmatch(line); match != nil {
			names = append(names, match[1])
		}
	}
	return names
}

// modifyAll puts whole requirements in the place of those of their name.
func (a *application) modifyAll(section *node) {
	for _, n := range section.children {
		target := a.find(n.name)
		switch {
		case n.kind != RequirementPart:
			a.refuse(section, n, n.headingText(), "this is not the heading of a requirement", "write ### R1: Title, or ### Requirement: Title")
		case target == nil:
			a.refuse(section, n, n.headingText(), "there is no such requirement to modify", a.missing(n.headingText()))
		case a.done[target] != "":
			a.refuse(section, n, n.headingText(), "the delta names this requirement twice", "leave one of the two")
		default:
			a.modify(target, n)
		}
	}
}

func (a *application) modify(target, with *node) {
	modified := with.clone()
	modified.from = target.from
	if modified.name != target.name { // it was renamed in the same delta
		modified.id, modified.title, modified.name = target.id, target.title, target.name
		modified.retitle(string(target.body[:target.heading]))
	}
	target.replace(modified)
	a.done[modified] = "modified"
	a.takeOver(modified)
}

// takeOver removes scenarios that the spec has elsewhere, for the delta shows them below their requirement.
func (a *application) takeOver(requirement *node) {
	var shown []*node
	requirement.walk(func(n *node) {
		if n.kind == ScenarioPart {
			shown = append(shown, n)
		}
	})
	for _, n := range shown {
		if old := a.scenario(n.scope, n.name, requirement); old != nil {
			n.from = old.from
			old.remove()
		}
	}
}

// scenario returns the scenario of a name that belongs to a requirement and does not stand below a node.
func (a *application) scenario(scope, name string, outside *node) *node {
	var found *node
	a.parts.root.walk(func(n *node) {
		if found == nil && n.kind == ScenarioPart && n.name == name && n.scope == scope && n.requirement() != outside {
			found = n
		}
	})
	return found
}

// addAll puts new requirements behind the last one.
func (a *application) addAll(section *node) {
	for _, n := range section.children {
		existing := a.find(n.name)
		switch {
		case n.kind != RequirementPart:
			a.refuse(section, n, n.headingText(), "this is not the heading of a requirement", "write ### R1: Title, or ### Requirement: Title")
		case existing != nil && sameText(existing.text(), n.text()):
		case existing != nil:
			a.refuse(section, n, n.headingText(), "there is such a requirement already", "write it under ## MODIFIED Requirements")
		default:
			added := n.clone()
			a.spaceBefore(added)
			a.home().add(added)
			a.takeOver(added)
		}
	}
}

// spaceBefore puts one empty line in front of what comes from a delta.
func (a *application) spaceBefore(n *node) {
	n.lead = []byte(strings.Repeat(lineEnding(a.parts.src), 2))
}

// home is where added requirements go: the section of the last requirement, or ## Requirements.
func (a *application) home() *node {
	var home, named *node
	a.parts.root.walk(func(n *node) {
		switch {
		case n.kind == RequirementPart:
			home = n.parent
		case n.kind == SectionPart && n.name == "requirements":
			named = n
		}
	})
	if home == nil {
		home = named
	}
	if home == nil {
		home = &node{partKey: partKey{kind: SectionPart, name: "requirements"}, level: 2, title: "Requirements",
			body: []byte("## Requirements"), heading: len("## Requirements"), line: 1}
		a.appendSection(home)
	}
	return home
}

// appendSection puts a section behind the others, and in front of what closes an older wrapper.
func (a *application) appendSection(n *node) {
	a.spaceBefore(n)
	root := a.parts.root
	n.parent = root
	at := len(root.children)
	if at > 0 && root.children[at-1].kind == closePart {
		at--
	}
	root.children = slices.Insert(root.children, at, n)
}

// section takes a section that readers need: its text replaces that of the section of the same title.
func (a *application) section(n *node) {
	var target *node
	for _, section := range a.parts.root.children {
		if section.kind == SectionPart && section.name == n.name {
			target = section
			break
		}
	}
	if target == nil {
		a.appendSection(n.clone())
		return
	}
	if len(n.body) > n.heading {
		target.body, target.heading = n.body, n.heading
	}
	for _, child := range n.children {
		added := child.clone()
		old := a.child(target, child)
		if old == nil {
			a.spaceBefore(added)
			target.add(added)
			continue
		}
		added.from = old.from
		old.replace(added)
	}
}

// child returns what a section has already of what a delta brings: scenarios wherever they stand.
func (a *application) child(section, n *node) *node {
	if n.kind == ScenarioPart {
		return a.scenario(n.scope, n.name, nil)
	}
	for _, child := range section.children {
		if child.kind == n.kind && child.name == n.name {
			return child
		}
	}
	return nil
}

// removeScenarios takes the scenarios out whose removal is stated.
func (a *application) removeScenarios(section *node) {
	names := section.listed()
	for _, n := range section.children {
		names = append(names, n.headingText())
	}
	for _, name := range names {
		a.removeScenario(section, bare(name))
	}
}

func (a *application) removeScenario(section *node, name string) {
	stated := name
	if called, ok := scenarioName(stated); ok {
		stated = called
	}
	owner := ""
	if match := ownerSuffix().FindStringSubmatch(stated); match != nil {
		stated, owner = match[1], match[2]
	} else if match := ownerPrefix().FindStringSubmatch(stated); match != nil {
		owner, stated = match[1], match[2]
		if called, ok := scenarioName(stated); ok {
			stated = called
		}
	}
	is := func(n *node) bool {
		return n.kind == ScenarioPart && n.name == identity(stated) && (owner == "" || normalID(owner) == normalID(n.id))
	}
	var names []string
	known := false
	for _, n := range a.base.nodes {
		if is(n) {
			a.stated[n], known = true, true
		} else if n.kind == ScenarioPart {
			names = append(names, n.title)
		}
	}
	if !known {
		hint := didYouMean(stated, names)
		if hint == "" {
			hint = "name a scenario of the spec as its heading does"
		}
		a.refuse(section, nil, stated, fmt.Sprintf("there is no scenario %q to remove", excerptOf(stated)), hint)
		return
	}
	var gone []*node
	a.parts.root.walk(func(n *node) {
		if is(n) {
			gone = append(gone, n)
		}
	})
	for _, n := range gone {
		n.remove()
	}
}
