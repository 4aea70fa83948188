package specs

import (
	"fmt"
)

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
