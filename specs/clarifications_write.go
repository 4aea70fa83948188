package specs

import (
	"fmt"
	"strings"
	"time"
)

// clarificationsFront is the front matter of the clarifications, in the order in which it is written.
type clarificationsFront struct {
	Change string    `yaml:"change"`
	Date   time.Time `yaml:"date,omitempty"`
}

// Markdown returns the canonical form of the clarifications.
func (c *Clarifications) Markdown() []byte {
	var out strings.Builder
	writeFrontmatter(&out, clarificationsFront{Change: oneLine(c.Change), Date: seconds(c.Created)})
	out.WriteString("\n# Clarifications\n")
	for i, question := range c.Questions {
		fmt.Fprintf(&out, "\n## %s\n", headingText(fmt.Sprintf("Q%d: %s", i+1, question.Topic)))
		for _, part := range []struct{ label, text string }{
			{"Question", question.Question}, {"Answer", question.Answer}, {"Rationale", question.Rationale},
		} {
			if text := answerText(part.text); text != "" {
				fmt.Fprintf(&out, "\n**%s**: %s\n", part.label, text)
			}
		}
	}
	return []byte(out.String())
}

// answerText makes text fit to stand behind a label: a line of it cannot be taken for the next label.
func answerText(s string) string {
	s = proseText(s, 3)
	if !strings.Contains(s, "**") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if answerLabel().MatchString(line) {
			lines[i] = `\` + line
		}
	}
	return strings.Join(lines, "\n")
}
