package specs

import (
	"bytes"
)

// partsReader cuts a document at its headings, by the rules by which [ParseSpec] reads it.
type partsReader struct {
	specReader
	parts  *Parts
	open   []*node // the nodes that the next heading may stand below, outermost first
	titled bool
	cut    *node // the node that is being read
	from   int   // where its body begins
	done   int   // where the body before it ended
}

func (r *partsReader) read() {
	r.frontMatter()
	r.begin(&node{partKey: partKey{kind: Preamble}}, r.skipBlank(r.front.body))
	for _, b := range r.blocks {
		if b.kind == headingBlock {
			if n := r.classify(b); n != nil {
				r.below(n, b)
			}
		}
	}
	if at, ok := r.wrapperEnd(); ok {
		r.open = r.open[:1]
		r.begin(&node{partKey: partKey{kind: closePart}}, at)
	}
	r.finish(len(r.src))
	r.parts.end = r.src[r.done:]
	r.parts.number()
	for _, n := range r.parts.nodes {
		n.source, n.place = r.parts, n.index
	}
}

// frontMatter cuts the front matter into its keys.
func (r *partsReader) frontMatter() {
	if !r.front.present {
		return
	}
	front := &node{partKey: partKey{kind: FrontMatter}}
	r.begin(front, 0)
	r.open = append(r.open, front)
	offset := r.front.start
	for line := range bytes.Lines(r.front.yaml) {
		if key := topLevelKey().FindSubmatch(line); key != nil {
			r.begin(&node{partKey: partKey{kind: fieldPart}, title: string(key[1])}, offset)
		}
		offset += len(line)
	}
	r.begin(&node{partKey: partKey{kind: closePart}}, r.front.end)
	r.open = r.open[:1]
}

// begin ends the part before and begins another below the innermost open one.
func (r *partsReader) begin(n *node, at int) {
	r.finish(at)
	n.parent = r.open[len(r.open)-1]
	n.line = r.line(at)
	r.cut, r.from = n, at
}

// finish ends the part that is being read. A part without text is none: only the preamble can be.
func (r *partsReader) finish(at int) {
	if r.cut == nil {
		return
	}
	n, text := r.cut, r.src[r.from:max(at, r.from)]
	r.cut = nil
	body := bytes.TrimRight(text, " \t\r\n")
	if len(body) == 0 {
		return
	}
	for len(body) < len(text) && (text[len(body)] == ' ' || text[len(body)] == '\t') {
		body = text[:len(body)+1] // the last line's own
	}
	n.lead, n.body = r.src[r.done:r.from], body
	n.heading = min(n.heading, len(body))
	r.done = r.from + len(body)
	n.parent.children = append(n.parent.children, n)
}

// skipBlank returns where the first line with text begins.
func (r *partsReader) skipBlank(offset int) int {
	for offset < len(r.src) {
		next := lineEnd(r.src, offset)
		if len(bytes.TrimSpace(r.src[offset:next])) > 0 {
			break
		}
		offset = next
	}
	return offset
}

// wrapperEnd returns where the line stands that closes an older wrapper, if no heading follows it.
func (r *partsReader) wrapperEnd() (at int, ok bool) {
	for _, e := range r.extra {
		if e.name == "" && e.start >= r.from {
			at, ok = e.start, true
		}
	}
	return at, ok
}

// classify says which part a heading begins; nil where it is text of the part that is being read.
func (r *partsReader) classify(b block) *node {
	id, title, isRequirement := requirementOf(b.title)
	isRequirement = isRequirement && b.level == r.level
	text := &node{partKey: partKey{kind: TextPart}, title: b.title}
	switch {
	case isRequirement && r.region == acceptanceRegion && b.level > 2:
		r.owner, text.id = id, id // criteria that are grouped by requirement
		return text
	case isRequirement && r.region != overviewRegion:
		r.owner = id
		return &node{partKey: partKey{kind: RequirementPart, name: requirementKey(b.title)}, id: id, title: title}
	case b.level == 1 && !r.titled && len(r.open) == 1:
		r.titled = true
		return nil
	case b.level <= 2:
		r.region, r.owner = otherRegion, ""
		if b.level == 2 {
			r.region = regionOf(b.title)
		}
		return &node{partKey: partKey{kind: SectionPart}, title: b.title}
	case r.region == acceptanceRegion || r.owner != "":
		if b.level <= r.level && r.region != acceptanceRegion {
			r.owner = ""
		}
		if name, ok := scenarioName(b.title); ok {
			return &node{partKey: partKey{kind: ScenarioPart}, id: r.owner, title: name}
		}
	}
	if innermost := r.open[len(r.open)-1]; b.level > innermost.level && (r.region != requirementsRegion || b.level != r.level) {
		return nil
	}
	return text
}

// below puts a part below the nearest heading that it belongs to. Nothing stands below a scenario.
func (r *partsReader) below(n *node, b block) {
	n.level = b.level
	n.heading = len(bytes.TrimRight(r.src[b.start:b.body], " \t\r\n"))
	for last := len(r.open) - 1; last > 0 && (r.open[last].level >= b.level || r.open[last].kind == ScenarioPart); last-- {
		r.open = r.open[:last]
	}
	r.begin(n, b.start)
	r.open = append(r.open, n)
}
