package specs

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// ProposalInput is what the tool create_proposal takes.
type ProposalInput struct {
	ChangeID    string      `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Summary     string      `json:"summary" jsonschema:"one or two sentences"`
	Why         string      `json:"why" jsonschema:"the problem or opportunity"`
	WhatChanges []string    `json:"what_changes" jsonschema:"one entry per change, most important first"`
	Impact      ImpactInput `json:"impact"`
}

// ImpactInput is the impact of a ProposalInput.
type ImpactInput struct {
	Scope           string   `json:"scope" jsonschema:"patch, minor or major"`
	AffectedSpecs   []string `json:"affected_specs,omitempty" jsonschema:"ids of the specs this change adds or rewrites, in the order in which they are to be written; empty if none"`
	AffectedFiles   int      `json:"affected_files,omitempty" jsonschema:"how many files will be touched, roughly"`
	NewFiles        int      `json:"new_files,omitempty" jsonschema:"how many of them are new"`
	AffectedCode    []string `json:"affected_code,omitempty" jsonschema:"files or folders"`
	BreakingChanges string   `json:"breaking_changes,omitempty" jsonschema:"what breaks and for whom; empty if nothing"`
}

// Validate returns what is wrong with the arguments, one sentence each.
func (in ProposalInput) Validate() []string {
	var c complaints
	c.need("summary", in.Summary)
	c.need("why", in.Why)
	if len(in.WhatChanges) == 0 {
		c.addf(`argument "what_changes" needs at least one entry`)
	}
	for i, entry := range in.WhatChanges {
		c.need(fmt.Sprintf("what_changes[%d]", i), entry)
	}
	c.oneOf("impact.scope", in.Impact.Scope, "patch", "minor", "major")
	if in.Impact.AffectedFiles < 0 || in.Impact.NewFiles < 0 {
		c.addf(`arguments "impact.affected_files" and "impact.new_files" must not be negative`)
	}
	c.atMost("impact.affected_specs", len(in.Impact.AffectedSpecs), maxSpecs)
	seen := map[string]bool{}
	for i, id := range in.Impact.AffectedSpecs {
		name := fmt.Sprintf("impact.affected_specs[%d]", i)
		c.spec(name, id)
		if seen[id] {
			c.addf("argument %q names %q again", name, excerptOf(id))
		}
		seen[id] = true
	}
	for i, code := range in.Impact.AffectedCode {
		c.need(fmt.Sprintf("impact.affected_code[%d]", i), code)
	}
	return c
}

// Proposal makes the proposal of a change from the arguments.
// With a previous version it is the next one, or, where nothing but the date would differ, the previous one itself.
// The error is an [*InputError].
func (in ProposalInput) Proposal(id string, at time.Time, author string, prev *Proposal) (*Proposal, error) {
	if err := boundTo(id, in.ChangeID); err != nil {
		return nil, err
	}
	if err := inputError(in.Validate()); err != nil {
		return nil, err
	}
	p := in.proposal()
	p.ID, p.Version, p.Iteration, p.Status = id, 1, 1, "proposed"
	p.CreatedAt, p.UpdatedAt, p.Author = seconds(at), seconds(at), oneLine(author)
	if prev != nil {
		if reflect.DeepEqual(prev.content(), p.content()) {
			return prev, nil
		}
		p.Version, p.Iteration = prev.Version+1, prev.Iteration+1
		if !prev.CreatedAt.IsZero() {
			p.CreatedAt = prev.CreatedAt
		}
		if p.Author == "" {
			p.Author = prev.Author
		}
	}
	return proof("proposal.md", p.Markdown(), p, ParseProposal, func(a, b Proposal) bool { return reflect.DeepEqual(a, b) })
}

func (in ProposalInput) proposal() Proposal {
	p := Proposal{
		Summary: proseText(in.Summary, 3),
		Why:     proseText(in.Why, 3),
		Impact: Impact{
			Scope:         in.Impact.Scope,
			AffectedFiles: in.Impact.AffectedFiles,
			NewFiles:      in.Impact.NewFiles,
		},
	}
	for _, entry := range in.WhatChanges {
		p.WhatChanges = append(p.WhatChanges, itemText(entry))
	}
	for _, text := range in.Impact.AffectedSpecs {
		id := SpecID(text)
		p.AffectedSpecs = append(p.AffectedSpecs, AffectedSpec{ID: id, Path: id.Path()})
	}
	for _, code := range in.Impact.AffectedCode {
		p.Impact.AffectedCode = append(p.Impact.AffectedCode, oneLine(strings.ReplaceAll(code, "`", "")))
	}
	if !isNone(in.Impact.BreakingChanges) {
		p.Impact.BreakingChanges = escapeTags(cleanText(strings.TrimSpace(in.Impact.BreakingChanges)))
	}
	return p
}

// content is a proposal without what changes each time it is written.
func (p *Proposal) content() Proposal {
	c := *p
	c.Version, c.Iteration, c.CreatedAt, c.UpdatedAt, c.Author, c.Status = 0, 0, time.Time{}, time.Time{}, "", ""
	c.Reviews = nil
	return c
}
