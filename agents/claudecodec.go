package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// claudeCodec reads what `claude --print --output-format stream-json --verbose` prints.
// Success is exit status 0 after a result event that is not marked as an error:
// its subtype is "success" also for errors of the API, and an interrupted run leaves with status 0.
type claudeCodec struct {
	args    func(Request) (Invocation, error)
	request Request
	result  Result
	tools   openTools
	waits   patience
	final   *claudeEvent
	heard   bool
	spent   Usage  // by the messages of this run so far
	counted string // the message that is in it already
}

func newClaudeCodec(args func(Request) (Invocation, error)) Codec { return &claudeCodec{args: args} }

func (c *claudeCodec) Args(r Request) (Invocation, error) {
	c.request = r
	return c.args(r)
}

// claudeEvent is one line of the stream.
type claudeEvent struct {
	Type      string         `json:"type"`
	Subtype   string         `json:"subtype"`
	SessionID string         `json:"session_id"`
	Message   claudeMessage  `json:"message"`
	Parent    string         `json:"parent_tool_use_id"` // of a subagent
	Model     string         `json:"model"`              // init
	Servers   []claudeServer `json:"mcp_servers"`

	Attempt int    `json:"attempt"` // api_retry
	Status  int    `json:"error_status"`
	Error   string `json:"error"`

	IsError   bool                    `json:"is_error"` // result
	Result    string                  `json:"result"`
	Errors    []string                `json:"errors"`
	APIStatus int                     `json:"api_error_status"`
	Usage     *claudeUsage            `json:"usage"`
	USD       *float64                `json:"total_cost_usd"` // of the session so far
	Models    map[string]*claudeModel `json:"modelUsage"`     // of the session so far
	Since     map[string]*claudeModel `json:"model_usage_since_last_result"`
	Denials   []struct {
		Tool  string         `json:"tool_name"`
		Input map[string]any `json:"tool_input"`
	} `json:"permission_denials"`
}

// claudeMessage is what somebody said; some events have a mere text in its place.
type claudeMessage struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Usage   *claudeUsage    `json:"usage"` // of the whole message, in each of the events that it comes in
	Content json.RawMessage `json:"content"`
}

func (m *claudeMessage) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	type plain claudeMessage
	return json.Unmarshal(data, (*plain)(m))
}

type claudeServer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// claudeBlock is a part of a message.
type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"` // tool_use
	Name    string          `json:"name"`
	Input   map[string]any  `json:"input"`
	UseID   string          `json:"tool_use_id"` // tool_result
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

type claudeUsage struct {
	In         *float64 `json:"input_tokens"` // neither read from the cache nor written to it
	CacheWrite *float64 `json:"cache_creation_input_tokens"`
	CacheRead  *float64 `json:"cache_read_input_tokens"`
	Out        *float64 `json:"output_tokens"`
}

type claudeModel struct {
	In        float64  `json:"inputTokens"`
	Out       float64  `json:"outputTokens"`
	CacheRead float64  `json:"cacheReadInputTokens"`
	USD       *float64 `json:"costUSD"`
}

func (c *claudeCodec) Line(line []byte) []Event {
	var events []Event
	if !decodeLine(line, func(e claudeEvent) { events = append(events, c.take(e)...) }) {
		c.result.Skipped++
	}
	return events
}

func (c *claudeCodec) take(e claudeEvent) []Event {
	c.heard = true
	if e.SessionID != "" {
		c.result.Session.ID, c.result.Session.Dir = e.SessionID, c.request.Dir
	}
	switch {
	case e.Type == "system" && e.Subtype == "init":
		return c.start(e)
	case e.Type == "system" && e.Subtype == "api_retry":
		text := fmt.Sprintf("attempt %d failed: %s", e.Attempt, strings.ReplaceAll(cmp.Or(e.Error, "unknown"), "_", " "))
		if e.Status != 0 {
			text += fmt.Sprintf(" (status %d)", e.Status)
		}
		kind, _ := ofStatus(e.Status)
		return []Event{c.waits.retry(text, kind, claudeAdvice)}
	case e.Type == "assistant" || e.Type == "user":
		c.waits.progress()
		var events []Event
		for _, block := range blocks(e.Message.Content) {
			events = append(events, c.block(e, block)...)
		}
		return append(events, c.sofar(e.Message)...)
	case e.Type == "result":
		c.final = &e
		c.count(e)
		for _, denial := range e.Denials {
			c.result.Denied = append(c.result.Denied, strings.TrimSpace(denial.Tool+" "+about(denial.Input)))
		}
	}
	return nil
}

