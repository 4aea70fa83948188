package specs

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	scenarioTitle  = lazy(`(?i)^scenario(?:\s+\d+)?\s*[:–—-]\s*(.*)$`)
	criterionTitle = lazy(`^A\d+\s*[:–—-]\s*(.*)$`)
	whenThen       = lazy(`(?s)^(?:\**GIVEN\**.*)?\**WHEN\**\b.*\bTHEN\b`)
	stepWord       = lazy(`(?is)^(?:\*\*|__)?(given|when|then|and|but)\b:?(?:\*\*|__)?[:,]?(?:\s+|$)(.*)$`)
	loudStep       = lazy(`^(?:\*\*|__)?(GIVEN|WHEN|THEN|AND)\b`)
	innerWhen      = lazy(`[\s,]+\**WHEN\**:?\s+`)
	innerThen      = lazy(`[\s,]+\**THEN\**:?\s+`)
)

// isScenario reports whether a heading begins a scenario.
func isScenario(title string) bool {
	_, ok := scenarioName(title)
	return ok
}

// scenarioName reads the heading of a scenario.
func scenarioName(title string) (string, bool) {
	if first, _ := utf8.DecodeRuneInString(title); !strings.ContainsRune("sSſAGW*", first) {
		return "", false // no expression can match, and asking three of them costs more than reading a letter
	}
	for _, form := range []*regexp.Regexp{scenarioTitle(), criterionTitle()} {
		if match := form.FindStringSubmatch(title); match != nil {
			return headingText(match[1]), true
		}
	}
	if whenThen().MatchString(title) {
		return headingText(title), true
	}
	return "", false
}

// scenario takes the scenario that a heading begins, if it does.
func (r *specReader) scenario(i int) {
	b := r.blocks[i]
	name, ok := scenarioName(b.title)
	if !ok {
		return
	}
	end := i + 1
	for end < len(r.blocks) && r.blocks[end].kind != headingBlock {
		end++
	}
	s := Scenario{Name: name, Requirement: r.owner, Line: r.line(b.start),
		Start: b.start + r.base, End: r.endBefore(i, end) + r.base}
	steps := steps{scenario: &s}
	for k := i + 1; k < end; k++ {
		r.steps(k, &steps)
	}
	if len(s.When)+len(s.Then) == 0 && whenThen().MatchString(name) {
		steps.add(name)
	}
	steps.finish()
	r.spec.Scenarios = append(r.spec.Scenarios, s)
}

// steps reads the steps of one block: items of a list, or lines that begin with a word of step.
func (r *specReader) steps(i int, to *steps) {
	b := r.blocks[i]
	switch b.kind {
	case listBlock:
		for _, it := range r.items(b) {
			to.item(it)
		}
	case otherBlock:
		for line := range strings.Lines(r.text(b.start, r.endBefore(i, i+1))) {
			to.add(strings.TrimSpace(line))
		}
	}
}

// bareSteps reads criteria that stand directly below their section, without headings of their own.
func (r *specReader) bareSteps(heading int) {
	var one *Scenario // collects the steps that stand alone
	var collected steps
	collect := func(text string, start, end int) {
		if one == nil {
			one = &Scenario{Requirement: r.owner, Line: r.line(start), Start: start + r.base}
			collected = steps{scenario: one}
		}
		one.End = end + r.base
		collected.add(text)
	}
	for i := heading + 1; i < len(r.blocks) && r.blocks[i].kind != headingBlock; i++ {
		b := r.blocks[i]
		switch b.kind {
		case listBlock:
			for k, it := range r.items(b) {
				start, end := b.items[k].start, min(b.items[k].end, r.endBefore(i, i+1))
				switch {
				case it.text == "":
				case whenThen().MatchString(firstLine(it.text)) || !loudStep().MatchString(it.text):
					s := Scenario{Name: headingText(it.text), Requirement: r.owner, Line: it.line, Start: start + r.base, End: end + r.base}
					single := steps{scenario: &s}
					if loudStep().MatchString(it.text) {
						single.item(it)
					} else if _, nested := nestedItems(it); nested != nil {
						single.item(it)
						s.Name = headingText(firstLine(it.text))
					}
					single.finish()
					r.spec.Scenarios = append(r.spec.Scenarios, s)
				default:
					collect(it.text, start, end)
				}
			}
		case otherBlock:
			text := r.text(b.start, r.endBefore(i, i+1))
			if loudStep().MatchString(text) {
				for line := range strings.Lines(text) {
					collect(strings.TrimSpace(line), b.start, r.endBefore(i, i+1))
				}
			}
		}
	}
	if one == nil {
		return
	}
	collected.finish()
	for _, step := range [][]string{one.When, one.Given, one.Then} {
		if len(step) > 0 {
			one.Name = headingText(step[0])
			break
		}
	}
	r.spec.Scenarios = append(r.spec.Scenarios, *one)
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// steps fills a scenario, word by word.
type steps struct {
	scenario *Scenario
	current  *[]string // the list that AND continues
}

// item takes a step and, where they are nested below it, the steps that follow.
func (s *steps) item(it item) { s.nested(it, 3) }

// nested looks for further steps below a step, a few levels deep.
func (s *steps) nested(it item, levels int) {
	if levels == 0 {
		s.add(it.text)
		return
	}
	lead, nested := nestedItems(it)
	for _, below := range nested {
		if !stepWord().MatchString(below.text) {
			s.add(it.text)
			return
		}
	}
	s.add(lead)
	for _, below := range nested {
		s.nested(below, levels-1)
	}
}

// add takes one step; a line without a word of step continues the one before.
func (s *steps) add(text string) {
	match := stepWord().FindStringSubmatch(text)
	if match == nil {
		if s.current != nil && text != "" {
			last := len(*s.current) - 1
			(*s.current)[last] = labelText((*s.current)[last] + "\n" + text)
		}
		return
	}
	switch strings.ToLower(match[1]) {
	case "given":
		s.current = &s.scenario.Given
	case "when":
		s.current = &s.scenario.When
	case "then":
		s.current = &s.scenario.Then
	}
	if step := labelText(match[2]); s.current != nil && step != "" {
		*s.current = append(*s.current, step)
	} else if len(value(s.current)) == 0 {
		s.current = nil
	}
}

func value(list *[]string) []string {
	if list == nil {
		return nil
	}
	return *list
}

// finish splits steps that were written on one line: GIVEN … WHEN … THEN ….
func (s *steps) finish() {
	sc := s.scenario
	if len(sc.When) == 0 && len(sc.Given) > 0 {
		sc.Given, sc.When = splitLast(sc.Given, innerWhen())
	}
	if len(sc.Then) == 0 && len(sc.When) > 0 {
		sc.When, sc.Then = splitLast(sc.When, innerThen())
	}
}

// splitLast splits the last step at a word, if it has it.
func splitLast(list []string, word *regexp.Regexp) (before, after []string) {
	last := len(list) - 1
	at := word.FindStringIndex(list[last])
	if at == nil || at[0] == 0 || at[1] == len(list[last]) {
		return list, nil
	}
	after = []string{labelText(list[last][at[1]:])}
	return append(list[:last:last], labelText(list[last][:at[0]])), after
}
