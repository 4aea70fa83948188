package foreign

import (
	"regexp"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// openSpec reads OpenSpec's folder: changes, their archive, and the specs of the project.
func (c *Collection) openSpec(t Tree, folder string) {
	src := t.below(folder)
	home := newHome(OpenSpec, folder)
	for _, file := range src.below("specs").paths() {
		if capability, ok := strings.CutSuffix(file, "/spec.md"); ok {
			home.spec(join("specs", file), strings.ReplaceAll(capability, "/", "-"), src[join("specs", file)], "")
		}
	}
	for _, name := range src.below("changes").folders() {
		at := join("changes", name)
		files := src.below(at)
		switch {
		case name == "archive":
			for _, name := range files.folders() {
				at := join(at, name)
				change := archivedOpenSpec(join(folder, at), name, src.below(at))
				home.keep(&change, at, src.below(at))
				c.Changes = append(c.Changes, change)
			}
		case len(files) > 0:
			c.Changes = append(c.Changes, openSpecChange(join(folder, at), name, files, home))
		}
	}
	for _, file := range []string{"project.md", "config.yaml"} {
		if src.has(file) {
			c.Notes = append(c.Notes, join(folder, file)+" is about the project: take what is still true into agentd/project.md")
		}
	}
	c.add(home)
}

// openSpecChange reads an open change. Its words stay; they get the frame that our documents have.
func openSpecChange(folder, name string, files Tree, home *home) Change {
	d := newDraft(OpenSpec, folder, name, files)
	if d.Err != nil {
		return d.finish()
	}
	affected := d.deltas(home)
	d.openSpecProposal(affected)
	if files.has(specs.TasksPath) {
		d.checklist(specs.TasksPath)
	}
	return d.finish()
}

// deltaHeading is what says that a spec is a change of another one.
var deltaHeading = lazy(`(?mi)^##[ \t]+(ADDED|MODIFIED|REMOVED|RENAMED)[ \t]+Requirements[ \t]*$`)

// deltas takes the specs of the change as they are: what they add, modify, remove and rename is for the merge to apply.
func (d *draft) deltas(home *home) []specs.AffectedSpec {
	var affected []specs.AffectedSpec
	var below []string // specs of the project that this change rests on
	for _, file := range d.src.below("specs").paths() {
		capability, ok := strings.CutSuffix(file, "/spec.md")
		from := join("specs", file)
		if !ok {
			continue
		}
		id, ok := d.specID(strings.ReplaceAll(capability, "/", "-"), from)
		if !ok {
			continue
		}
		d.document(from, id.Path(), "")
		text := string(d.Files[id.Path()])
		if text == "" {
			continue
		}
		affected = append(affected, specs.AffectedSpec{ID: id, Path: id.Path()})
		if rests(text) && home.Files[id.Path()] != nil {
			below = append(below, string(id))
		}
	}
	if len(below) > 0 {
		d.note("it modifies specs that %s brings (%s): archive that first", home.ID, strings.Join(below, ", "))
	}
	return affected
}

// rests reports deltas of requirements that must be there already.
func rests(text string) bool {
	for _, kind := range deltaHeading().FindAllStringSubmatch(text, -1) {
		if !strings.EqualFold(kind[1], "ADDED") {
			return true
		}
	}
	return false
}

// openSpecProposal puts the sections of the proposal, and the design behind them, into the frame of a proposal of ours.
func (d *draft) openSpecProposal(affected []specs.AffectedSpec) {
	src, there := d.src[specs.ProposalPath]
	if !there || specs.IsEmpty(src) {
		d.note("%s is not written yet", specs.ProposalPath)
		return
	}
	doc, err := specs.ReadDocument(d.path(specs.ProposalPath), src, 2)
	if err != nil {
		d.Err = err
		return
	}
	why, _ := doc.Section("Why", "Problem", "Motivation")
	d.Description = firstParagraph(why.Text, doc.Lead)
	d.Title = strings.TrimSpace(proposalTitle().ReplaceAllString(doc.Title, ""))
	p := specs.Proposal{
		ID: d.ID, Version: 1, Status: phases.Proposed.String(), Iteration: 1,
		Summary: firstSentence(d.Title, d.Description), AffectedSpecs: affected,
	}
	sections := framed(p.Summary, doc)
	if design, ok := d.appendix("design.md", "Design"); ok {
		sections = append(sections, design)
	}
	d.put(specs.ProposalPath, p.Around(sections), specs.ProposalPath)
}

var proposalTitle = lazy(`(?i)^(?:change|proposal|change proposal):\s*`)

// framed are the sections of a document behind a summary. What stands in front of the first one is kept as a section as well.
func framed(summary string, doc *specs.Document) []specs.Section {
	var sections []specs.Section
	if _, there := doc.Section("Summary"); !there {
		sections = append(sections, specs.Section{Title: "Summary", Text: summary})
	}
	if doc.Lead != "" {
		sections = append(sections, specs.Section{Title: "Introduction", Text: doc.Lead})
	}
	return append(sections, doc.Sections...)
}

// appendix is a further document of the change as a section, so that whoever judges the plan reads it,
// and an approval is of its words too.
func (d *draft) appendix(file, title string) (specs.Section, bool) {
	src, there := d.src[file]
	if !there || specs.IsEmpty(src) {
		return specs.Section{}, false
	}
	text, err := specs.Nested(d.path(file), src)
	if err != nil {
		d.contradicts("%v: left out of the proposal", err)
		return specs.Section{}, false
	}
	return specs.Section{Title: title, Text: text}, true
}

// archivedOpenSpec is a change that OpenSpec has archived: history.
func archivedOpenSpec(folder, name string, files Tree) Change {
	d := newDraft(OpenSpec, folder, name, files)
	d.Err, d.Notes, d.ID = nil, nil, name
	d.Phase, d.Claimed = phases.None, phases.Archived.String()
	if all, done := ticks(files[specs.TasksPath]); done < all {
		d.contradicts("it claims archived, and %d of %d tasks are not ticked", all-done, all)
	}
	return d.Change
}

// firstParagraph is the first text that is there, up to a blank line.
func firstParagraph(texts ...string) string {
	for _, text := range texts {
		if paragraph, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n"); paragraph != "" {
			return paragraph
		}
	}
	return ""
}

var sentenceEnd = regexp.MustCompile(`[.!?。！？](?:\s|$)|[。！？]`)

// firstSentence is the first text that is there, up to the end of its first sentence, on one line.
func firstSentence(texts ...string) string {
	line := strings.Join(strings.Fields(firstParagraph(texts...)), " ")
	if end := sentenceEnd.FindStringIndex(line); end != nil {
		line = line[:end[1]]
	}
	return strings.TrimSpace(line)
}