// start looks whether our tools are there: without them nothing can come back, and nobody else would notice.
func (c *claudeCodec) start(e claudeEvent) []Event {
	c.result.Model = e.Model
	events := []Event{{Kind: Started, Name: e.Model}}
	if c.request.Tools == nil {
		return events
	}
	i := slices.IndexFunc(e.Servers, func(s claudeServer) bool { return s.Name == serverName })
	switch {
	case i < 0:
		events = append(events, Event{Kind: Warning, Text: "our tools are missing", Fatal: noTools("claude lists no server " + serverName)})
	case e.Servers[i].Status != "connected" && e.Servers[i].Status != "pending":
		events = append(events, Event{Kind: Warning, Text: "our tools are missing", Fatal: noTools("claude says: " + e.Servers[i].Status)})
	}
	return events
}

func (c *claudeCodec) block(e claudeEvent, b claudeBlock) []Event {
	switch b.Type {
	case "text":
		if e.Type != "assistant" || e.Parent != "" || b.Text == "" {
			return nil
		}
		return []Event{{Kind: Text, Text: b.Text}}
	case "tool_use":
		c.tools.open(b.ID, plainTool(b.Name))
		return []Event{{Kind: Tool, Name: plainTool(b.Name), Text: about(b.Input)}}
	case "tool_result":
		call := ToolCall{Name: c.tools.close(b.UseID), OK: !b.IsError, Message: brief(plainText(b.Content))}
		c.result.Tools = append(c.result.Tools, call)
		if strings.Contains(call.Message, "No such tool available") {
			c.result.Denied = append(c.result.Denied, call.Name)
		}
		return []Event{{Kind: ToolDone, Name: call.Name, Text: call.Message}}
	}
	return nil
}

// about is what a tool is used on: the file or the command.
func about(input map[string]any) string {
	for _, key := range []string{"file_path", "command", "pattern", "path"} {
		if text, ok := input[key].(string); ok {
			return brief(text)
		}
	}
	return ""
}

// blocks are the parts of a message, which may also be one text.
func blocks(content json.RawMessage) []claudeBlock {
	var parts []claudeBlock
	if json.Unmarshal(content, &parts) == nil {
		return parts
	}
	return []claudeBlock{{Type: "text", Text: plainText(content)}}
}

func plainText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var out strings.Builder
	for _, part := range parts {
		out.WriteString(part.Text)
	}
	return out.String()
}

// count takes the usage, which is this run's, and the cost, which is the session's so far.
func (c *claudeCodec) count(e claudeEvent) {
	c.result.Session.Base = Usage{USD: e.USD}
	claim := Claim{Model: c.result.Model, USD: c.cost(e)}
	most := -1.0
	for _, name := range sortedKeys(e.Models) {
		if m := e.Models[name]; m != nil && m.In+m.CacheRead+m.Out > most {
			most, claim.Model = m.In+m.CacheRead+m.Out, name
		}
	}
	if u := e.Usage; u != nil && u.In != nil {
		u.into(&claim)
	}
	c.result.Usage = claim.Usage()
}

func (u claudeUsage) into(claim *Claim) {
	claim.In, claim.Cached, claim.CacheWrite, claim.Out = u.In, u.CacheRead, u.CacheWrite, u.Out
	for _, part := range []*float64{u.CacheRead, u.CacheWrite} {
		if part != nil {
			claim.In = new(*claim.In + *part)
		}
	}
}

