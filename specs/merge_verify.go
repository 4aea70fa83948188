package specs

import (
	"bytes"
)

// verify reports whether the written merge is not made of the parts that it was put together from:
// a part that ends in an open fence, say, hides the next one. Such a part becomes a conflict.
func (m *merging) verify(text []byte) bool {
	if m.harmless() {
		return false
	}
	p, err := ParseParts(m.theirs.file, text)
	for i, e := range m.emitted {
		if err == nil && i < len(p.nodes) && bytes.Equal(p.nodes[i].body, m.textOf(e)) {
			continue
		}
		hides := err == nil && i < len(p.nodes) && bytes.HasPrefix(p.nodes[i].body, m.textOf(e))
		if !hides && i > 0 {
			e = m.emitted[i-1]
		}
		m.conflict(e, Swallowed, "")
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

// harmless reports whether no part can hide another, so that nothing needs to be read again:
// each follows the part that it follows in its own source, or begins with number signs behind an empty line
// while the part before it is known to end.
func (m *merging) harmless() bool {
	var before *node
	for _, e := range m.emitted {
		n := e.any()
		if e.theirs != nil && (e.ours == nil || bytes.Equal(m.textOf(e), e.theirs.body)) {
			n = e.theirs
		}
		if before != nil && !n.follows(before, m.leadOf(e)) {
			return false
		}
		before = n
	}
	return true
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
