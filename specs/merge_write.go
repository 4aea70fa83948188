package specs

import (
	"bytes"
)

// write puts the merge together, with markers where there are conflicts.
func (m *merging) write() []byte {
	w := &mergeWriter{merging: m, out: make([]byte, 0, len(m.ours.src)+len(m.theirs.src)/8)}
	m.root.children = nil
	for _, e := range m.entities {
		e.children = nil
	}
	for _, e := range m.entities {
		if !e.gone {
			e.parent.children = append(e.parent.children, e)
		}
	}
	m.emitted = m.emitted[:0]
	w.out = append(w.out, mergeSpace(m.base.bom, m.ours.bom, m.theirs.bom)...)
	w.bom = len(w.out)
	w.below(m.root)
	for _, c := range m.strays {
		w.space([]byte(m.eol+m.eol), false)
		w.out = c.marked(w.out, m.eol)
	}
	end := mergeSpace(m.base.end, m.ours.end, m.theirs.end)
	if len(m.strays) > 0 && len(end) == 0 {
		end = []byte(m.eol)
	}
	return append(w.out, end...)
}

// mergeWriter writes one merge.
type mergeWriter struct {
	*merging
	out []byte
	bom int
}

// space writes what stands between two parts. It takes care that each begins on a line of its own,
// and that no file begins with empty lines that parted its first part from another.
func (w *mergeWriter) space(lead []byte, first bool) {
	switch {
	case len(w.out) == w.bom && first:
	case len(w.out) == w.bom:
		lead = bytes.TrimLeft(lead, "\r\n")
	case !bytes.ContainsRune(lead, '\n'):
		lead = []byte(w.eol + w.eol)
	}
	w.out = append(w.out, lead...)
}

func (w *mergeWriter) below(parent *entity) {
	order, otherwise := w.ordered(parent)
	if otherwise == nil {
		w.list(order)
		return
	}
	if parent.conflict == nil {
		if parent == w.root {
			c := newConflict(w.sides.Spec, OrderDiffers, nil)
			parent.conflict = &c
		} else {
			w.conflict(parent, OrderDiffers, "")
		}
	}
	ours, theirs := w.alone(order), w.alone(otherwise)
	if Unresolved(ours) || parent.conflict.Kind != OrderDiffers || len(ours) == 0 {
		w.list(order) // what is in conflict below is marked there
		return
	}
	parent.conflict.Ours, parent.conflict.Theirs = string(ours), string(theirs)
	parent.conflict.Base = string(w.baseBelow(parent))
	w.space([]byte(w.eol+w.eol), false)
	w.out = parent.conflict.marked(w.out, w.eol)
	w.emitted = append(w.emitted, parent)
}

// alone writes parts by themselves.
func (w *mergeWriter) alone(list []*entity) []byte {
	emitted := w.emitted
	inner := &mergeWriter{merging: w.merging}
	inner.list(list)
	w.emitted = emitted
	return inner.out
}

// baseBelow is what stood below a part in the base.
func (w *mergeWriter) baseBelow(parent *entity) []byte {
	if parent.base == nil {
		return nil
	}
	var out []byte
	for _, child := range parent.base.children {
		out = append(append(out, child.lead...), child.text()...)
	}
	return bytes.TrimLeft(out, "\r\n")
}

func (w *mergeWriter) list(order []*entity) {
	for _, e := range order {
		w.one(e)
	}
}

func (w *mergeWriter) one(e *entity) {
	w.emitted = append(w.emitted, e)
	if e.conflict == nil || e.conflict.Kind == OrderDiffers && !e.block {
		w.plain(e)
		w.below(e)
		return
	}
	c := e.conflict
	text := func(n *node) string {
		switch {
		case n == nil:
			return ""
		case e.block:
			return string(n.text())
		}
		return string(n.body)
	}
	c.Base, c.Ours, c.Theirs = text(e.base), text(e.ours), text(e.theirs)
	w.space(e.any().lead, e.isFirst())
	w.out = c.marked(w.out, w.eol)
	if !e.block {
		w.below(e)
	}
}

// isFirst reports a part with which a version begins.
func (e *entity) isFirst() bool {
	for _, n := range []*node{e.base, e.ours, e.theirs} {
		if n != nil && n.index == 0 {
			return true
		}
	}
	return false
}

// plain writes the text of a part itself.
func (w *mergeWriter) plain(e *entity) {
	text, lead := e.text, e.lead
	if text == nil { // its place is in conflict, not its text
		text, lead = e.any().body, e.any().lead
	}
	w.space(lead, e.isFirst())
	w.out = append(w.out, text...)
}

// conflicts lists the conflicts in the order in which the last write met them.
func (m *merging) conflicts() []Conflict {
	var list []Conflict
	if m.root.conflict != nil {
		list = append(list, *m.root.conflict)
	}
	listed := map[*entity]bool{}
	for _, e := range m.emitted {
		if e.conflict != nil && !listed[e] && e != m.root {
			listed[e] = true
			list = append(list, *e.conflict)
		}
	}
	for _, c := range m.strays {
		list = append(list, *c)
	}
	return list
}
