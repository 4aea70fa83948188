package specs

import (
	"cmp"
	"fmt"
	"slices"
)

// Op says what an [Edit] does to a part.
type Op string

// What can happen to a part of a spec.
const (
	Added    Op = "added"
	Modified Op = "modified"
	Removed  Op = "removed"
	Renamed  Op = "renamed" // has another id, or another title where that is its name
	Moved    Op = "moved"   // stands in another section, or below another requirement
)

// Edit is one thing that a change does to a spec.
type Edit struct {
	Op          Op       `json:"op"`
	Kind        PartKind `json:"kind"`
	Requirement string   `json:"requirement,omitempty"` // id of the requirement that the part is or belongs to: the new id, of what was removed the old one
	Title       string   `json:"title,omitempty"`       // of the part, without the id
	From        string   `json:"from,omitempty"`        // what was renamed: the old id or title
	Stated      bool     `json:"stated,omitempty"`      // of a scenario that was removed: the change says so under "## REMOVED Scenarios"
	Line        int      `json:"line"`                  // in the change's spec; of what was removed, in the base
}

// Delta is what a change does to a spec.
type Delta struct {
	Edits     []Edit      `json:"edits"`               // in document order
	Unmatched []Unmatched `json:"unmatched,omitempty"` // what the change asks for in explicit sections and cannot have
}

// Compare says what a change does to a spec: base is the spec that it began with, theirs what it made of it.
// A nil side is a file that is not there.
//
// A part that only differs in how its lines end, in white space at the end of lines or around it is the same.
// Where theirs is an explicit delta, with sections such as "## MODIFIED Requirements",
// it is compared as if it had been applied.
func Compare(base, theirs *Parts) Delta {
	if theirs == nil {
		theirs = noParts()
	}
	applied := theirs.applyTo(base)
	if base == nil {
		base = noParts()
	}
	return applied.delta(match(base, applied.parts))
}

// noParts is the spec of a file that is not there.
func noParts() *Parts { return &Parts{root: &node{index: -1}} }

// Requirements returns the ids of the requirements that the change touches, each once, in document order.
func (d Delta) Requirements() []string {
	var ids []string
	for _, edit := range d.Edits {
		if edit.Requirement != "" && !slices.Contains(ids, edit.Requirement) {
			ids = append(ids, edit.Requirement)
		}
	}
	return ids
}

// Lost returns the scenarios that the change removes without saying so, while their requirement stays.
// A scenario is not lost where its steps stand under another name or requirement, for that is a rename,
// where its name stands under another requirement, whatever its steps are,
// where its requirement is removed with it, or where "## REMOVED Scenarios" in the change's spec lists it.
func (d Delta) Lost() []Edit {
	gone, kept := map[string]bool{}, map[string]bool{}
	for _, edit := range d.Edits {
		switch {
		case edit.Op == Removed && edit.Kind == RequirementPart:
			gone[normalID(edit.Requirement)] = true
		case edit.Op == Added && edit.Kind == ScenarioPart:
			kept[identity(edit.Title)] = true
		}
	}
	var lost []Edit
	for _, edit := range d.Edits {
		if edit.Op == Removed && edit.Kind == ScenarioPart && !edit.Stated &&
			!gone[normalID(edit.Requirement)] && !kept[identity(edit.Title)] {
			lost = append(lost, edit)
		}
	}
	return lost
}

// delta lists the edits between a base and the change applied to it.
func (a *applied) delta(m *matching) Delta {
	type placed struct {
		Edit
		at int
	}
	var edits []placed
	add := func(at int, n *node, op Op) *Edit {
		kind := n.kind
		if kind == fieldPart {
			kind = FrontMatter
		}
		edits = append(edits, placed{Edit{Op: op, Kind: kind, Requirement: n.requirementID(), Title: n.title, Line: n.line}, at})
		return &edits[len(edits)-1].Edit
	}
	for _, n := range m.side.nodes {
		old := m.toBase[n.index]
		switch {
		case n.kind == closePart || n.isStamp():
		case old == nil:
			add(n.index, n, Added)
		default:
			if m.isRenamed(n) {
				edit := add(n.index, n, Renamed)
				edit.From = old.title
				if n.kind == RequirementPart && normalID(old.id) != normalID(n.id) {
					edit.From = old.id
				}
			}
			if m.isMoved(n) {
				add(n.index, n, Moved)
			}
			if !sameText(n.body, old.body) && !(m.isRenamed(n) && n.fingerprint(n.body) == old.fingerprint(old.body)) {
				add(n.index, n, Modified)
			}
		}
	}
	last := -1
	for _, n := range m.base.nodes {
		if now := m.toSide[n.index]; now != nil {
			last = now.index
		} else if n.kind != closePart && !n.isStamp() {
			add(last, n, Removed).Stated = a.stated[n]
		}
	}
	slices.SortStableFunc(edits, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	d := Delta{Unmatched: a.unmatched}
	for _, edit := range edits {
		d.Edits = append(d.Edits, edit.Edit)
	}
	return d
}

// requirementID is the id of the requirement that a part is or belongs to, as it is written.
func (n *node) requirementID() string {
	if owner := n.requirement(); owner != nil {
		return owner.id
	}
	return n.id
}

// String says what the edit does in one line: "modified requirement R3: Title".
func (e Edit) String() string {
	name := e.Title
	if e.Kind == RequirementPart {
		name = joinTitle(e.Requirement, e.Title)
	} else if e.Requirement != "" {
		name = fmt.Sprintf("%s (%s)", e.Title, e.Requirement)
	}
	text := string(e.Op) + " " + string(e.Kind)
	if name != "" {
		text += " " + name
	}
	if e.From != "" {
		text += ", before " + e.From
	}
	return text
}

// joinTitle writes a requirement as its heading does.
func joinTitle(id, title string) string {
	if title == "" {
		return id
	}
	return id + ": " + title
}
