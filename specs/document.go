package specs

import "strings"

// Document is Markdown of any tool, cut at the headings of one level.
type Document struct {
	Title    string // of the first heading of level one, "" where there is none
	Lead     string // the text in front of the first section, without the title
	Sections []Section
}

// ReadDocument cuts a document at the headings of a level, 2 or more.
// A section ends at the next heading of that level or above; headings in fences, quotes and lists are text.
// The error says that the document cannot be read at all.
func ReadDocument(file string, src []byte, level int) (*Document, error) {
	o, err := readOutline(file, src, "")
	if err != nil {
		return nil, err
	}
	d := &Document{}
	lead := o.front.body
	for i, b := range o.blocks {
		switch {
		case b.kind != headingBlock:
		case b.level == level:
			if len(d.Sections) == 0 {
				d.Lead = cleanText(o.text(lead, b.start))
			}
			d.Sections = append(d.Sections, Section{Title: headingText(b.title), Text: cleanText(o.section(i))})
		case b.level == 1 && d.Title == "" && len(d.Sections) == 0:
			d.Title, lead = headingText(b.title), b.body
		}
	}
	if len(d.Sections) == 0 {
		d.Lead = cleanText(o.text(lead, len(o.src)))
	}
	return d, nil
}

// Nested is the text of a whole document as a part of another: without its title, and with every heading one level deeper.
func Nested(file string, src []byte) (string, error) {
	o, err := readOutline(file, src, "")
	if err != nil {
		return "", err
	}
	var out strings.Builder
	done, titled := o.front.body, false
	for _, b := range o.blocks {
		if b.kind != headingBlock {
			continue
		}
		out.Write(o.src[done:b.start])
		if done = b.body; b.level == 1 && !titled {
			titled = true
			continue
		}
		out.WriteString(strings.Repeat("#", min(b.level+1, 6)) + " " + b.title + "\n")
	}
	out.Write(o.src[done:])
	return cleanText(out.String()), nil
}

// Section finds a section by one of its titles, compared without case. It reports false where there is none.
func (d *Document) Section(titles ...string) (Section, bool) {
	for _, s := range d.Sections {
		if matchesTitle(s.Title, titles) {
			return s, true
		}
	}
	return Section{}, false
}

// IsEmpty reports a document without text, or with nothing but headings and placeholders: a skeleton that nobody filled in.
func IsEmpty(src []byte) bool { return isEmptyDocument(src) }

// Plain brings the text of a document into the form that is written: UTF-8 without byte order mark, line feeds,
// one final newline, and without the element that older documents are wrapped in. No word is changed.
func Plain(src []byte, wrapper string) []byte {
	text := strings.TrimPrefix(normalLines(string(src)), string(utf8BOM))
	body := 0
	if front, err := splitFrontmatter("", []byte(text)); err == nil {
		body = front.body
	}
	var open, end span
	first := true
	for line := range outsideFences([]byte(text), body) {
		switch word := strings.TrimSpace(text[line.start:line.end]); {
		case word == "":
			continue
		case first && wrapper != "" && word == "<"+wrapper+">":
			open = line
		case open.end > 0 && end.end == 0 && word == "</"+wrapper+">":
			end = line
		}
		first = false
	}
	if open.end > 0 && end.end > 0 {
		text = text[:open.start] + strings.TrimLeft(text[open.end:end.start], "\n") + text[end.end:]
	}
	return []byte(strings.TrimRight(text, " \t\n") + "\n")
}

// Around writes a proposal whose text is somebody else's: front matter and title are those of p,
// and below them stand the sections in their order.
func (p *Proposal) Around(sections []Section) []byte {
	var out strings.Builder
	writeFrontmatter(&out, p.front())
	out.WriteString("\n# Change: " + oneLine(p.ID) + "\n")
	for _, s := range sections {
		writeProse(&out, strings.TrimRight("## "+headingText(s.Title), " "), s.Text, 3)
	}
	return []byte(out.String())
}
