package specs

import (
	"bytes"
	"fmt"
	"strings"
)

// ConflictKind says why two edits of a spec cannot be merged. It is the same whichever side is called ours.
type ConflictKind string

// The kinds of conflicts.
const (
	EditedBoth    ConflictKind = "edited-both"    // both sides changed its text, differently
	AddedBoth     ConflictKind = "added-both"     // both sides added it, with different texts
	RemovedEdited ConflictKind = "removed-edited" // one side removed what the other changed
	RenamedEdited ConflictKind = "renamed-edited" // one side renamed what the other changed
	RenamedBoth   ConflictKind = "renamed-both"   // both sides renamed it, differently
	DuplicateID   ConflictKind = "duplicate-id"   // two parts would have one id or title, which neither side has twice
	OrderDiffers  ConflictKind = "order-differs"  // both sides put the parts in another order, or a part in another place
	NoMatch       ConflictKind = "no-match"       // an explicit delta names what is not there, or adds what is
	Swallowed     ConflictKind = "swallowed"      // a fence or comment that is not closed would hide what follows
)

// Conflict is one thing that a person has to decide.
type Conflict struct {
	Kind   ConflictKind `json:"kind"`
	Part   PartKind     `json:"part"`            // "" for the file as a whole
	Ref    SpecRef      `json:"ref"`             // auth#R3, or auth where no requirement is meant
	Title  string       `json:"title,omitempty"` // of the part, without the id
	Line   int          `json:"line,omitempty"`  // in the change's spec, 0 where the change does not have the part
	Detail string       `json:"detail,omitempty"`
	Base   string       `json:"base,omitempty"` // the part in the three versions, "" where a version does not have it
	Ours   string       `json:"ours,omitempty"`
	Theirs string       `json:"theirs,omitempty"`
	Hint   string       `json:"hint"` // what to do, one sentence
}

// about says in words what a kind of conflict is, and what to do about it.
func (k ConflictKind) about() (what, hint string) {
	switch k {
	case EditedBoth:
		return "was edited on both sides", "write the text that says both, or take one side"
	case AddedBoth:
		return "was added on both sides with different texts", "give one of the two another id or title, or make one of both"
	case RemovedEdited:
		return "was removed on one side and edited on the other", "keep the edited text, or remove it"
	case RenamedEdited:
		return "was renamed on one side and edited on the other", "keep the new name above the edited text, or the old name"
	case RenamedBoth:
		return "was renamed on both sides, differently", "choose one of the two names"
	case DuplicateID:
		return "would stand twice in the spec", "give one of the two another id or title, or take one out"
	case OrderDiffers:
		return "was put in another order on both sides", "choose one of the two orders"
	case NoMatch:
		return "cannot be applied", "make the delta agree with the spec"
	default:
		return "would hide what follows", "close the fence or the comment in it"
	}
}

// String names the part and says what happened: "auth#R3: scenario sign in: was edited on both sides".
func (c Conflict) String() string {
	what, _ := c.Kind.about()
	if c.Detail != "" {
		what += ": " + c.Detail
	}
	if name := c.name(); name != "" {
		return fmt.Sprintf("%s: %s %s", c.Ref, name, what)
	}
	return fmt.Sprintf("%s %s", c.Ref, what)
}

// name is the part as people call it, "" for a requirement or a file: the reference has named it.
func (c Conflict) name() string {
	switch {
	case c.Part == RequirementPart, c.Part == "" && c.Title == "":
		return ""
	case c.Part == "" || c.Part == rootPart:
		return fmt.Sprintf("%q", excerptOf(c.Title))
	case c.Title == "":
		return "the " + string(c.Part)
	}
	return fmt.Sprintf("%s %q", c.Part, excerptOf(c.Title))
}

// newConflict is a conflict about a part, nil for the file.
func newConflict(spec SpecID, kind ConflictKind, n *node) Conflict {
	c := Conflict{Kind: kind, Ref: SpecRef{Spec: spec}}
	_, c.Hint = kind.about()
	if n != nil {
		c.Part, c.Title, c.Ref.Requirement = n.kind, n.title, n.requirementID()
		if n.kind == fieldPart {
			c.Part = FrontMatter
		}
	}
	c.Ref.Raw = c.Ref.String()
	return c
}

// conflict records that a part needs a person. What it is called is what it was called, so that both sides call it the same.
func (m *merging) conflict(e *entity, kind ConflictKind, detail string) {
	named := e.base
	switch {
	case kind == DuplicateID:
		named = m.standing(e) // the id that it has in common with another
	case named == nil:
		named = e.any()
	}
	c := newConflict(m.sides.Spec, kind, named)
	c.Detail = detail
	if e.theirs != nil {
		c.Line = e.theirs.line
	}
	e.conflict = &c
}

// marked writes a conflict as git does, with the base between the two sides.
func (c Conflict) marked(out []byte, eol string) []byte {
	side := func(marker, label, text string) {
		out = append(out, strings.TrimRight(marker+" "+label, " ")+eol...)
		if text != "" {
			out = append(out, strings.TrimRight(text, "\r\n")+eol...)
		}
	}
	name := c.Ref.String()
	side("<<<<<<<", "ours "+name, c.Ours)
	side("|||||||", "base "+name, c.Base)
	side("=======", "", c.Theirs)
	return append(out, ">>>>>>> theirs "+name...)
}

// Unresolved reports whether a text still has a line of a conflict: one of the markers
// that a merge writes around the sides, also where somebody took out only some of them.
func Unresolved(text []byte) bool {
	for line := range bytes.Lines(text) {
		if isMarker(line, "<<<<<<<") || isMarker(line, "|||||||") || isMarker(line, ">>>>>>>") {
			return true
		}
	}
	return false
}
