package specs

import (
	"fmt"
)

// Sides are the three versions of one spec that a merge is about. Nil is a file that is not there.
type Sides struct {
	Spec   SpecID // names it in conflicts
	Base   *Parts // at the merge base: what the change began with
	Ours   *Parts // on the base branch now
	Theirs *Parts // the change's: the whole spec, or an explicit delta to Base
}

// Merged is the outcome of a merge.
type Merged struct {
	Text      []byte     // the whole spec; nil where the file is gone, or where there are conflicts
	Gone      bool       // the spec is retired: there is no file
	Delta     Delta      // what the change does to the base
	Conflicts []Conflict // in document order
	Marked    []byte     // with conflicts: the spec with markers around them, for an editor
}

// Merge brings a change of a spec to the base branch, part by part: front matter by key, sections, requirements, scenarios.
//
// A part that only one side changed is taken from that side, byte for byte; one that neither changed stays as it is.
// New parts go behind the part that they stand behind in their own version;
// where both sides add at one place, in the order of their ids or titles, so that it does not matter who was first.
// The same edit on both sides is one edit. Of updated_at and archived_at the later wins, of created_at the earlier.
// How the lines of a file end is one thing of the whole file, merged like a part.
// A scenario that the change lost is no conflict: it is a fact of the change alone, see [Delta.Lost].
//
// The error says that the result would be too large to be read.
func Merge(sides Sides) (*Merged, error) {
	sides = sides.met()
	switch {
	case sides.Theirs == nil && sides.Base == nil:
		return whole(sides.Ours, Delta{}), nil
	case sides.Theirs == nil || sides.Ours == nil && sides.Base != nil:
		return retire(sides), nil
	}
	sides, restore := sides.alikeLines()
	applied := sides.Theirs.applyTo(sides.Base)
	m := newMerging(sides, applied)
	m.decide()
	text := m.write()
	if len(m.conflicts()) == 0 && m.verify(text) {
		text = m.write()
	}
	text = restore(text)
	merged := &Merged{Delta: m.delta, Conflicts: m.conflicts()}
	if len(merged.Conflicts) > 0 {
		merged.Marked = text
		return merged, nil
	}
	if len(text) > MaxDocument {
		return nil, &DocumentError{File: sides.Theirs.file, Message: fmt.Sprintf("the merged spec has %d bytes, the limit is %d", len(text), MaxDocument)}
	}
	merged.Text = text
	return merged, nil
}

// met gives an explicit delta that was written before there was a spec the one that it meets.
func (s Sides) met() Sides {
	if s.Base == nil && s.Ours != nil && s.Theirs != nil && s.Theirs.isDeltaTo(nil) {
		s.Base = s.Ours
	}
	return s
}

// whole is a merge that takes one version as it is.
func whole(p *Parts, delta Delta) *Merged {
	if p == nil {
		return &Merged{Gone: true, Delta: delta}
	}
	return &Merged{Text: p.Bytes(), Delta: delta}
}

// retire is a merge where a side has removed the file.
func retire(s Sides) *Merged {
	delta := Compare(s.Base, s.Theirs)
	kept := s.Ours
	if kept == nil {
		kept = s.Theirs
	}
	if kept == nil || s.Base != nil && sameText(s.Base.src, kept.src) {
		return &Merged{Gone: true, Delta: delta}
	}
	c := newConflict(s.Spec, RemovedEdited, nil)
	c.Base, c.Ours, c.Theirs = sourceOf(s.Base), sourceOf(s.Ours), sourceOf(s.Theirs)
	c.Hint = "keep the spec as it is edited, or remove the file"
	eol := lineEnding(kept.src)
	return &Merged{Delta: delta, Conflicts: []Conflict{c}, Marked: append(c.marked(nil, eol), eol...)}
}

func sourceOf(p *Parts) string {
	if p == nil {
		return ""
	}
	return string(p.src)
}

// entity is one part of the merge: what it is in each of the three versions.
type entity struct {
	base, ours, theirs *node
	parent             *entity
	children           []*entity // in no order that means anything
	text, lead         []byte
	gone               bool
	conflict           *Conflict
	block              bool // the conflict is about all that is below, too
}

// merging is one merge at work.
type merging struct {
	sides                    Sides
	base, ours, theirs       *Parts
	mineOurs, mineTheirs     *matching
	delta                    Delta
	root                     *entity
	entities                 []*entity // in no order that means anything
	ofBase, ofOurs, ofTheirs []*entity // by index
	strays                   []*Conflict
	eol                      string
	emitted                  []*entity // in the order of the last write
}

func newMerging(sides Sides, applied *applied) *merging {
	m := &merging{sides: sides, base: sides.Base, ours: sides.Ours, theirs: applied.parts, eol: "\n"}
	if m.base == nil {
		m.base = noParts()
	}
	if m.ours == nil {
		m.ours = noParts()
		m.eol = lineEnding(m.theirs.src)
	} else {
		m.eol = lineEnding(m.ours.src)
	}
	m.mineOurs, m.mineTheirs = matchBoth(m.base, m.ours, m.theirs)
	m.delta = applied.delta(m.mineTheirs)
	m.pair()
	for _, u := range applied.unmatched {
		c := newConflict(sides.Spec, NoMatch, nil)
		c.Title, c.Line, c.Detail, c.Hint, c.Theirs = u.Name, u.Line, u.Message, u.Hint, string(u.text)
		m.strays = append(m.strays, &c)
	}
	return m
}

// pair finds out which parts of the three versions are one.
func (m *merging) pair() {
	m.ofBase = make([]*entity, len(m.base.nodes))
	m.ofOurs = make([]*entity, len(m.ours.nodes))
	m.ofTheirs = make([]*entity, len(m.theirs.nodes))
	m.root = &entity{base: m.base.root, ours: m.ours.root, theirs: m.theirs.root}
	m.entities = make([]*entity, 0, len(m.base.nodes)+8)
	for _, n := range m.base.nodes {
		e := &entity{base: n}
		m.ofBase[n.index] = e
		m.entities = append(m.entities, e)
	}
	added := map[partKey]*entity{}
	for _, n := range m.ours.nodes {
		var e *entity
		if old := m.mineOurs.toBase[n.index]; old != nil {
			e = m.ofBase[old.index]
		} else {
			e = &entity{}
			m.entities = append(m.entities, e)
			added[n.partKey] = e
		}
		e.ours = n
		m.ofOurs[n.index] = e
	}
	for _, n := range m.theirs.nodes {
		var e *entity
		if old := m.mineTheirs.toBase[n.index]; old != nil {
			e = m.ofBase[old.index]
		} else if e = added[n.partKey]; e == nil {
			e = &entity{}
			m.entities = append(m.entities, e)
		}
		e.theirs = n
		m.ofTheirs[n.index] = e
	}
}

func (m *merging) entityOf(n *node, of []*entity) *entity {
	if n.index < 0 {
		return m.root
	}
	return of[n.index]
}

// any is the part in one of the versions, the one on the base branch first.
func (e *entity) any() *node {
	for _, n := range []*node{e.ours, e.theirs, e.base} {
		if n != nil {
			return n
		}
	}
	return nil
}
