package foreign

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// constitution is what a project with spec-kit says of itself.
const constitution = ".specify/memory/constitution.md"

// specKit reads the features of spec-kit. A feature is a spec, the plan for it, and tasks.
func (c *Collection) specKit(t Tree, folder string) {
	src := t.below(folder)
	for _, name := range src.folders() {
		if isFeature(src, name) {
			c.Changes = append(c.Changes, specKitChange(join(folder, name), name, src.below(name)))
		}
	}
	if t.has(constitution) && !specs.IsEmpty(t[constitution]) {
		c.Notes = append(c.Notes, constitution+" is about the project: take what is still true into agentd/project.md")
	}
}

func specKitChange(folder, name string, files Tree) Change {
	d := newDraft(SpecKit, folder, name, files)
	if d.Err != nil {
		return d.finish()
	}
	doc, err := specs.ReadDocument(d.path("spec.md"), scrub(files["spec.md"]), 2)
	if err != nil {
		d.Err = err
		return d.finish()
	}
	if strings.Contains(doc.Title, "[FEATURE NAME]") {
		d.note("%s is a template that nobody filled in: left out", "spec.md")
		return d.finish()
	}
	d.Title = strings.TrimSpace(featureTitle().ReplaceAllString(doc.Title, ""))
	d.Description = d.Title
	if match := featureInput().FindStringSubmatch(doc.Lead); match != nil {
		d.Description = strings.Trim(strings.Join(strings.Fields(match[1]), " "), `"“”`)
	}
	if match := featureStatus().FindStringSubmatch(doc.Lead); match != nil {
		d.Claimed = strings.TrimSpace(match[1])
	}
	var affected []specs.AffectedSpec
	if id, ok := d.specID(featureName().FindStringSubmatch(name)[1], "spec.md"); ok {
		affected = []specs.AffectedSpec{{ID: id, Path: id.Path()}}
		d.put(id.Path(), d.featureSpec(id, doc), "spec.md")
	}
	d.featureProposal(doc, affected)
	if files.has(specs.TasksPath) {
		status := d.Claimed
		d.checklist(specs.TasksPath)
		if status != "" && d.Claimed != status {
			d.Claimed = status + ", " + d.Claimed
		}
	}
	if open := strings.Count(string(files["spec.md"]), "[NEEDS CLARIFICATION"); open > 0 {
		d.note("%s has %s open: look for NEEDS CLARIFICATION", "spec.md", count(open, "question"))
	}
	return d.finish()
}

var (
	featureTitle  = lazy(`(?i)^feature specification:\s*`)
	featureInput  = lazy(`(?ms)^\*\*Input\*\*:[ \t]*(?:User description:[ \t]*)?(.*?)(?:\n\n|\n\*\*|\z)`)
	featureStatus = lazy(`(?m)^\*\*Status\*\*:[ \t]*(.*)$`)
)

// featureProposal says what the feature is for, and holds the plan with what was found out for it.
func (d *draft) featureProposal(doc *specs.Document, affected []specs.AffectedSpec) {
	p := specs.Proposal{
		ID: d.ID, Version: 1, Status: phases.Proposed.String(), Iteration: 1,
		Summary: firstSentence(d.Title, d.Description), AffectedSpecs: affected,
	}
	sections := []specs.Section{{Title: "Summary", Text: p.Summary}, {Title: "Why", Text: d.Description}}
	var what []string
	for _, story := range userStories(doc) {
		what = append(what, "- "+story.title)
	}
	if len(what) == 0 {
		what = []string{"- " + p.Summary}
	}
	sections = append(sections, specs.Section{Title: "What Changes", Text: strings.Join(what, "\n")})
	for _, more := range []struct{ file, title string }{{"plan.md", "Plan"}, {"research.md", "Research"}, {"data-model.md", "Data Model"}} {
		if section, ok := d.appendix(more.file, more.title); ok {
			sections = append(sections, section)
		}
	}
	from := ""
	if d.src.has("plan.md") {
		from = "plan.md"
	}
	d.put(specs.ProposalPath, p.Around(sections), from)
}

// story is a user story with the scenarios that it is accepted by.
type story struct {
	title     string
	scenarios []specs.Scenario
}

