package specs

import (
	"bytes"
)

// matching says which parts of two versions of a spec are the same part.
type matching struct {
	base, side     *Parts
	toBase, toSide []*node // by index; nil for a part that the other version does not have
}

// match pairs the parts of a base with those of a later version.
// Sections and scenarios are the same by their title, within the requirement that they belong to;
// requirements by their id, or by their title where they have no id.
// What is left on both sides is the same part if its text below the heading is the same and no other's is: it was renamed.
// A section whose requirements and scenarios all stand in one new section was renamed too.
func match(base, side *Parts) *matching {
	m := matchNames(base, side)
	m.matchBelow()
	return m
}

// matchBoth matches two sides with one base.
// What one side has renamed is the same part on the other where that has it under the new name, whatever its text.
func matchBoth(base, ours, theirs *Parts) (*matching, *matching) {
	a, b := matchNames(base, ours), matchNames(base, theirs)
	a.learn(b)
	b.learn(a)
	a.matchBelow()
	b.matchBelow()
	a.learn(b)
	b.learn(a)
	return a, b
}

// matchNames pairs what others stand below: front matter, sections, requirements.
func matchNames(base, side *Parts) *matching {
	m := &matching{base: base, side: side, toBase: make([]*node, len(side.nodes)), toSide: make([]*node, len(base.nodes))}
	for _, n := range side.nodes {
		if n.from != nil {
			m.pair(n.from, n)
		}
	}
	m.byKey(func(n *node) bool { return n.kind != ScenarioPart && n.kind != TextPart }, nil)
	m.byText(RequirementPart, (*node).text)
	m.byText(RequirementPart, (*node).own)
	return m
}

// matchBelow pairs scenarios and text, and then what sections are left.
func (m *matching) matchBelow() {
	scopes := map[string]string{} // of requirements that have another key in the base
	for _, n := range m.side.nodes {
		if old := m.toBase[n.index]; n.kind == RequirementPart && old != nil && old.name != n.name && n.turn == 0 {
			scopes[n.name] = old.name
		}
	}
	m.byKey(func(n *node) bool { return n.kind == ScenarioPart || n.kind == TextPart }, scopes)
	m.byText(ScenarioPart, (*node).own)
	m.byText(SectionPart, (*node).own)
	m.sectionsByContent()
}

// learn takes over the renames of another side.
func (m *matching) learn(other *matching) {
	var left map[partKey]*node
	for _, there := range other.side.nodes {
		old := other.toBase[there.index]
		if old == nil || m.toSide[old.index] != nil || !other.isRenamed(there) {
			continue
		}
		if left == nil {
			left = map[partKey]*node{}
			for _, n := range m.side.nodes {
				if m.toBase[n.index] == nil {
					left[n.partKey] = n
				}
			}
		}
		if n := left[there.partKey]; n != nil && m.toBase[n.index] == nil {
			m.pair(old, n)
		}
	}
}

func (m *matching) pair(base, side *node) {
	m.toSide[base.index], m.toBase[side.index] = side, base
}

// byKey pairs what has the same key. Scopes translates the scopes of the side to those of the base.
func (m *matching) byKey(which func(*node) bool, scopes map[string]string) {
	for _, n := range m.side.nodes {
		if !which(n) || m.toBase[n.index] != nil {
			continue
		}
		key := n.partKey
		if scope, renamed := scopes[key.scope]; renamed {
			key.scope = scope
		}
		if old := m.base.named[key]; old != nil && m.toSide[old.index] == nil {
			m.pair(old, n)
		}
	}
}

// byText pairs what has another name and the same text.
func (m *matching) byText(kind PartKind, text func(*node) []byte) {
	before, after := left(m.base, m.toSide, kind, text), left(m.side, m.toBase, kind, text)
	for text, old := range before {
		if renamed := after[text]; len(old) == 1 && len(renamed) == 1 {
			m.pair(old[0], renamed[0])
		}
	}
}

// left are the parts of a kind without a partner, by their text.
func left(p *Parts, partners []*node, kind PartKind, text func(*node) []byte) map[string][]*node {
	texts := map[string][]*node{}
	for _, n := range p.nodes {
		if n.kind == kind && partners[n.index] == nil {
			if words := n.fingerprint(text(n)); words != "" {
				texts[words] = append(texts[words], n)
			}
		}
	}
	return texts
}

// own is the text of a part itself, without what is below it.
func (n *node) own() []byte { return n.body }

// fingerprint is a text of a part without what names it, in a form that can be compared.
func (n *node) fingerprint(text []byte) string {
	var out []byte
	for line := range bytes.Lines(text[min(n.heading, len(text)):]) {
		line = bytes.TrimRight(line, " \t\r\n")
		if n.kind == RequirementPart && bytes.HasPrefix(line, []byte("id:")) {
			continue // of the metadata below the heading
		}
		if len(line) > 0 {
			out = append(append(out, line...), '\n')
		}
	}
	if len(out) == 0 && n.kind == RequirementPart {
		return identity(n.title)
	}
	return string(out)
}

// sectionsByContent pairs a section that is gone with the new one that holds all that is left of it.
func (m *matching) sectionsByContent() {
	for _, old := range m.base.nodes {
		if old.kind != SectionPart || m.toSide[old.index] != nil {
			continue
		}
		var home *node
		for _, child := range old.children {
			now := m.toSide[child.index]
			if now == nil {
				continue
			}
			if home != nil && home != now.parent || now.parent.kind != SectionPart || m.toBase[now.parent.index] != nil {
				home = nil
				break
			}
			home = now.parent
		}
		if home != nil {
			m.pair(old, home)
		}
	}
}

// isRenamed reports whether a part of the side has another name than its partner in the base.
func (m *matching) isRenamed(side *node) bool {
	old := m.toBase[side.index]
	if old == nil {
		return false
	}
	switch old.kind {
	case RequirementPart, ScenarioPart, SectionPart:
		return old.name != side.name
	}
	return false
}

// isMoved reports whether a part of the side stands below another part than its partner in the base.
func (m *matching) isMoved(side *node) bool {
	old := m.toBase[side.index]
	return old != nil && m.partner(side.parent) != old.parent
}

// partner returns the part of the base that a part of the side is; the root's is the root.
func (m *matching) partner(side *node) *node {
	if side == m.side.root {
		return m.base.root
	}
	return m.toBase[side.index]
}
