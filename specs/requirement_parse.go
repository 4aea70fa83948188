package specs

import (
	"strings"
	"unicode"

	"github.com/agentd/gh-agentd/phases"
)

// requirementOf reads the heading of a requirement.
func requirementOf(title string) (id, rest string, ok bool) {
	if beginsWithID(title) {
		if match := requirementTitle().FindStringSubmatch(title); match != nil {
			return match[1], strings.TrimSpace(match[2]), true
		}
	}
	if name, ok := requirementName(title); ok {
		if id := namedID(name); id != "" {
			return id, strings.TrimSpace(name), true
		}
	}
	return "", "", false
}

// beginsWithID reports whether requirementTitle could match: asking it costs more than reading the first letters.
func beginsWithID(title string) bool {
	title = strings.TrimLeft(title, "*")
	rest := strings.TrimLeft(title, "-ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.HasSuffix(title[:len(title)-len(rest)], "R")
}

// requirementName reads "Requirement: name".
func requirementName(title string) (string, bool) {
	if title == "" || title[0]|' ' != 'r' {
		return "", false
	}
	match := namedRequirement().FindStringSubmatch(title)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// SameID reports whether two ids name one requirement: R01, r1 and R1 do.
func SameID(a, b string) bool { return normalID(a) == normalID(b) }

// namedID makes an id of the title of a requirement that has no other name.
// A title in another script keeps its letters, for what is left without them may be the same for two.
func namedID(title string) string {
	if strings.ContainsFunc(title, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
		return headingSlug(title)
	}
	return phases.Slug(title)
}

// normalID makes ids comparable: R01, r1 and R1 are one.
func normalID(id string) string {
	id = strings.ToUpper(strings.TrimSpace(id))
	digits := len(id) - len(strings.TrimRight(id, "0123456789"))
	number := strings.TrimLeft(id[len(id)-digits:], "0")
	if digits > 0 && number == "" {
		number = "0"
	}
	return id[:len(id)-digits] + number
}

// requirementLevel returns the level at which the requirements of this document stand: three, where any does.
func (r *specReader) requirementLevel() int {
	lowest, line := 0, 0
	for _, b := range r.blocks {
		if b.kind != headingBlock || b.level < 2 {
			continue
		}
		if _, _, ok := requirementOf(b.title); !ok {
			continue
		}
		if b.level == 3 {
			return 3
		}
		if lowest == 0 || b.level < lowest {
			lowest, line = b.level, r.line(b.start)
		}
	}
	if lowest == 0 {
		return 3
	}
	r.problem("wrong-heading-level", Low, line, "write ### R1: Title", "requirements stand at level %d, want level 3", lowest)
	return lowest
}

// requirement takes the block of one requirement.
func (r *specReader) requirement(i int, id, title string) {
	b := r.blocks[i]
	r.owner = id
	requirement := Requirement{ID: id, Title: headingText(title), Line: r.line(b.start),
		Start: b.start + r.base, End: r.end(i) + r.base}

	next, start := i+1, b.body
	if next < len(r.blocks) && r.blocks[next].kind == fenceBlock {
		if meta, ok := r.metadata(next); ok {
			requirement.Priority = meta
			start = r.blocks[next].end
			next++
		}
	}
	for next < r.after(i) && !(r.blocks[next].kind == headingBlock && isScenario(r.blocks[next].title)) {
		next++
	}
	requirement.Description = cleanText(r.text(start, r.endBefore(i, next)))
	if match := priorityLine().FindStringSubmatch(requirement.Description); match != nil && requirement.Priority == "" {
		requirement.Priority = strings.ToLower(match[1])
		requirement.Description = cleanText(requirement.Description[len(match[0]):])
	}
	r.spec.Requirements = append(r.spec.Requirements, requirement)
}

var priorityLine = lazy(`(?i)^(?:- )?\*\*priority:?\*\*:?[ \t]*(high|medium|low)[ \t]*(?:\n|$)`)

// metadata reads the priority from the fence that newer documents have below the heading of a requirement.
func (r *specReader) metadata(i int) (priority string, ok bool) {
	b := r.blocks[i]
	if b.info != "yaml" && b.info != "yml" {
		return "", false
	}
	front, err := readFields(r.file, r.line(b.start)+1, []byte(r.fence(i)), &Problems{})
	if err != nil || !front.has("priority") && !front.has("id") {
		return "", false
	}
	return strings.ToLower(oneLine(front.text("priority"))), true
}

// fence returns the text inside the fenced block at index.
func (o *outline) fence(i int) string {
	lines := strings.Split(o.text(o.blocks[i].start, o.endBefore(i, i+1)), "\n")
	open := openFence().FindStringSubmatch(lines[0])
	if open == nil {
		return ""
	}
	lines = lines[1:]
	if last := len(lines) - 1; last >= 0 {
		closing := strings.TrimSpace(lines[last])
		if len(closing) >= len(open[1]) && strings.Trim(closing, open[1][:1]) == "" {
			lines = lines[:last]
		}
	}
	return strings.Join(lines, "\n")
}
