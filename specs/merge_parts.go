package specs

import (
	"bytes"
	"slices"
	"strings"
)

// PartKind says what a part of a spec is.
type PartKind string

// The parts of a spec. A spec is cut at its headings; what stands below a heading belongs to it
// up to the next heading that begins a part of its own.
const (
	FrontMatter     PartKind = "front matter" // a key of it, where a title is given
	Preamble        PartKind = "preamble"     // the title and what stands before the first section
	SectionPart     PartKind = "section"
	RequirementPart PartKind = "requirement"
	ScenarioPart    PartKind = "scenario" // with a heading of its own
	TextPart        PartKind = "text"     // another heading that stands behind requirements or scenarios

	rootPart  PartKind = ""
	fieldPart PartKind = "field"
	closePart PartKind = "close" // the line that ends the front matter, or an older wrapper
)

// Parts is a spec cut into its parts, for comparing and merging.
// It is read only: one value may take part in any number of merges, at the same time too.
type Parts struct {
	file  string
	src   []byte
	bom   []byte
	end   []byte // white space behind the last part
	root  *node
	nodes []*node // without the root, in document order
	named map[partKey]*node
}

// node is one part of a spec, and the parts below it.
// Its text are two ranges of a source: the white space in front, and the body, which begins and ends with neither.
// All nodes' texts, one after the other, are the source.
type node struct {
	partKey
	level    int    // of its heading
	id       string // of a requirement or, where it is known, of the requirement that it belongs to
	title    string // as it is written, without the id
	lead     []byte
	body     []byte
	heading  int // how much of the body is its heading
	line     int
	parent   *node
	children []*node
	index    int // in nodes; -1 for the root

	source *Parts // where its text was read
	place  int    // its index there
	from   *node  // of the base, where an explicit delta says so
}

// partKey is what makes a part the same part in another version of the spec.
type partKey struct {
	kind  PartKind
	scope string // key of the requirement, or of the section, that it belongs to
	name  string
	turn  int // which of several with one name, from 0
}

// ParseParts cuts a spec into parts. It fails where [ParseSpec] fails because of the form of the document:
// too large, an unresolved merge, front matter that is never closed.
func ParseParts(file string, src []byte) (*Parts, error) {
	o, err := readOutline(file, src, "spec")
	if err != nil {
		return nil, err
	}
	p := &Parts{file: file, src: src, bom: src[:o.base], root: &node{index: -1}}
	r := &partsReader{specReader: specReader{outline: o}, parts: p, open: []*node{p.root}}
	r.level = r.requirementLevel()
	r.read()
	p.name()
	return p, nil
}

// Bytes returns the source, put together from the parts.
func (p *Parts) Bytes() []byte {
	out := bytes.Clone(p.bom)
	for _, n := range p.nodes {
		out = append(append(out, n.lead...), n.body...)
	}
	return append(out, p.end...)
}

// number gives the nodes their indexes, in document order.
func (p *Parts) number() {
	p.nodes = p.nodes[:0]
	p.root.walk(func(n *node) {
		if n != p.root {
			n.index = len(p.nodes)
			p.nodes = append(p.nodes, n)
		}
	})
}

// walk visits a node and all below it, in document order.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, child := range n.children {
		child.walk(visit)
	}
}

// text is the whole of a node and what is below it, without the white space in front.
func (n *node) text() []byte {
	if n == nil {
		return nil
	}
	if len(n.children) == 0 {
		return n.body
	}
	var out []byte
	n.walk(func(below *node) {
		if below != n {
			out = append(out, below.lead...)
		}
		out = append(out, below.body...)
	})
	return out
}

// requirement returns the requirement that a node is or stands below, nil if there is none.
func (n *node) requirement() *node {
	for ; n != nil; n = n.parent {
		if n.kind == RequirementPart {
			return n
		}
	}
	return nil
}

// identity is the name by which headings are compared: case, emphasis and width of spaces make no difference.
func identity(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(plainLabel(title)), " "))
}

// requirementKey is the identity of a requirement: its id, or its title where that is all the name it has.
func requirementKey(heading string) string {
	if name, ok := requirementName(heading); ok {
		return "=" + identity(name)
	}
	id, _, _ := requirementOf(heading)
	return normalID(id)
}

// name gives each part the key that it has among the parts of this spec.
func (p *Parts) name() {
	ids := map[string]string{}
	for _, n := range p.nodes {
		if n.kind == RequirementPart && ids[normalID(n.id)] == "" {
			ids[normalID(n.id)] = n.id
		}
	}
	turns := map[partKey]int{}
	p.named = make(map[partKey]*node, len(p.nodes))
	for _, n := range p.nodes {
		n.turn = 0
		switch n.kind {
		case SectionPart, fieldPart:
			n.name = identity(n.title)
		case TextPart:
			n.name, n.scope = identity(n.title), n.parent.scopeBelow()
		case ScenarioPart:
			n.belong(ids)
		}
		key := n.partKey
		n.turn = turns[key]
		turns[key]++
		p.named[n.partKey] = n
	}
}

// scopeBelow is the scope of what stands below a node.
func (n *node) scopeBelow() string {
	if owner := n.requirement(); owner != nil {
		return owner.name
	}
	return "#" + n.name
}

// belong finds out to which requirement a scenario belongs.
func (n *node) belong(ids map[string]string) {
	s := Scenario{Name: n.title, Requirement: n.id}
	s.attach(ids)
	n.id, n.name, n.scope = s.Requirement, identity(s.Name), ""
	owner := n.requirement()
	switch {
	case owner != nil && s.Requirement == owner.id:
		n.scope = owner.name
	case s.Requirement != "":
		n.scope = normalID(s.Requirement)
	}
	n.title = s.Name
}

// clone copies the parts, so that the copy can be edited. Each node of the copy comes from its original.
func (p *Parts) clone() *Parts {
	c := &Parts{file: p.file, src: p.src, bom: p.bom, end: p.end, root: p.root.clone()}
	c.root.index = -1
	c.number()
	for i, n := range c.nodes {
		n.from = p.nodes[i]
	}
	return c
}

func (n *node) clone() *node {
	c := *n
	c.children = nil
	for _, child := range n.children {
		c.add(child.clone())
	}
	return &c
}

// add puts a node below another, behind what is there.
func (n *node) add(child *node) {
	child.parent = n
	n.children = append(n.children, child)
}

// remove takes a node, and all below it, out of its parts.
func (n *node) remove() {
	siblings := n.parent.children
	at := slices.Index(siblings, n)
	n.parent.children = slices.Delete(siblings, at, at+1)
}

// replace puts another node in the place of one, behind the same white space.
func (n *node) replace(with *node) {
	with.parent, with.lead = n.parent, n.lead
	n.parent.children[slices.Index(n.parent.children, n)] = with
}
