package agents

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// geminiCodec reads what `gemini --output-format stream-json` prints.
// Success is exit status 0 after a result event whose status is "success":
// the CLI leaves with 0 also when it is interrupted, and when the model's stream ended early.
type geminiCodec struct {
	args    func(Request) (Invocation, error)
	request Request
	result  Result
	said    words
	tools   openTools
	waits   patience
	message string // of the last error event
	final   *geminiEvent
	heard   bool
}

func newGeminiCodec(args func(Request) (Invocation, error)) Codec { return &geminiCodec{args: args} }

var _ NoteReader = (*geminiCodec)(nil)

func (c *geminiCodec) Args(r Request) (Invocation, error) {
	c.request = r
	return c.args(r)
}

// geminiEvent is one line of the stream.
type geminiEvent struct {
	Type       string         `json:"type"`
	SessionID  string         `json:"session_id"` // init
	Model      string         `json:"model"`
	Role       string         `json:"role"` // message
	Content    string         `json:"content"`
	ToolName   string         `json:"tool_name"` // tool_use
	ToolID     string         `json:"tool_id"`   // and tool_result
	Parameters map[string]any `json:"parameters"`
	Status     string         `json:"status"` // tool_result, result
	Output     string         `json:"output"`
	Error      *geminiError   `json:"error"`
	Severity   string         `json:"severity"` // error
	Message    string         `json:"message"`
	Stats      *geminiStats   `json:"stats"` // result
}

type geminiError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type geminiStats struct {
	Total  *float64                `json:"total_tokens"`
	In     *float64                `json:"input_tokens"` // those from the cache included
	Out    *float64                `json:"output_tokens"`
	Cached *float64                `json:"cached"`
	Models map[string]*geminiStats `json:"models"`
}

func (c *geminiCodec) Line(line []byte) []Event {
	var events []Event
	if !decodeLine(line, func(e geminiEvent) { events = append(events, c.take(e)...) }) {
		c.result.Skipped++
	}
	return events
}

func (c *geminiCodec) take(e geminiEvent) []Event {
	c.heard = true
	switch e.Type {
	case "init":
		c.result.Session.ID, c.result.Model = e.SessionID, e.Model
		return []Event{{Kind: Started, Name: e.Model}}
	case "message":
		if e.Role != "assistant" || e.Content == "" {
			return nil
		}
		c.said.add(e.Content)
		return []Event{{Kind: Text, Text: e.Content}}
	case "tool_use":
		return c.toolUse(e)
	case "tool_result":
		c.said.reset()
		call := ToolCall{Name: c.tools.close(e.ToolID), OK: e.Status == "success", Message: brief(geminiAnswer(e))}
		c.result.Tools = append(c.result.Tools, call)
		if e.Error != nil && (e.Error.Type == "tool_not_registered" || strings.HasPrefix(e.Error.Message, "Path not in workspace")) {
			c.result.Denied = append(c.result.Denied, call.Name+": "+call.Message)
		}
		return []Event{{Kind: ToolDone, Name: call.Name, Text: call.Message}}
	case "error":
		if e.Severity != "warning" {
			c.message = e.Message
		}
		return []Event{{Kind: Warning, Text: brief(e.Message)}}
	case "result":
		c.final = &e
		if e.Stats != nil {
			c.result.Usage = e.Stats.usage(c.result.Model)
		}
	}
	return nil
}

func (c *geminiCodec) toolUse(e geminiEvent) []Event {
	c.said.reset()
	name := plainTool(e.ToolName)
	c.tools.open(e.ToolID, name)
	path, _ := e.Parameters["file_path"].(string)
	events := []Event{{Kind: Tool, Name: name, Text: brief(path)}}
	// In the call's folder it is of no use to anybody, and the agent believes that it is done.
	if (e.ToolName == "write_file" || e.ToolName == "replace") && path != "" && !filepath.IsAbs(path) {
		events = append(events, Event{Kind: Warning, Text: "wrote outside the project: " + brief(path)})
	}
	return events
}

// mcpAnswer finds what our server said in the CLI's report about a failed call.
var mcpAnswer = regexp.MustCompile(`"text":("(?:[^"\\]|\\.)*")`)

func geminiAnswer(e geminiEvent) string {
	if e.Error == nil {
		return e.Output
	}
	if found := mcpAnswer.FindStringSubmatch(e.Error.Message); e.Error.Type == "mcp_tool_error" && found != nil {
		var text string
		if json.Unmarshal([]byte(found[1]), &text) == nil {
			return text
		}
	}
	return cmp.Or(e.Error.Message, e.Output)
}

// usage counts as output what is not input: output_tokens leaves out the thinking, which is billed.
func (s *geminiStats) usage(asked string) Usage {
	claim := Claim{In: s.In, Cached: s.Cached, Out: s.Out, Model: asked}
	if s.Total != nil && s.In != nil {
		claim.Out = new(*s.Total - *s.In)
	}
	// The model that answered may be another one than was asked for.
	most := -1.0
	for _, name := range sortedKeys(s.Models) {
		if m := s.Models[name]; m != nil && m.Total != nil && *m.Total > most {
			most, claim.Model = *m.Total, name
		}
	}
	return claim.Usage()
}

var geminiAttempt = regexp.MustCompile(`^Attempt (\d+) failed(?: with status (\d+))?`)

