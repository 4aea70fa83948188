package specs

import (
	"fmt"
	"path"
	"strings"
)

var (
	questionTitle = lazy(`^[Qq]\d+\s*[:.：–—-]\s*(.*)$`)
	answerLabel   = lazy(`^(?:[-*][ \t]+)?\*\*(Question|Answer|Rationale)(?:\*\*[ \t]*[:：]|[:：]\*\*)[ \t]*(.*)$`)
)

// ParseClarifications reads clarifications.md in any of its forms.
func ParseClarifications(file string, src []byte) (*Clarifications, Problems, error) {
	o, err := readOutline(file, src, "")
	if err != nil {
		return nil, nil, err
	}
	var problems Problems
	front, err := o.fields(&problems)
	if err != nil {
		return nil, nil, err
	}
	c := &Clarifications{Change: front.text("change", "change_id"), Created: front.time("date", "created")}
	if dir := path.Base(path.Dir(file)); c.Change == "" && dir != "." && dir != "/" {
		c.Change = dir
	}
	for i, b := range o.blocks {
		match := questionTitle().FindStringSubmatch(b.title)
		if b.kind != headingBlock || b.level != 2 || match == nil {
			continue
		}
		question := clarificationFrom(o.section(i))
		question.Topic = headingText(match[1])
		c.Questions = append(c.Questions, question)
		for _, part := range []struct{ name, text string }{{"question", question.Question}, {"answer", question.Answer}} {
			if part.text == "" {
				problems = append(problems, Problem{Rule: "incomplete-clarification", Severity: Low, File: file, Line: o.line(b.start),
					Message: fmt.Sprintf("%q has no %s", excerptOf(b.title), part.name),
					Hint:    "write **Question**: and **Answer**: below the heading"})
			}
		}
	}
	return c, problems, nil
}

// clarificationFrom reads the labelled parts of one question; lines without a label belong to the part above.
func clarificationFrom(text string) Clarification {
	var c Clarification
	var current *string
	outside := map[int]bool{}
	for line := range outsideFences([]byte(text), 0) {
		outside[line.start] = true
	}
	offset := 0
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		match := answerLabel().FindStringSubmatch(strings.TrimRight(line, " \t\n"))
		if match == nil || !outside[start] {
			if current != nil {
				*current += line
			}
			continue
		}
		current = map[string]*string{"Question": &c.Question, "Answer": &c.Answer, "Rationale": &c.Rationale}[match[1]]
		*current += match[2] + "\n"
	}
	c.Question, c.Answer, c.Rationale = cleanText(c.Question), cleanText(c.Answer), cleanText(c.Rationale)
	return c
}
