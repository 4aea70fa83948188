package specs

import (
	"bytes"
	"slices"
)

// decide says of every part what becomes of it.
func (m *merging) decide() {
	for _, e := range m.entities {
		m.parentOf(e)
	}
	for _, e := range m.entities {
		m.one(e)
	}
	m.keepParents()
	m.duplicates()
	m.dangling()
	m.freeFromBlocks()
}

// parentOf finds out below which part a part stands after the merge.
func (m *merging) parentOf(e *entity) {
	var base, ours, theirs *entity
	if e.base != nil {
		base = m.entityOf(e.base.parent, m.ofBase)
	}
	if e.ours != nil {
		ours = m.entityOf(e.ours.parent, m.ofOurs)
	}
	if e.theirs != nil {
		theirs = m.entityOf(e.theirs.parent, m.ofTheirs)
	}
	switch {
	case ours == nil && theirs == nil:
		e.parent = base
	case theirs == nil, ours != nil && (theirs == base || ours == theirs):
		e.parent = ours
	case ours == nil, ours == base:
		e.parent = theirs
	default:
		e.parent = ours
		e.block = true
		m.conflict(e, OrderDiffers, "it was moved to different places")
	}
}

// one merges one part.
func (m *merging) one(e *entity) {
	isBlock := e.any().kind == RequirementPart || e.any().kind == FrontMatter
	switch {
	case e.base == nil && e.theirs == nil:
		e.text, e.lead = e.ours.body, e.ours.lead
	case e.base == nil && e.ours == nil:
		e.text, e.lead = e.theirs.body, e.theirs.lead
	case e.base == nil:
		m.both(e, AddedBoth)
	case e.ours == nil && e.theirs == nil:
		e.gone = true
	case e.ours == nil || e.theirs == nil:
		kept, moved := e.ours, m.mineOurs.isMoved
		if e.ours == nil {
			kept, moved = e.theirs, m.mineTheirs.isMoved
		}
		if m.unchanged(e.base, kept, isBlock) && !moved(kept) || kept.isStamp() {
			e.gone = true
			return
		}
		e.block = isBlock
		m.conflict(e, RemovedEdited, "")
	default:
		if !m.renamed(e) {
			m.both(e, EditedBoth)
		}
	}
}

// unchanged reports whether a part says what it said, for a block with all that is below it.
func (m *merging) unchanged(base, side *node, block bool) bool {
	if !block {
		return sameText(base.body, side.body)
	}
	return sameText(base.lasting(), side.lasting())
}

// lasting is the text of a part and what is below it, without what any archive changes.
func (n *node) lasting() []byte {
	if n.kind != FrontMatter {
		return n.text()
	}
	out := slices.Concat(n.body, []byte("\n"))
	for _, field := range n.children {
		if !field.isStamp() {
			out = append(append(out, field.body...), '\n')
		}
	}
	return out
}

// renamed reports whether there is a conflict because a part has another name on a side.
// A rename and an edit are never combined: who edited it may have meant what it was called.
func (m *merging) renamed(e *entity) bool {
	ours, theirs := m.mineOurs.isRenamed(e.ours), m.mineTheirs.isRenamed(e.theirs)
	block := e.base.kind == RequirementPart
	switch {
	case ours && theirs:
		if e.ours.name == e.theirs.name {
			return false
		}
		m.conflict(e, RenamedBoth, "")
	case ours && !m.unchanged(e.base, e.theirs, block), theirs && !m.unchanged(e.base, e.ours, block):
		m.conflict(e, RenamedEdited, "")
	default:
		return false
	}
	e.block = block
	return true
}

// both merges the text of a part that both sides have.
func (m *merging) both(e *entity, kind ConflictKind) {
	var base, lead []byte
	if e.base != nil {
		base, lead = e.base.body, e.base.lead
		e.lead = mergeSpace(lead, e.ours.lead, e.theirs.lead)
	} else {
		e.lead = greater(e.ours.lead, e.theirs.lead)
	}
	text, ok := mergeText(base, e.ours.body, e.theirs.body)
	switch {
	case ok:
		e.text = text
	case e.any().isStamp():
		e.text = e.any().stamp(e.ours.body, e.theirs.body)
	default:
		m.conflict(e, kind, "")
	}
}

