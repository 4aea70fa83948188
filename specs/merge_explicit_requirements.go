package specs

import (
	"slices"
	"strings"
)

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
