package specs

import (
	"fmt"
	"slices"
)

// The most questions an agent may ask, and the most answers it may offer to each.
const (
	maxQuestions = 5
	maxOptions   = 10
)

// Question is one question of an agent to a person, with the answers it can think of.
type Question struct {
	Topic       string   `json:"topic" jsonschema:"a few words that name what the question is about"`
	Header      string   `json:"header" jsonschema:"one or two words, shown above the question"`
	Question    string   `json:"question"`
	Options     []Option `json:"options" jsonschema:"two or more answers, the recommended one first"`
	MultiSelect bool     `json:"multi_select,omitempty" jsonschema:"whether several options may be chosen"`
}

// Option is one possible answer.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
}

// QuestionsInput is what the tool propose_questions takes, and what clarify --json prints.
// No questions are a good answer: the description was clear enough.
type QuestionsInput struct {
	Questions []Question `json:"questions" jsonschema:"none to five, the most important first"`
}

// Validate returns what is wrong with the arguments, one sentence each.
func (in QuestionsInput) Validate() []string {
	var c complaints
	c.atMost("questions", len(in.Questions), maxQuestions)
	for i, question := range in.Questions {
		name := func(field string) string { return fmt.Sprintf("questions[%d].%s", i, field) }
		c.need(name("topic"), question.Topic)
		c.need(name("question"), question.Question)
		c.atMost(name("options"), len(question.Options), maxOptions)
		if len(question.Options) < 2 {
			c.addf("argument %q needs at least two entries", name("options"))
		}
		recommended := 0
		labels := map[string]bool{}
		for k, option := range question.Options {
			field := fmt.Sprintf("%s[%d].label", name("options"), k)
			c.need(field, option.Label)
			if labels[oneLine(option.Label)] {
				c.addf("argument %q is %q again", field, excerptOf(option.Label))
			}
			labels[oneLine(option.Label)] = true
			if option.Recommended {
				recommended++
			}
		}
		if recommended > 1 && !question.MultiSelect {
			c.addf("argument %q recommends %d options, want one at most", name("options"), recommended)
		}
	}
	return c
}

// Clean returns the questions fit to be shown: one line each, the recommended options first.
// A question without a header gets its topic as one.
func (in QuestionsInput) Clean() []Question {
	questions := make([]Question, 0, len(in.Questions))
	for _, question := range in.Questions {
		question.Topic, question.Header = oneLine(question.Topic), oneLine(question.Header)
		question.Question = cleanText(question.Question)
		if question.Header == "" {
			question.Header = question.Topic
		}
		question.Options = slices.Clone(question.Options)
		for i := range question.Options {
			option := &question.Options[i]
			option.Label, option.Description = oneLine(option.Label), oneLine(option.Description)
		}
		slices.SortStableFunc(question.Options, func(a, b Option) int {
			switch {
			case a.Recommended == b.Recommended:
				return 0
			case a.Recommended:
				return -1
			default:
				return 1
			}
		})
		questions = append(questions, question)
	}
	return questions
}
