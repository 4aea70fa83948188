package agents

import (
	"cmp"
	"regexp"
	"strings"
)

// codexCodec reads what `codex exec --json` prints.
// Success is exit status 0 after turn.completed.
type codexCodec struct {
	args      func(Request) (Invocation, error)
	request   Request
	result    Result
	tools     openTools
	waits     patience
	message   string // of the last error
	failed    bool
	completed bool
	heard     bool
}

func newCodexCodec(args func(Request) (Invocation, error)) Codec { return &codexCodec{args: args} }

func (c *codexCodec) Args(r Request) (Invocation, error) {
	c.request = r
	c.result.Model = r.Model // its events do not say
	return c.args(r)
}

// codexEvent is one line of the stream.
type codexEvent struct {
	Type     string      `json:"type"`
	ThreadID string      `json:"thread_id"`
	Item     codexItem   `json:"item"`
	Usage    *codexUsage `json:"usage"`
	Error    codexError  `json:"error"`   // turn.failed
	Message  string      `json:"message"` // error
}

type codexError struct {
	Message string `json:"message"`
}

type codexItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Text    string       `json:"text"`    // agent_message
	Message string       `json:"message"` // error, which is a warning
	Status  string       `json:"status"`
	Server  string       `json:"server"` // mcp_tool_call
	Tool    string       `json:"tool"`
	Error   *codexError  `json:"error"`
	Result  *codexResult `json:"result"`
	Command string       `json:"command"` // command_execution
	Output  string       `json:"aggregated_output"`
	Query   string       `json:"query"` // web_search
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"` // file_change
}

type codexResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// codexUsage is the total of the thread, also where it was resumed.
type codexUsage struct {
	In         *float64 `json:"input_tokens"` // those from the cache included
	Cached     *float64 `json:"cached_input_tokens"`
	CacheWrite *float64 `json:"cache_write_input_tokens"`
	Out        *float64 `json:"output_tokens"` // reasoning included
}

func (c *codexCodec) Line(line []byte) []Event {
	var events []Event
	if !decodeLine(line, func(e codexEvent) { events = append(events, c.take(e)...) }) {
		c.result.Skipped++
	}
	return events
}

func (c *codexCodec) take(e codexEvent) []Event {
	c.heard = true
	switch e.Type {
	case "thread.started":
		c.result.Session.ID, c.result.Session.Dir = e.ThreadID, c.request.Dir
		return []Event{{Kind: Started, Name: c.request.Model}}
	case "item.started":
		c.waits.progress()
		if name, about := e.Item.tool(); name != "" {
			c.tools.open(e.Item.ID, name)
			return []Event{{Kind: Tool, Name: name, Text: about}}
		}
	case "item.completed":
		return c.item(e.Item)
	case "error":
		c.message = e.Message
		if strings.HasPrefix(e.Message, "Reconnecting") {
			kind, _ := codexClues.kind(e.Message)
			return []Event{c.waits.retry(e.Message, kind, codexAdvice)}
		}
	case "turn.completed":
		c.completed = true
		if e.Usage != nil {
			c.count(*e.Usage)
		}
	case "turn.failed":
		c.failed, c.message = true, cmp.Or(e.Error.Message, c.message)
	}
	return nil
}

func (c *codexCodec) item(item codexItem) []Event {
	switch item.Type {
	case "agent_message":
		c.waits.progress()
		c.result.Text = item.Text
		return []Event{{Kind: Text, Text: item.Text}}
	case "error":
		return []Event{{Kind: Warning, Text: brief(item.Message)}}
	}
	name, about := item.tool()
	if name == "" {
		return nil
	}
	var events []Event
	if !c.tools.isOpen(item.ID) { // some are told only when they are done
		events = append(events, Event{Kind: Tool, Name: name, Text: about})
	}
	c.tools.close(item.ID)
	call := ToolCall{Name: name, OK: item.Status == "completed", Message: brief(item.answer())}
	c.result.Tools = append(c.result.Tools, call)
	if item.Status == "declined" {
		c.result.Denied = append(c.result.Denied, strings.TrimSpace(name+" "+about))
	}
	return append(events, Event{Kind: ToolDone, Name: name, Text: call.Message})
}