// keepParents makes a conflict of a part that one side removed while the other put something below it.
func (m *merging) keepParents() {
	for again := true; again; {
		again = false
		for _, e := range m.entities {
			p := e.parent
			switch {
			case e.gone || p == m.root || !p.gone:
			case e.any().isStamp():
				e.gone = true
			default:
				p.gone, again = false, true
				m.conflict(p, RemovedEdited, "something new stands below it")
			}
		}
	}
}

// duplicates finds parts that have one name only because of the merge.
func (m *merging) duplicates() {
	merged := make(map[partKey]*entity, len(m.entities))
	var twins map[partKey][]*entity
	for _, e := range m.entities {
		n := m.standing(e)
		if n == nil || n.kind != RequirementPart && n.kind != SectionPart && n.kind != ScenarioPart {
			continue
		}
		key := n.partKey
		key.turn = 0
		switch first := merged[key]; {
		case first == nil:
			merged[key] = e
		case twins[key] == nil:
			if twins == nil {
				twins = map[partKey][]*entity{}
			}
			twins[key] = []*entity{first, e}
		default:
			twins[key] = append(twins[key], e)
		}
	}
	for key, list := range twins {
		if len(list) <= max(m.ours.count(key), m.theirs.count(key)) {
			continue
		}
		for _, e := range list {
			if e.conflict == nil {
				e.block = key.kind == RequirementPart
				m.conflict(e, DuplicateID, "")
			}
		}
	}
}

// count returns how many parts have a key, whatever their turn.
func (p *Parts) count(key partKey) int {
	n := 0
	for key.turn = 0; p.named[key] != nil; key.turn++ {
		n++
	}
	return n
}

// standing is the version of a part that goes into the result, nil where none does or where that is in conflict.
func (m *merging) standing(e *entity) *node {
	switch {
	case e.gone:
		return nil
	case e.ours == nil:
		return e.theirs
	case e.theirs == nil:
		return e.ours
	case e.conflict != nil && e.ours.name != e.theirs.name:
		return nil
	case e.conflict == nil && !bytes.Equal(e.text, e.ours.body):
		return e.theirs
	}
	return e.ours
}

// dangling finds scenarios whose requirement is there in each side that has them, and not in the merge.
func (m *merging) dangling() {
	var standing map[string]bool
	for _, e := range m.entities {
		n := m.standing(e)
		if n == nil || n.kind != ScenarioPart || n.scope == "" || n.requirement() != nil || e.conflict != nil {
			continue
		}
		if standing == nil {
			standing = map[string]bool{}
			for _, other := range m.entities {
				if r := m.standing(other); r != nil && r.kind == RequirementPart {
					standing[r.name] = true
				}
			}
		}
		owner := partKey{kind: RequirementPart, name: n.scope}
		if !standing[n.scope] && (e.ours == nil || m.ours.named[owner] != nil) && (e.theirs == nil || m.theirs.named[owner] != nil) {
			m.conflict(e, RemovedEdited, "its requirement is removed")
		}
	}
}

// freeFromBlocks takes a part out of a conflict about the whole of another part, where a side has it elsewhere:
// who decides for that side must find it.
func (m *merging) freeFromBlocks() {
	for range m.entities { // at most: each round frees one more level
		freed := false
		for _, e := range m.entities {
			block := e.blockAbove()
			if e.gone || block == nil {
				continue
			}
			var outside *entity
			switch {
			case e.ours != nil && !e.ours.isBelow(block.ours):
				outside = m.entityOf(e.ours.parent, m.ofOurs)
			case e.theirs != nil && !e.theirs.isBelow(block.theirs):
				outside = m.entityOf(e.theirs.parent, m.ofTheirs)
			}
			if outside == nil || outside == e.parent {
				continue
			}
			e.parent, e.block, freed = outside, true, true
			if e.conflict == nil {
				m.conflict(e, OrderDiffers, "it was moved to or from a part that is in conflict")
			}
		}
		if !freed {
			return
		}
	}
}

// blockAbove is the outermost part above that is in conflict as a whole.
func (e *entity) blockAbove() *entity {
	var block *entity
	for above := e.parent; above != nil; above = above.parent {
		if above.conflict != nil && above.block {
			block = above
		}
	}
	return block
}

// isBelow reports whether a part stands below another of its version.
func (n *node) isBelow(above *node) bool {
	for n = n.parent; n != nil; n = n.parent {
		if n == above {
			return true
		}
	}
	return false
}
