package agents

import (
	"bytes"
	"encoding/json"
)

// newLastLineCodec reads a program whose last line is one JSON object with its answer, as several CLIs print it.
// Success is exit status 0 with such a line that does not call itself an error.
func newLastLineCodec(args func(Request) (Invocation, error)) Codec {
	return &lastLineCodec{args: args}
}

type lastLineCodec struct {
	args func(Request) (Invocation, error)
	last []byte
}

func (c *lastLineCodec) Args(r Request) (Invocation, error) { return c.args(r) }

func (c *lastLineCodec) Line(line []byte) []Event {
	if len(bytes.TrimSpace(line)) > 0 {
		c.last = append(c.last[:0], line...)
	}
	return nil
}

// answer has the names that the known programs use for the same things.
type answer struct {
	Result, Response, Text, Message any
	SnakeID                         string `json:"session_id"`
	CamelID                         string `json:"sessionId"`
	Model                           string
	IsError                         bool `json:"is_error"`
	Error                           any
	Usage                           struct {
		In  *float64 `json:"input_tokens"`
		Out *float64 `json:"output_tokens"`
	}
}

func (c *lastLineCodec) Finish(exit int, stderr string) (Result, error) {
	var a answer
	readable := json.Unmarshal(c.last, &a) == nil
	result := Result{Model: a.Model, Usage: Claim{In: a.Usage.In, Out: a.Usage.Out, Model: a.Model}.Usage()}
	for _, text := range []any{a.Result, a.Response, a.Text, a.Message} {
		if s, ok := text.(string); ok && result.Text == "" {
			result.Text = s
		}
	}
	for _, id := range []string{a.SnakeID, a.CamelID} {
		if result.Session.ID == "" {
			result.Session.ID = id
		}
	}
	switch {
	case exit != 0:
		return result, Exits(nil).Error(exit, stderr)
	case len(c.last) == 0:
		return result, &Error{Kind: NoOutput, Detail: lastWords(stderr)}
	case !readable:
		return result, &Error{Kind: BadOutput, Detail: "its last line is no JSON object"}
	case a.IsError || a.Error != nil && a.Error != false:
		return result, &Error{Kind: Failed, Detail: lastWords(result.Text)}
	}
	return result, nil
}
