package agents

import (
	"github.com/agentd/gh-agentd/internal/proc"
)

// NewPlainCodec reads any program: what it prints is its text, and exit status 0 is its success.
// args makes the command line; exits may be nil.
func NewPlainCodec(args func(Request) (Invocation, error), exits Exits) Codec {
	return &plainCodec{args: args, exits: exits, said: proc.Tail{HeadBytes: 64 << 10, EndBytes: 64 << 10}}
}

type plainCodec struct {
	args  func(Request) (Invocation, error)
	exits Exits
	said  proc.Tail
}

func (c *plainCodec) Args(r Request) (Invocation, error) { return c.args(r) }

func (c *plainCodec) Line(line []byte) []Event {
	_, _ = c.said.Write(line) // never fails
	_, _ = c.said.Write([]byte{'\n'})
	if len(line) == 0 {
		return nil
	}
	// An event is for a line on a screen; the whole text is in the result.
	const longest = 2000
	return []Event{{Kind: Text, Text: string(line[:min(len(line), longest)])}}
}

func (c *plainCodec) Finish(exit int, stderr string) (Result, error) {
	result := Result{Text: c.said.String()}
	if exit != 0 {
		return result, c.exits.Error(exit, stderr)
	}
	return result, nil
}