// Note reads standard error: each of the CLI's ten attempts is told there and nowhere else.
func (c *geminiCodec) Note(line []byte) []Event {
	text := string(line)
	if strings.HasPrefix(text, "MCP issues detected") && c.request.Tools != nil {
		return []Event{{Kind: Warning, Text: "our tools are missing", Fatal: noTools("gemini says: " + brief(text))}}
	}
	found := geminiAttempt.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	// Each request counts its attempts from 1. The events on standard output may arrive before or after this line.
	if found[1] == "1" {
		c.waits.progress()
	}
	status, _ := strconv.Atoi(found[2]) // the pattern lets nothing else through
	kind, known := ofStatus(status)
	if !known {
		kind, _ = geminiClues.kind(text)
	}
	if kind == Quota && found[2] == "" {
		kind = RateLimited // one that is worth another attempt to the CLI
	}
	// Behind it stands the answer of the API as an object.
	if before, object, ok := strings.Cut(text, " Retrying with backoff... "); ok {
		text = before
		if _, body, ok := strings.Cut(object, "Error: "); ok {
			text += " " + apiMessage(body)
		}
	}
	return []Event{c.waits.retry(text, kind, geminiAdvice)}
}

var geminiClues = clues{
	clueOf(TooLong, `input token count|maximum number of tokens|context window`),
	clueOf(Quota, `daily quota|exhausted your (?:daily |current )?(?:quota|capacity)|exceeded your current quota|billing`),
	clueOf(NotAuthenticated, `UNAUTHENTICATED|PERMISSION_DENIED|API_KEY_INVALID|API key not valid|API key expired|"code":40[13]\b|invalid_grant|GEMINI_API_KEY|(?:an|invalid) auth method`),
	clueOf(RateLimited, `"code":429\b|status 429|RESOURCE_EXHAUSTED|resource has been exhausted|rate.?limit|too many requests`),
	clueOf(Model, `"code":404\b|is not found for API version|model.{0,60}not found|NOT_FOUND`),
	clueOf(NoOutput, `empty response`),
	clueOf(Unavailable, `"code":5\d\d\b|status 5\d\d|fetch failed|terminated|INTERNAL|UNAVAILABLE|overloaded|internal error|without a finish reason|ECONN|ENOTFOUND|ETIMEDOUT|socket`),
	clueOf(Config, `INVALID_ARGUMENT|"code":400\b`),
}

var geminiAdvice = map[ErrorKind]string{
	NotAuthenticated: "set GEMINI_API_KEY, or run `gemini` by hand and sign in; then run the same command again",
}

// geminiExits are the statuses that mean something before there is a result event.
// After an error of the API the status is the HTTP status modulo 256.
var geminiExits = Exits{
	41: {Kind: NotAuthenticated}, 42: {Kind: Config}, 52: {Kind: Config}, 53: {Kind: Limit}, 55: {Kind: Config}, 130: {Kind: Cancelled},
	400 % 256: {Kind: Config}, 401 % 256: {Kind: NotAuthenticated}, 403 % 256: {Kind: NotAuthenticated}, 429 % 256: {Kind: RateLimited},
	500 % 256: {Kind: Unavailable}, 502 % 256: {Kind: Unavailable}, 503 % 256: {Kind: Unavailable}, 504 % 256: {Kind: Unavailable}, 529 % 256: {Kind: Unavailable},
}

func (c *geminiCodec) Finish(exit int, stderr string) (Result, error) {
	c.result.Text = c.said.String()
	if c.result.Usage.Model != "" {
		c.result.Model = c.result.Usage.Model
	}
	if c.result.Session.ID != "" {
		c.result.Session.Dir = cmp.Or(c.request.Home, c.request.CallDir)
	}
	switch {
	case exit == 0 && c.final != nil && c.final.Status == "success":
		return c.result, nil
	case c.final != nil && c.final.Status != "success":
		return c.result, c.failed(exit)
	case exit == 42 && strings.Contains(stderr, "resuming session"):
		return c.result, &Error{Kind: SessionGone, Detail: lineWith(stderr, "resuming session")}
	case exit != 0:
		failure := geminiExits.Error(exit, stderr)
		failure.Advice = geminiAdvice[failure.Kind]
		return c.result, failure
	case !c.heard:
		return c.result, &Error{Kind: NoOutput, Detail: lastWords(stderr)}
	}
	return c.result, &Error{Kind: BadOutput, Detail: "its events end without a result"}
}

// failed is the error of a result event that is no success. Its words say more than the exit status.
func (c *geminiCodec) failed(exit int) *Error {
	message, kind := c.message, ""
	if c.final.Error != nil {
		message, kind = c.final.Error.Message, c.final.Error.Type
	}
	failure := geminiClues.failure(message, geminiAdvice)
	failure.Detail = brief(apiMessage(message))
	if kind == "FatalTurnLimitedError" {
		failure.Kind = Limit
	}
	if meaning, known := geminiExits[exit]; known && failure.Kind == Failed {
		failure.Kind, failure.Advice = meaning.Kind, geminiAdvice[meaning.Kind]
	}
	return failure
}

// apiMessage is the sentence in "[API Error: {"error":{"message":"…"}}]".
func apiMessage(text string) string {
	text = strings.TrimPrefix(text, "[API Error: ")
	body, _, _ := strings.Cut(text, "}]\n")
	var answer struct {
		Error struct{ Message string }
	}
	if json.Unmarshal([]byte(strings.TrimSuffix(body, "]")), &answer) == nil && answer.Error.Message != "" {
		return answer.Error.Message
	}
	return strings.TrimSuffix(strings.Replace(text, "]\n", " ", 1), "]")
}

// lineWith is the first line that contains something.
func lineWith(text, piece string) string {
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, piece) }); i >= 0 {
		return brief(lines[i])
	}
	return ""
}
