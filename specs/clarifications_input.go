package specs

import (
	"fmt"
	"slices"
	"time"
)

// maxClarifications is how many questions one change may have answers to, those of all rounds together.
const maxClarifications = 100

// ClarificationsInput is what the tool create_clarifications takes.
type ClarificationsInput struct {
	ChangeID  string          `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Questions []Clarification `json:"questions"`
}

// Validate returns what is wrong with the arguments, one sentence each.
func (in ClarificationsInput) Validate() []string {
	var c complaints
	c.atMost("questions", len(in.Questions), maxClarifications)
	for i, question := range in.Questions {
		c.need(fmt.Sprintf("questions[%d].topic", i), question.Topic)
		c.need(fmt.Sprintf("questions[%d].question", i), question.Question)
		c.need(fmt.Sprintf("questions[%d].answer", i), question.Answer)
	}
	return c
}

// Clarifications makes the clarifications of a change from the arguments.
// Where they say the same as the previous ones, the previous ones are returned.
// The error is an [*InputError].
func (in ClarificationsInput) Clarifications(id string, at time.Time, prev *Clarifications) (*Clarifications, error) {
	if err := boundTo(id, in.ChangeID); err != nil {
		return nil, err
	}
	if err := inputError(in.Validate()); err != nil {
		return nil, err
	}
	c := Clarifications{Change: id, Created: seconds(at)}
	for _, question := range in.Questions {
		c.Questions = append(c.Questions, Clarification{
			Topic:     headingText(question.Topic),
			Question:  answerText(question.Question),
			Answer:    answerText(question.Answer),
			Rationale: answerText(question.Rationale),
		})
	}
	if prev != nil && prev.Change == id && slices.Equal(prev.Questions, c.Questions) {
		return prev, nil
	}
	return proof("clarifications.md", c.Markdown(), c, ParseClarifications, func(a, b Clarifications) bool {
		return a.Change == b.Change && slices.Equal(a.Questions, b.Questions)
	})
}