// sofar adds up the messages of this run. Only the final event counts in the end: subagents' messages are not all shown.
func (c *claudeCodec) sofar(m claudeMessage) []Event {
	if m.ID == "" || m.ID == c.counted || m.Usage == nil || m.Usage.In == nil {
		return nil
	}
	c.counted = m.ID
	claim := Claim{Model: m.Model}
	m.Usage.into(&claim)
	one := claim.Usage()
	if !one.Known {
		return nil
	}
	c.spent = Usage{
		In: c.spent.In + one.In, Cached: c.spent.Cached + one.Cached, CacheWrite: c.spent.CacheWrite + one.CacheWrite,
		Out: c.spent.Out + one.Out, Known: true, Model: m.Model,
	}
	return []Event{{Kind: Spent, Usage: c.spent}}
}

// cost is what this run has cost: by the CLI's own account of it, or else the difference to the session before.
func (c *claudeCodec) cost(e claudeEvent) *float64 {
	if c.request.Session == nil {
		return e.USD
	}
	if len(e.Since) > 0 {
		sum := 0.0
		for _, name := range sortedKeys(e.Since) {
			m := e.Since[name]
			if m == nil || m.USD == nil {
				return nil
			}
			sum += *m.USD
		}
		return &sum
	}
	if before := c.request.Session.Base.USD; before != nil && e.USD != nil {
		return new(*e.USD - *before)
	}
	return nil
}

var claudeClues = clues{
	clueOf(TooLong, `prompt is too long|request too large|context window|input is too long`),
	clueOf(Quota, `credit balance|usage limit|limit reached|hit your .{0,20}limit|out of extra usage`),
	clueOf(NotAuthenticated, `not logged in|please run /login|invalid api key|oauth token|authenticate\. API Error|authentication_error`),
	clueOf(RateLimited, `\(429\)|rate.?limit`),
	clueOf(Model, `issue with the selected model|model .{0,120}not (?:found|available|exist)`),
	clueOf(SessionGone, `no conversation found`),
	clueOf(Limit, `maximum number of turns|maximum budget`),
	clueOf(Unavailable, `API Error: 5\d\d|overloaded|server-side issue|to connect|connection|ECONN|ENOTFOUND|timed? ?out|socket`),
}

var claudeAdvice = map[ErrorKind]string{
	NotAuthenticated: "run `claude` by hand and sign in with /login, or set ANTHROPIC_API_KEY; then run the same command again",
}

func (c *claudeCodec) Finish(exit int, stderr string) (Result, error) {
	if c.result.Usage.Model != "" {
		c.result.Model = c.result.Usage.Model
	}
	switch {
	case c.final != nil && (c.final.IsError || c.final.Subtype != "success"):
		return c.result, c.failed()
	case exit != 0:
		failure := claudeClues.failure(lastWords(stderr), claudeAdvice)
		if failure.Kind == Failed && !c.heard && exit > 0 {
			failure.Kind = Config
		}
		failure.Detail = cmp.Or(failure.Detail, Exits(nil).Error(exit, "").Detail)
		return c.result, failure
	case c.final != nil:
		c.result.Text = c.final.Result
		return c.result, nil
	case !c.heard:
		return c.result, &Error{Kind: NoOutput, Detail: lastWords(stderr)}
	}
	return c.result, &Error{Kind: BadOutput, Detail: "its events end without a result"}
}

// failed is the error of a result event: by its words, for 400 says nothing, then by the status of the API.
func (c *claudeCodec) failed() *Error {
	message := cmp.Or(c.final.Result, strings.Join(c.final.Errors, "; "), c.final.Subtype)
	failure := claudeClues.failure(message, claudeAdvice)
	if kind, known := ofStatus(c.final.APIStatus); known && failure.Kind != Quota && failure.Kind != TooLong {
		failure.Kind, failure.Advice = kind, claudeAdvice[kind]
	}
	if strings.HasPrefix(c.final.Subtype, "error_max_") {
		failure.Kind = Limit
	}
	if c.final.APIStatus == 400 && failure.Kind == Failed {
		failure.Kind = Config
	}
	return failure
}