var (
	storyTitle    = lazy(`(?i)^user story \d+`)
	scenarioItem  = lazy(`(?i)^(?:\d+[.)]|[-*])[ \t]+\*\*Given\*\*[: ]`)
	scenarioSteps = lazy(`(?is)^(?:\d+[.)]|[-*])[ \t]+\*\*Given\*\*:?\s*(.*?),?\s*\*\*When\*\*:?\s*(.*?),?\s*\*\*Then\*\*:?\s*(.*)$`)
)

// plainTitle is a heading without what the template says of it: "Requirements *(mandatory)*".
func plainTitle(title string) string {
	return strings.TrimSpace(titleMark().ReplaceAllString(title, ""))
}

var titleMark = lazy(`\*\([^)]*\)\*`)

func userStories(doc *specs.Document) []story {
	var section specs.Section
	for _, s := range doc.Sections {
		if plainTitle(s.Title) == "User Scenarios & Testing" {
			section = s
		}
	}
	inner, err := specs.ReadDocument("", []byte(section.Text), 3)
	if err != nil {
		return nil
	}
	var stories []story
	for _, s := range inner.Sections {
		if !storyTitle().MatchString(s.Title) {
			continue
		}
		one := story{title: s.Title}
		for _, item := range items(s.Text, scenarioItem().MatchString) {
			match := scenarioSteps().FindStringSubmatch(item)
			if match == nil {
				continue
			}
			flat := func(text string) []string { return []string{strings.Join(strings.Fields(text), " ")} }
			one.scenarios = append(one.scenarios, specs.Scenario{
				Name:  fmt.Sprintf("%s, %d", s.Title, len(one.scenarios)+1),
				Given: flat(match[1]), When: flat(match[2]), Then: flat(match[3]),
			})
		}
		stories = append(stories, one)
	}
	return stories
}

// items cuts text at the lines that begin an item; an item ends at a blank line or at the next.
func items(text string, begins func(line string) bool) []string {
	var found []string
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case begins(line):
			found, in = append(found, line), true
		case strings.TrimSpace(line) == "":
			in = false
		case in:
			found[len(found)-1] += "\n" + line
		}
	}
	return found
}

// shortened is a sentence fit to be a heading.
func shortened(sentence string) string {
	const most = 80 // runes
	runes := []rune(sentence)
	if len(runes) <= most {
		return sentence
	}
	cut := string(runes[:most])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}

var requirementItem = lazy(`(?s)^[-*][ \t]+\*\*([A-Z]{0,3}R)-?(\d+)\*\*:?[ \t]*(.*)$`)

// featureSpec makes a spec of the feature: its requirements by their numbers, the scenarios of its stories,
// and its other sections as they stand. Without a requirement in the usual form it stays as it is.
func (d *draft) featureSpec(id specs.SpecID, doc *specs.Document) []byte {
	s := specs.Spec{ID: id, Title: d.Title, Version: 1, Overview: d.Description}
	for _, section := range doc.Sections {
		if title := plainTitle(section.Title); title != "Requirements" {
			s.Sections = append(s.Sections, specs.Section{Title: title, Text: section.Text})
			continue
		}
		for _, item := range items(section.Text, requirementItem().MatchString) {
			match := requirementItem().FindStringSubmatch(item)
			text := strings.ReplaceAll(strings.TrimSpace(match[3]), "\n  ", "\n")
			s.Requirements = append(s.Requirements, specs.Requirement{ID: match[1] + match[2], Title: shortened(firstSentence(text)), Description: text})
		}
		inner, err := specs.ReadDocument(d.path("spec.md"), []byte(section.Text), 3)
		if err != nil {
			continue
		}
		for _, part := range inner.Sections { // Key Entities
			if len(items(part.Text, requirementItem().MatchString)) == 0 {
				s.Sections = append(s.Sections, specs.Section{Title: plainTitle(part.Title), Text: part.Text})
			}
		}
	}
	for _, story := range userStories(doc) {
		s.Scenarios = append(s.Scenarios, story.scenarios...)
	}
	if len(s.Requirements) == 0 {
		d.note("%s has no requirements such as **FR-001**: it stays as it is", "spec.md")
		d.whole["spec.md"] = true
		return specs.Plain(d.src["spec.md"], "")
	}
	return s.Markdown()
}
