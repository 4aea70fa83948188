package specs

import (
	"bytes"
)

// verify reports whether the written merge would be read as other parts than those that it was put together from:
// a part that ends in an open fence, say, hides the next one. Such a part becomes a conflict.
func (m *merging) verify(text []byte) bool {
	if m.harmless() {
		return false
	}
	p, err := ParseParts(m.theirs.file, text)
	for i, e := range m.emitted {
		var read *node
		if err == nil && i < len(p.nodes) {
			read = p.nodes[i]
		}
		switch {
		case read != nil && bytes.Equal(read.body, m.textOf(e)) && read.kind == m.versionOf(e).kind:
			continue
		case read != nil && bytes.Equal(read.body, m.textOf(e)):
			m.conflict(e, Swallowed, "here it would be read as "+string(read.kind))
		case read != nil && bytes.HasPrefix(read.body, m.textOf(e)), i == 0:
			m.conflict(e, Swallowed, "")
		default:
			m.conflict(m.emitted[i-1], Swallowed, "")
		}
		return true
	}
	return false
}

func (m *merging) textOf(e *entity) []byte {
	if e.text == nil {
		return e.any().body
	}
	return e.text
}

// versionOf is the version of a part that its text comes from.
func (m *merging) versionOf(e *entity) *node {
	if e.theirs != nil && (e.ours == nil || bytes.Equal(m.textOf(e), e.theirs.body)) {
		return e.theirs
	}
	return e.any()
}

// harmless reports whether no part can hide another, so that nothing needs to be read again:
// each stands where it stood, and follows the part that it follows in its own source,
// or begins with number signs behind an empty line while the part before it is known to end.
func (m *merging) harmless() bool {
	var before *node
	level := 0 // of requirements
	for _, e := range m.emitted {
		n := m.versionOf(e)
		switch {
		case before != nil && !n.follows(before, m.leadOf(e)), m.isElsewhere(e):
			return false
		case n.kind == SectionPart && n.level == 1:
			return false // the first of them is the title
		case n.kind == RequirementPart && level != 0 && level != n.level:
			return false
		case n.kind == RequirementPart:
			level = n.level
		}
		before = n
	}
	return true
}

// isElsewhere reports a part that one side has moved, or a section that one has renamed: what it means may depend on that.
func (m *merging) isElsewhere(e *entity) bool {
	changed := func(mine *matching, n *node) bool {
		return n != nil && (mine.isMoved(n) || n.kind == SectionPart && mine.isRenamed(n))
	}
	return changed(m.mineOurs, e.ours) || changed(m.mineTheirs, e.theirs)
}

func (m *merging) leadOf(e *entity) []byte {
	if e.text == nil {
		return e.any().lead
	}
	return e.lead
}

// follows reports whether a part is sure to be read behind another.
func (n *node) follows(before *node, lead []byte) bool {
	if n.source == before.source && n.place == before.place+1 && bytes.Equal(n.lead, lead) {
		return true
	}
	if before.parent != nil && before.parent.kind == FrontMatter || before.kind == FrontMatter {
		return bytes.IndexByte(lead, '\n') >= 0 // lines between the two that mark the front matter
	}
	if n.body[0] != '#' || bytes.Count(lead, []byte("\n")) < 2 {
		return false
	}
	return before.source != nil && before.place+1 < len(before.source.nodes) || endsClosed(string(before.body))
}
