package specs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// The most requirements and scenarios one spec may have.
const (
	maxRequirements = 100
	maxScenarios    = 500
)

// SpecInput is what the tool create_spec takes.
type SpecInput struct {
	ChangeID     string             `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	SpecID       string             `json:"spec_id"`
	Title        string             `json:"title"`
	Overview     string             `json:"overview"`
	Requirements []RequirementInput `json:"requirements"`
	Scenarios    []ScenarioInput    `json:"scenarios"`
	FlowDiagram  string             `json:"flow_diagram,omitempty" jsonschema:"mermaid text without a fence"`
}

// RequirementInput is one requirement of a SpecInput.
type RequirementInput struct {
	ID          string `json:"id" jsonschema:"R1, R2 and so on"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Priority    string `json:"priority" jsonschema:"high, medium or low"`
}

// ScenarioInput is one scenario of a SpecInput.
type ScenarioInput struct {
	Name        string     `json:"name"`
	Given       StringList `json:"given,omitempty" jsonschema:"what holds before; text or a list of texts"`
	When        StringList `json:"when" jsonschema:"what happens; text or a list of texts"`
	Then        StringList `json:"then" jsonschema:"what must follow; text or a list of texts"`
	Requirement string     `json:"requirement,omitempty" jsonschema:"id of the requirement this scenario checks"`
}

// Validate returns what is wrong with the arguments, one sentence each.
func (in SpecInput) Validate() []string {
	var c complaints
	c.spec("spec_id", in.SpecID)
	c.need("title", in.Title)
	c.need("overview", in.Overview)
	if len(in.Requirements) == 0 {
		c.addf(`argument "requirements" needs at least one entry`)
	}
	c.atMost("requirements", len(in.Requirements), maxRequirements)
	ids := map[string]bool{}
	for i, requirement := range in.Requirements {
		name := func(field string) string { return fmt.Sprintf("requirements[%d].%s", i, field) }
		if !requirementID().MatchString(requirement.ID) {
			c.addf("argument %q is %q, want R1, R2 and so on", name("id"), excerptOf(requirement.ID))
		}
		if ids[normalID(requirement.ID)] {
			c.addf("argument %q is %q, which is used already", name("id"), excerptOf(requirement.ID))
		}
		ids[normalID(requirement.ID)] = true
		c.need(name("title"), requirement.Title)
		c.need(name("description"), requirement.Description)
		c.oneOf(name("priority"), requirement.Priority, "high", "medium", "low")
	}
	if len(in.Scenarios) == 0 {
		c.addf(`argument "scenarios" needs at least one entry`)
	}
	c.atMost("scenarios", len(in.Scenarios), maxScenarios)
	for i, scenario := range in.Scenarios {
		name := func(field string) string { return fmt.Sprintf("scenarios[%d].%s", i, field) }
		c.need(name("name"), scenario.Name)
		c.need(name("when"), strings.Join(scenario.When, "\n"))
		c.need(name("then"), strings.Join(scenario.Then, "\n"))
		if scenario.Requirement != "" && !ids[normalID(scenario.Requirement)] {
			c.addf("argument %q is %q, which is not among the requirements", name("requirement"), excerptOf(scenario.Requirement))
		}
	}
	return c
}

// Spec makes a spec of a change from the arguments.
// With a previous version it is the next one, or, where nothing but the date would differ, the previous one itself.
// The error is an [*InputError].
func (in SpecInput) Spec(id string, at time.Time, prev *Spec) (*Spec, error) {
	if err := boundTo(id, in.ChangeID); err != nil {
		return nil, err
	}
	if err := inputError(in.Validate()); err != nil {
		return nil, err
	}
	s := in.spec()
	s.Version, s.CreatedAt, s.UpdatedAt = 1, seconds(at), seconds(at)
	if prev != nil {
		if reflect.DeepEqual(prev.content(), s.content()) {
			return prev, nil
		}
		s.Version = prev.Version + 1
		if !prev.CreatedAt.IsZero() {
			s.CreatedAt = prev.CreatedAt
		}
	}
	return proof(s.ID.Path(), s.Markdown(), s, ParseSpec, func(a, b Spec) bool {
		return reflect.DeepEqual(a.content(), b.content())
	})
}

func (in SpecInput) spec() Spec {
	s := Spec{
		ID:          SpecID(in.SpecID),
		Title:       headingText(specTitle().ReplaceAllString(in.Title, "")),
		Overview:    proseText(in.Overview, 4),
		FlowDiagram: unfenced(in.FlowDiagram),
	}
	for _, requirement := range in.Requirements {
		s.Requirements = append(s.Requirements, Requirement{
			ID:          requirement.ID,
			Title:       headingText(requirement.Title),
			Description: proseText(requirement.Description, 4),
			Priority:    requirement.Priority,
		})
	}
	for _, scenario := range in.Scenarios {
		made := Scenario{Name: headingText(scenario.Name),
			Given: stepTexts(scenario.Given, "given"), When: stepTexts(scenario.When, "when"), Then: stepTexts(scenario.Then, "then")}
		if at := slices.IndexFunc(s.Requirements, func(r Requirement) bool {
			return scenario.Requirement != "" && normalID(r.ID) == normalID(scenario.Requirement)
		}); at >= 0 {
			made.Requirement = s.Requirements[at].ID
		}
		s.Scenarios = append(s.Scenarios, made)
	}
	s.attach()
	return s
}

// stepTexts drops empty steps and the word that agents like to repeat at the beginning.
func stepTexts(texts []string, word string) []string {
	var steps []string
	for _, text := range texts {
		text = labelText(text)
		if match := stepWord().FindStringSubmatch(text); match != nil && strings.EqualFold(match[1], word) {
			text = labelText(match[2])
		}
		if text != "" {
			steps = append(steps, text)
		}
	}
	return steps
}

// unfenced takes the fence off a diagram that was given with one.
func unfenced(text string) string {
	text = cleanText(text)
	o := outline{src: []byte(text), blocks: parseBlocks([]byte(text))}
	if len(o.blocks) == 1 && o.blocks[0].kind == fenceBlock {
		return cleanText(o.fence(0))
	}
	return text
}

// content is a spec without what changes each time it is written, and without places in a source.
func (s *Spec) content() Spec {
	c := *s
	c.Version, c.CreatedAt, c.UpdatedAt, c.ArchivedAt = 0, time.Time{}, time.Time{}, time.Time{}
	c.Requirements = slices.Clone(c.Requirements)
	for i := range c.Requirements {
		r := &c.Requirements[i]
		r.Line, r.Start, r.End = 0, 0, 0
	}
	c.Scenarios = slices.Clone(c.Scenarios)
	for i := range c.Scenarios {
		sc := &c.Scenarios[i]
		sc.Line, sc.Start, sc.End = 0, 0, 0
	}
	return c
}
