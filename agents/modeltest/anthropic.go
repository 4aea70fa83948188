package modeltest

import (
	"encoding/json"
	"net/http"
	"path"
	"regexp"
)

// anthropicWire is Anthropic's Messages.
type anthropicWire struct{}

type anthropicRequest struct {
	Model    string            `json:"model"`
	System   json.RawMessage   `json:"system"`
	Tools    []json.RawMessage `json:"tools"`
	Stream   bool              `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

const anthropicPrefix = "mcp__" + mcpServer + "__"

// look is the label of a call that only makes the next one possible: Claude writes no file that it has not read.
const look = "look"

var anthropicDir = regexp.MustCompile(`Primary working directory: ([^\n]+)`)

func (anthropicWire) read(_ string, body []byte) (Request, error) {
	var in anthropicRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, stream: in.Stream}
	r.Size.CLISystem = len(in.System)
	r.Dir = last(anthropicDir, textOf(in.System))
	for _, tool := range in.Tools {
		if err := r.declare(tool, anthropicPrefix); err != nil {
			return r, err
		}
	}
	var now turn
	for _, message := range in.Messages {
		for _, raw := range blocksOf(message.Content) {
			var block anthropicBlock
			if err := json.Unmarshal(raw, &block); err != nil {
				return r, err
			}
			switch {
			case message.Role == "system":
				r.Size.CLISystem += len(raw)
				if dir := last(anthropicDir, block.Text); dir != "" {
					r.Dir = dir
				}
			case block.Type == "tool_result":
				now.passed(len(raw))
				name, err := named(block.ToolUseID)
				if err != nil {
					return r, err
				}
				if name != look {
					now.did(Done{Name: name, Result: textOf(block.Content), Failed: block.IsError})
				}
			case message.Role == "user" && block.Type == "text":
				now.heard(block.Text, len(raw))
			default:
				now.passed(len(raw))
			}
		}
	}
	now.fill(&r)
	return r, nil
}

// blocksOf makes blocks of a content, which may be a bare text.
func blocksOf(content json.RawMessage) []json.RawMessage {
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) == nil {
		return blocks
	}
	block, err := json.Marshal(map[string]any{"type": "text", "text": content})
	if err != nil {
		return nil
	}
	return []json.RawMessage{block}
}

// textOf joins the texts of a content: a bare text, or blocks with texts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return string(content)
	}
	for _, block := range blocks {
		text += block.Text
	}
	return text
}

// blocks are the answer's content.
func (anthropicWire) blocks(call callID, r Request, a Answer) []map[string]any {
	var blocks []map[string]any
	use := func(label, name string, input any) {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": call(label), "name": name, "input": input})
	}
	if a.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": a.Text})
	}
	for _, action := range a.Do {
		switch action.kind {
		case writeFile:
			file := path.Join(r.Dir, action.path)
			use(look, "Read", map[string]any{"file_path": file})
			use(action.label(), "Write", map[string]any{"file_path": file, "content": action.content})
		case runCommand:
			use(action.label(), "Bash", map[string]any{"command": action.command, "description": "Run a command"})
		case callForeign:
			use(action.label(), action.name, action.args)
		default:
			use(action.label(), anthropicPrefix+action.name, action.args)
		}
	}
	return blocks
}

func (w anthropicWire) events(call callID, r Request, a Answer, u Usage) []event {
	blocks := w.blocks(call, r, a)
	usage := w.usage(u)
	message := w.message(r, []any{}, nil, usage)
	events := []event{{"message_start", map[string]any{"type": "message_start", "message": message}}}
	for i, block := range blocks {
		open := map[string]any{"type": "text", "text": ""}
		delta := map[string]any{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			open = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
			input, err := json.Marshal(block["input"])
			if err != nil {
				input = []byte(err.Error()) // the CLI will complain of it
			}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		events = append(events,
			event{"content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": open}},
			event{"content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta}},
			event{"content_block_stop", map[string]any{"type": "content_block_stop", "index": i}})
	}
	return append(events,
		event{"message_delta", map[string]any{"type": "message_delta",
			"delta": map[string]any{"stop_reason": stopReason(a), "stop_sequence": nil}, "usage": usage}},
		event{"message_stop", map[string]any{"type": "message_stop"}})
}

func (w anthropicWire) whole(call callID, r Request, a Answer, u Usage) any {
	return w.message(r, w.blocks(call, r, a), stopReason(a), w.usage(u))
}

func (anthropicWire) message(r Request, content, stop, usage any) any {
	return map[string]any{
		"id": "msg_scripted", "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
}

func stopReason(a Answer) string {
	if len(a.Do) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (anthropicWire) usage(u Usage) map[string]any {
	return map[string]any{
		"input_tokens":                u.In - u.Cached - u.CacheWrite,
		"cache_read_input_tokens":     u.Cached,
		"cache_creation_input_tokens": u.CacheWrite,
		"cache_creation":              map[string]any{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": 0},
		"output_tokens":               u.Out,
		"output_tokens_details":       map[string]any{"thinking_tokens": u.Thinking},
	}
}

func (anthropicWire) refuse(f Fault) refusal {
	const overloaded = 529
	status, kind, message := http.StatusInternalServerError, "api_error", "Internal server error"
	switch f.Kind {
	case Unauthorized, KeyRefused:
		status, kind, message = http.StatusUnauthorized, "authentication_error", "invalid x-api-key"
	case Forbidden:
		status, kind, message = http.StatusForbidden, "permission_error", "Your API key does not have permission to use the specified resource."
	case NoModel:
		status, kind, message = http.StatusNotFound, "not_found_error", "model: no such model"
	case RateLimited:
		status, kind, message = http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your organization's rate limit."
	case QuotaUsedUp:
		status, kind, message = http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	case Overloaded:
		status, kind, message = overloaded, "overloaded_error", "Overloaded"
	case ContextTooLong:
		status, kind, message = http.StatusBadRequest, "invalid_request_error", "prompt is too long: 1200000 tokens > 1000000 maximum"
	}
	return refusal{status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}}
}
