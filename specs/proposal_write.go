package specs

import (
	"fmt"
	"strings"
	"time"
)

// proposalFront is the front matter of a proposal, in the order in which it is written.
type proposalFront struct {
	ID            string             `yaml:"id"`
	Type          string             `yaml:"type"`
	Version       int                `yaml:"version"`
	CreatedAt     time.Time          `yaml:"created_at,omitempty"`
	UpdatedAt     time.Time          `yaml:"updated_at,omitempty"`
	Author        string             `yaml:"author,omitempty"`
	Status        string             `yaml:"status,omitempty"`
	Iteration     int                `yaml:"iteration"`
	Summary       string             `yaml:"summary"`
	Impact        impactFront        `yaml:"impact"`
	AffectedSpecs *[]affectedFront   `yaml:"affected_specs,omitempty"`
	Dependencies  *dependenciesFront `yaml:"dependencies,omitempty"`
	Risks         []riskFront        `yaml:"risks,omitempty"`
}

type impactFront struct {
	Scope         string `yaml:"scope"`
	AffectedFiles int    `yaml:"affected_files"`
	NewFiles      int    `yaml:"new_files"`
}

type affectedFront struct {
	ID      string   `yaml:"id"`
	Path    string   `yaml:"path"`
	Depends []string `yaml:"depends,omitempty,flow"`
}

type dependenciesFront struct {
	External []externalFront `yaml:"external,omitempty"`
	Internal []string        `yaml:"internal,omitempty"`
}

type externalFront struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version,omitempty"`
}

type riskFront struct {
	Severity    string `yaml:"severity"`
	Category    string `yaml:"category"`
	Description string `yaml:"description"`
}

// Markdown returns the canonical form of the proposal.
// Text that would end its section, or begin another, is made harmless on the way.
func (p *Proposal) Markdown() []byte {
	var out strings.Builder
	writeFrontmatter(&out, p.front())
	fmt.Fprintf(&out, "\n# Change: %s\n", oneLine(p.ID))
	writeProse(&out, "## Summary", p.Summary, 3)
	writeProse(&out, "## Why", p.Why, 3)
	out.WriteString("\n## What Changes\n\n")
	for _, entry := range p.WhatChanges {
		writeItem(&out, "", itemText(entry))
	}
	if len(p.WhatChanges) == 0 {
		trimEnd(&out)
	}
	p.writeImpact(&out)
	for _, review := range p.Reviews {
		review.write(&out)
	}
	return []byte(out.String())
}

func (p *Proposal) front() proposalFront {
	front := proposalFront{
		ID: oneLine(p.ID), Type: "proposal", Version: p.Version,
		CreatedAt: seconds(p.CreatedAt), UpdatedAt: seconds(p.UpdatedAt),
		Author: oneLine(p.Author), Status: oneLine(p.Status), Iteration: p.Iteration,
		Summary: oneLine(p.Summary),
		Impact:  impactFront{oneLine(p.Impact.Scope), p.Impact.AffectedFiles, p.Impact.NewFiles},
	}
	specs := []affectedFront{}
	for _, spec := range p.AffectedSpecs {
		affected := affectedFront{ID: string(spec.ID), Path: spec.ID.Path()}
		for _, need := range spec.Depends {
			affected.Depends = append(affected.Depends, string(need))
		}
		specs = append(specs, affected)
	}
	if !p.SpecsUnstated {
		front.AffectedSpecs = &specs
	}
	if d := p.Dependencies; len(d.External)+len(d.Internal) > 0 {
		front.Dependencies = &dependenciesFront{}
		for _, external := range d.External {
			front.Dependencies.External = append(front.Dependencies.External,
				externalFront{oneLine(external.Name), oneLine(external.Version)})
		}
		for _, internal := range d.Internal {
			front.Dependencies.Internal = append(front.Dependencies.Internal, oneLine(internal))
		}
	}
	for _, risk := range p.Risks {
		front.Risks = append(front.Risks,
			riskFront{oneLine(risk.Severity), oneLine(risk.Category), cleanText(risk.Description)})
	}
	return front
}

func (p *Proposal) writeImpact(out *strings.Builder) {
	impact := p.Impact
	out.WriteString("\n## Impact\n\n")
	fmt.Fprintf(out, "- **Scope**: %s\n", oneLine(impact.Scope))
	fmt.Fprintf(out, "- **Affected Files**: ~%d\n", impact.AffectedFiles)
	fmt.Fprintf(out, "- **New Files**: ~%d\n", impact.NewFiles)
	if !p.SpecsUnstated {
		var ids []string
		for _, spec := range p.AffectedSpecs {
			ids = append(ids, "`"+string(spec.ID)+"`")
		}
		fmt.Fprintf(out, "- Affected specs: %s\n", orNone(strings.Join(ids, ", ")))
	}
	if len(impact.AffectedCode) == 0 {
		out.WriteString("- Affected code: none\n")
	} else {
		out.WriteString("- Affected code:\n")
	}
	for _, code := range impact.AffectedCode {
		code = oneLine(code)
		if !strings.ContainsAny(code, "` ") {
			code = "`" + code + "`"
		}
		writeItem(out, "  ", itemText(code))
	}
	writeItem(out, "", "**Breaking Changes**: "+orNone(escapeTags(cleanText(impact.BreakingChanges))))
}

func (r ReviewBlock) write(out *strings.Builder) {
	quote := func(s string) string { return strings.NewReplacer(`"`, "'", "<", "", ">", "").Replace(oneLine(s)) }
	fmt.Fprintf(out, "\n<review iteration=\"%d\" reviewer=\"%s\" status=\"%s\">\n", r.Iteration, quote(r.Reviewer), quote(r.Status))
	if text := cleanText(r.Text); text != "" {
		fmt.Fprintf(out, "\n%s\n\n", strings.ReplaceAll(text, "</review>", `\</review>`))
	}
	out.WriteString("</review>\n")
}

// writeProse writes a heading and the text below it.
func writeProse(out *strings.Builder, heading, text string, level int) {
	out.WriteString("\n" + heading + "\n")
	if text = proseText(text, level); text != "" {
		out.WriteString("\n" + text + "\n")
	}
}

// trimEnd takes the blank line back that was written for a list that has no items.
func trimEnd(out *strings.Builder) {
	text := strings.TrimRight(out.String(), "\n")
	out.Reset()
	out.WriteString(text + "\n")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
