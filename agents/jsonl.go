package agents

import (
	"fmt"
	"time"
)

// wireEvent is one line of our own event stream, which replay prints and any command may print
// that is configured with output = "agentd". Numbers are taken as claims and judged.
type wireEvent struct {
	Type string `json:"type"`

	// start
	Session string `json:"session,omitempty"`
	Model   string `json:"model,omitempty"`
	// text, warning, retry, denied, error, tool_done
	Text string `json:"text,omitempty"`
	// tool, tool_done
	Name string `json:"name,omitempty"`
	OK   *bool  `json:"ok,omitempty"`
	// usage, with model
	In         *float64 `json:"in,omitempty"`
	Cached     *float64 `json:"cached,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
	Out        *float64 `json:"out,omitempty"`
	USD        *float64 `json:"usd,omitempty"`
	// error
	Kind       string  `json:"kind,omitempty"`
	RetryAfter float64 `json:"retry_after_s,omitempty"`
}

// The types of a wireEvent. A stream without "done" is no success.
const (
	wireStart    = "start"
	wireText     = "text"
	wireTool     = "tool"
	wireToolDone = "tool_done"
	wireRetry    = "retry"
	wireWarning  = "warning"
	wireDenied   = "denied"
	wireUsage    = "usage"
	wireError    = "error"
	wireDone     = "done"
)

// NewJSONLCodec reads our own event stream, one JSON object a line:
//
//	{"type":"start","session":"…","model":"…"}
//	{"type":"text","text":"…"}  {"type":"warning","text":"…"}  {"type":"retry","text":"…"}  {"type":"denied","text":"…"}
//	{"type":"tool","name":"create_spec"}  {"type":"tool_done","name":"create_spec","ok":true,"text":"…"}
//	{"type":"usage","in":1200,"cached":0,"cache_write":0,"out":300,"usd":0.01,"model":"…"}
//	{"type":"error","kind":"rate-limited","text":"…","retry_after_s":30}
//	{"type":"done"}
//
// Success is exit status 0 after "done". Unknown types are passed over; what is no JSON is counted in Result.Skipped,
// and then the usage is unknown, for its line may have been the broken one.
func NewJSONLCodec(args func(Request) (Invocation, error)) Codec { return &jsonlCodec{args: args} }

type jsonlCodec struct {
	args    func(Request) (Invocation, error)
	result  Result
	heard   bool
	done    bool
	failure *Error
}

func (c *jsonlCodec) Args(r Request) (Invocation, error) { return c.args(r) }

func (c *jsonlCodec) Line(line []byte) []Event {
	var events []Event
	whole := decodeLine(line, func(w wireEvent) {
		c.heard = true
		if e, ok := c.take(w); ok {
			events = append(events, e)
		}
	})
	if !whole {
		c.result.Skipped++
	}
	return events
}

// take records an event and says how to show it.
func (c *jsonlCodec) take(w wireEvent) (Event, bool) {
	switch w.Type {
	case wireStart:
		c.result.Session.ID, c.result.Model = w.Session, w.Model
		return Event{Kind: Started, Name: w.Model}, true
	case wireText:
		c.result.Text = w.Text
		return Event{Kind: Text, Text: w.Text}, true
	case wireTool:
		return Event{Kind: Tool, Name: w.Name}, true
	case wireToolDone:
		c.result.Tools = append(c.result.Tools, ToolCall{Name: w.Name, OK: w.OK == nil || *w.OK, Message: w.Text})
		return Event{Kind: ToolDone, Name: w.Name, Text: w.Text}, true
	case wireRetry:
		return Event{Kind: Retry, Text: w.Text}, true
	case wireWarning:
		return Event{Kind: Warning, Text: w.Text}, true
	case wireDenied:
		c.result.Denied = append(c.result.Denied, w.Text)
		return Event{Kind: Warning, Text: "not allowed: " + w.Text}, true
	case wireUsage:
		c.result.Usage = Claim{In: w.In, Cached: w.Cached, CacheWrite: w.CacheWrite, Out: w.Out, USD: w.USD, Model: w.Model}.Usage()
		return Event{Kind: Spent, Usage: c.result.Usage}, true
	case wireError:
		kind, err := ParseErrorKind(w.Kind)
		if err != nil {
			kind = Failed
		}
		c.failure = &Error{Kind: kind, Detail: w.Text, RetryAfter: seconds(w.RetryAfter)}
	case wireDone:
		c.done = true
	}
	return Event{}, false
}

func (c *jsonlCodec) Finish(exit int, stderr string) (Result, error) {
	if c.result.Skipped > 0 || !c.done {
		c.result.Usage = Usage{Model: c.result.Usage.Model}
	}
	switch {
	case c.failure != nil:
		return c.result, c.failure
	case exit != 0:
		return c.result, Exits(nil).Error(exit, stderr)
	case !c.heard:
		return c.result, &Error{Kind: NoOutput, Detail: lastWords(stderr)}
	case !c.done:
		return c.result, &Error{Kind: BadOutput, Detail: fmt.Sprintf("its events end without %q", wireDone)}
	}
	return c.result, nil
}

// seconds is a time to wait, if it makes sense.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < 24*3600) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}