// tool is the name of the tool that an item is a use of, and what it is about; "" for one that is none.
func (i codexItem) tool() (name, about string) {
	switch i.Type {
	case "mcp_tool_call":
		if i.Server == serverName {
			return i.Tool, ""
		}
		return i.Server + "." + i.Tool, ""
	case "command_execution":
		return "shell", brief(i.Command)
	case "file_change":
		var paths []string
		for _, change := range i.Changes {
			paths = append(paths, change.Path)
		}
		return "edit", brief(strings.Join(paths, " "))
	case "web_search":
		return "web_search", brief(i.Query)
	}
	return "", ""
}

func (i codexItem) answer() string {
	if i.Error != nil && i.Error.Message != "" {
		return i.Error.Message
	}
	if i.Result == nil {
		return i.Output
	}
	var texts []string
	for _, content := range i.Result.Content {
		texts = append(texts, content.Text)
	}
	return strings.Join(texts, "\n")
}

// count takes what the thread had used before away from its total.
func (c *codexCodec) count(u codexUsage) {
	total := Claim{In: u.In, Cached: u.Cached, CacheWrite: u.CacheWrite, Out: u.Out, Model: c.request.Model}.Usage()
	c.result.Session.Base = total
	c.result.Usage = total
	if s := c.request.Session; s != nil {
		c.result.Usage = Usage{Model: total.Model}
		if s.Base.Known {
			c.result.Usage = total.Sub(s.Base)
		}
	}
}

var codexClues = clues{
	clueOf(TooLong, `ran out of room|context window|context_length_exceeded`),
	clueOf(Quota, `quota exceeded|usage limit|insufficient_quota|purchase more credits|billing`),
	clueOf(NotAuthenticated, `401 Unauthorized|403 Forbidden|incorrect api key|invalid_api_key|not logged in|log ?in again|refresh token|missing (?:bearer|environment variable)`),
	clueOf(RateLimited, `\b429\b|rate limit|too many requests`),
	clueOf(Model, `model .{0,120}(?:does not exist|not found|not supported|no access)`),
	clueOf(SessionGone, `no rollout found|thread/resume failed`),
	clueOf(Unavailable, `high demand|at capacity|overloaded|stream disconnected|unexpected status 5\d\d|last status: 5\d\d|connection|network|timed? ?out|error sending request`),
}

var codexAdvice = map[ErrorKind]string{
	NotAuthenticated: "run `codex login`, or set CODEX_API_KEY; then run the same command again",
}

// codexComplaint is the line of standard error with which it refuses to begin.
var codexComplaint = regexp.MustCompile(`(?m)^(?:Error|error): (.+)$`)

func (c *codexCodec) Finish(exit int, stderr string) (Result, error) {
	switch {
	case c.failed, exit != 0 && c.message != "" && c.heard:
		return c.result, codexClues.failure(c.message, codexAdvice)
	case exit != 0:
		return c.result, c.refused(exit, stderr)
	case c.completed:
		return c.result, nil
	case !c.heard:
		return c.result, &Error{Kind: NoOutput, Detail: lastWords(stderr)}
	}
	return c.result, &Error{Kind: BadOutput, Detail: "its events end without turn.completed"}
}

// refused is the failure of a run that ended before its turn did.
func (c *codexCodec) refused(exit int, stderr string) *Error {
	message := lastWords(stderr)
	if found := codexComplaint.FindStringSubmatch(stderr); found != nil {
		message = found[1]
	}
	if strings.Contains(message, "required MCP servers failed") {
		return noTools(brief(message))
	}
	failure := codexClues.failure(message, codexAdvice)
	if failure.Kind == Failed && !c.heard && exit > 0 {
		failure.Kind = Config
		if strings.Contains(stderr, "config.toml") {
			failure.Advice = codexConfigAdvice(c.request)
		}
	}
	if failure.Detail == "" {
		failure.Detail = Exits(nil).Error(exit, "").Detail
	}
	return failure
}
