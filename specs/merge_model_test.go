package specs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// modelSpec is a spec that can be edited at random and written in one of the forms in which specs occur.
type modelSpec struct {
	form     modelForm
	front    []string // lines key: value
	title    string
	sections []modelText
	needs    []modelRequirement
	loose    []modelText // scenarios of their own section
	next     int         // the number of the next id
}

// modelForm is a way of writing specs.
type modelForm struct {
	named, nested, wrapped, front, bom, dashes, crlf, noEnd bool
}

type modelText struct{ title, body string }

type modelRequirement struct {
	modelText
	id        string
	scenarios []modelText
}

var modelWords = strings.Fields("session token expiry Überprüfung 登录 provider état person cookie redirect state limit queue retry größe verify 权限 audit field")

type modelMaker struct {
	*rand.Rand
	side string // makes texts of one side differ from those of the other
}

func (m modelMaker) words(n int) string {
	var out []string
	for range n {
		out = append(out, modelWords[m.IntN(len(modelWords))])
	}
	return strings.Join(out, " ") + fmt.Sprintf(" %s%d", m.side, m.IntN(1000))
}

func (m modelMaker) body() string {
	text := "The system SHALL " + m.words(3) + "."
	switch m.IntN(8) {
	case 0:
		text += "\n\n```sh\n# Old (remove)\n### R9: not a requirement\n```"
	case 1:
		text += "\n\n- " + m.words(1) + "\n  - " + m.words(2)
	case 2:
		text += "\n\n~~~~\n```\n## Requirements\n~~~~"
	case 3:
		text += "\n\n> ### Requirement: quoted"
	}
	return text
}

func (m modelMaker) scenario() modelText {
	return modelText{m.words(2), "- **WHEN** " + m.words(2) + "\n- **THEN** " + m.words(2)}
}

func (m modelMaker) requirement(s *modelSpec) modelRequirement {
	s.next++
	r := modelRequirement{modelText: modelText{m.words(2), m.body()}, id: fmt.Sprintf("R%d", s.next)}
	for range m.IntN(3) {
		r.scenarios = append(r.scenarios, m.scenario())
	}
	return r
}

func (m modelMaker) spec() *modelSpec {
	flip := func() bool { return m.IntN(3) == 0 }
	s := &modelSpec{title: m.words(1), form: modelForm{named: flip(), nested: flip(), wrapped: m.IntN(8) == 0, front: flip(), bom: m.IntN(10) == 0,
		dashes: flip(), crlf: m.IntN(6) == 0, noEnd: m.IntN(6) == 0}}
	s.front = []string{"id: auth", "title: " + m.words(1), "version: 1", "updated_at: 2026-01-01T00:00:00Z", "owner: " + m.words(1)}
	s.sections = append(s.sections, modelText{"Overview", m.body()})
	for i := range m.IntN(3) {
		s.sections = append(s.sections, modelText{[]string{"Data Model", "数据模型", "Data Model"}[i], m.body()})
	}
	for range m.IntN(5) {
		s.needs = append(s.needs, m.requirement(s))
	}
	for range m.IntN(3) {
		s.loose = append(s.loose, m.scenario())
	}
	return s
}

// clone copies the spec, so that the copy can be edited. Ids that the two make from then on differ, or not.
func (s *modelSpec) clone() *modelSpec {
	c := *s
	c.front, c.sections, c.loose, c.needs = slices.Clone(s.front), slices.Clone(s.sections), slices.Clone(s.loose), slices.Clone(s.needs)
	for i := range c.needs {
		c.needs[i].scenarios = slices.Clone(c.needs[i].scenarios)
	}
	return &c
}

// edit changes the spec in one of the ways in which people and agents do.
func (m modelMaker) edit(s *modelSpec) {
	need := func(do func(*modelRequirement)) {
		if len(s.needs) > 0 {
			do(&s.needs[m.IntN(len(s.needs))])
		}
	}
	switch m.IntN(16) {
	case 0, 1:
		need(func(r *modelRequirement) { r.body = m.body() })
	case 2:
		need(func(r *modelRequirement) { r.title = m.words(2) })
	case 3, 4:
		s.needs = slices.Insert(s.needs, m.IntN(len(s.needs)+1), m.requirement(s))
	case 5:
		if n := len(s.needs); n > 0 {
			at := m.IntN(n)
			s.needs = slices.Delete(s.needs, at, at+1)
		}
	case 6:
		need(func(r *modelRequirement) { s.next++; r.id = fmt.Sprintf("R%d", s.next) })
	case 7, 8:
		need(func(r *modelRequirement) {
			r.scenarios = slices.Insert(r.scenarios, m.IntN(len(r.scenarios)+1), m.scenario())
		})
	case 9:
		need(func(r *modelRequirement) {
			if n := len(r.scenarios); n > 0 {
				r.scenarios = slices.Delete(r.scenarios, n-1, n)
			}
		})
	case 10:
		need(func(r *modelRequirement) {
			if n := len(r.scenarios); n > 0 {
				r.scenarios[m.IntN(n)].body = m.scenario().body
			}
		})
	case 11:
		s.sections[m.IntN(len(s.sections))].body = m.body()
	case 12:
		s.sections = append(s.sections, modelText{m.words(1), m.body()})
	case 13:
		s.front[3] = fmt.Sprintf("updated_at: 2026-0%d-01T00:00:00Z", 2+m.IntN(7))
		if m.IntN(2) == 0 {
			s.front[4] = "owner: " + m.words(1)
		}
	case 14:
		if n := len(s.needs); n > 1 {
			i, k := m.IntN(n), m.IntN(n)
			s.needs[i], s.needs[k] = s.needs[k], s.needs[i]
		}
	case 15:
		s.loose = append(s.loose, m.scenario())
	}
}

// String writes the spec in its form.
func (s *modelSpec) String() string {
	var out strings.Builder
	if s.form.bom {
		out.WriteString("\ufeff")
	}
	if s.form.front {
		out.WriteString("---\n" + strings.Join(s.front, "\n") + "\n---\n\n")
	}
	if s.form.wrapped {
		out.WriteString("<spec>\n\n")
	}
	out.WriteString("# Specification: " + s.title + "\n")
	block := func(heading, body string) { out.WriteString("\n" + heading + "\n\n" + body + "\n") }
	block("## "+s.sections[0].title, s.sections[0].body)
	out.WriteString("\n## Requirements\n")
	for _, r := range s.needs {
		heading := "### " + r.id + ": " + r.title
		switch {
		case s.form.named:
			heading = "### Requirement: " + r.title
		case s.form.dashes:
			heading = "### " + r.id + " - " + r.title + "\n\n```yaml\nid: " + r.id + "\npriority: high\n```"
		}
		block(heading, r.body)
		if s.form.nested || s.form.named {
			for _, sc := range r.scenarios {
				block("#### Scenario: "+sc.title, sc.body)
			}
		}
	}
	for _, section := range s.sections[1:] {
		block("## "+section.title, section.body)
	}
	out.WriteString("\n## Acceptance Criteria\n")
	if !s.form.nested && !s.form.named {
		for _, r := range s.needs {
			for _, sc := range r.scenarios {
				block("### Scenario: "+sc.title+" ("+r.id+")", sc.body)
			}
		}
	}
	for _, sc := range s.loose {
		block("### Scenario: "+sc.title, sc.body)
	}
	if s.form.wrapped {
		out.WriteString("\n</spec>\n")
	}
	text := out.String()
	if s.form.noEnd {
		text = strings.TrimRight(text, "\n")
	}
	if s.form.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
