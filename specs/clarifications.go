package specs

import "time"

// Clarifications are the questions that were asked before a change was proposed, with their answers.
type Clarifications struct {
	Change    string
	Created   time.Time
	Questions []Clarification
}

// Clarification is one question with the answer a person gave.
type Clarification struct {
	Topic     string `json:"topic" jsonschema:"a few words that name what the question is about"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	Rationale string `json:"rationale,omitempty" jsonschema:"why this answer"`
}
