package specs

import (
	"fmt"
	"strings"
	"time"
)

// specFront is the front matter of a spec, in the order in which it is written.
// It holds nothing that follows from the text: two changes to one spec should not meet here.
type specFront struct {
	ID         string    `yaml:"id"`
	Type       string    `yaml:"type"`
	Title      string    `yaml:"title"`
	Version    int       `yaml:"version"`
	CreatedAt  time.Time `yaml:"created_at,omitempty"`
	UpdatedAt  time.Time `yaml:"updated_at,omitempty"`
	ArchivedAt time.Time `yaml:"archived_at,omitempty"`
}

// requirementFront is the fence below the heading of a requirement.
type requirementFront struct {
	ID       string `yaml:"id"`
	Priority string `yaml:"priority"`
}

// Markdown returns the canonical form of the spec.
// Text that would end its section, or begin another, is made harmless on the way.
func (s *Spec) Markdown() []byte {
	var out strings.Builder
	writeFrontmatter(&out, specFront{ID: string(s.ID), Type: "spec", Title: headingText(s.Title), Version: s.Version,
		CreatedAt: seconds(s.CreatedAt), UpdatedAt: seconds(s.UpdatedAt), ArchivedAt: seconds(s.ArchivedAt)})
	fmt.Fprintf(&out, "\n# Specification: %s\n", headingText(s.Title))
	writeProse(&out, "## Overview", s.Overview, 4)
	out.WriteString("\n## Requirements\n")
	for _, requirement := range s.Requirements {
		requirement.write(&out)
	}
	if flow := cleanText(s.FlowDiagram); flow != "" {
		out.WriteString("\n## Flow\n\n")
		writeFence(&out, "mermaid", flow)
	}
	for _, section := range s.Sections {
		writeProse(&out, strings.TrimRight("## "+headingText(section.Title), " "), section.Text, 4)
	}
	out.WriteString("\n## Acceptance Criteria\n")
	for _, scenario := range s.Scenarios {
		scenario.write(&out)
	}
	return []byte(out.String())
}

func (r Requirement) write(out *strings.Builder) {
	heading := oneLine(r.ID)
	if title := headingText(r.Title); title != "" {
		heading += ": " + title
	}
	out.WriteString("\n### " + heading + "\n")
	if r.Priority != "" {
		var front strings.Builder
		writeFrontmatter(&front, requirementFront{ID: oneLine(r.ID), Priority: oneLine(r.Priority)})
		out.WriteByte('\n')
		writeFence(out, "yaml", strings.Trim(front.String(), "-\n"))
	}
	if text := proseText(r.Description, 4); text != "" {
		out.WriteString("\n" + text + "\n")
	}
}

func (s Scenario) write(out *strings.Builder) {
	name := headingText(s.Name)
	if s.Requirement != "" {
		name += " (" + oneLine(s.Requirement) + ")"
	}
	fmt.Fprintf(out, "\n### %s\n", headingText("Scenario: "+name))
	if len(s.Given)+len(s.When)+len(s.Then) > 0 {
		out.WriteByte('\n')
	}
	for _, steps := range []struct {
		word  string
		texts []string
	}{{"GIVEN", s.Given}, {"WHEN", s.When}, {"THEN", s.Then}} {
		for i, text := range steps.texts {
			word := steps.word
			if i > 0 {
				word = "AND"
			}
			writeItem(out, "", "**"+word+"** "+labelText(text))
		}
	}
}

// writeFence writes text in a fence that is longer than any in it.
func writeFence(out *strings.Builder, language, text string) {
	fence := "```"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, fence) {
			fence += "`"
		}
	}
	fmt.Fprintf(out, "%s%s\n%s\n%s\n", fence, language, text, fence)
}
