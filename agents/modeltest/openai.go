package modeltest

import (
	"encoding/json"
	"net/http"
	"regexp"
)

// openaiWire is OpenAI's Responses.
type openaiWire struct{}

type openaiRequest struct {
	Model        string            `json:"model"`
	Instructions string            `json:"instructions"`
	Input        []json.RawMessage `json:"input"`
	Tools        []json.RawMessage `json:"tools"`
	Stream       bool              `json:"stream"`
}

type openaiItem struct {
	Type    string            `json:"type"`
	Role    string            `json:"role"`
	Content json.RawMessage   `json:"content"`
	CallID  string            `json:"call_id"`
	Output  json.RawMessage   `json:"output"`
	Tools   []json.RawMessage `json:"tools"`
}

var openaiDir = regexp.MustCompile(`<cwd>([^<]+)</cwd>`)

func (openaiWire) read(_ string, body []byte) (Request, error) {
	var in openaiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, stream: in.Stream}
	r.Size.CLISystem = len(in.Instructions)
	if err := r.offer(in.Tools); err != nil {
		return r, err
	}
	var now turn
	for _, raw := range in.Input {
		var item openaiItem
		if err := json.Unmarshal(raw, &item); err != nil {
			return r, err
		}
		switch item.Type {
		case "additional_tools", "tool_search_output":
			if err := r.offer(item.Tools); err != nil {
				return r, err
			}
		case "function_call_output", "custom_tool_call_output":
			now.passed(len(raw))
			name, err := named(item.CallID)
			if err != nil {
				return r, err
			}
			result := textOf(item.Output)
			now.did(Done{Name: name, Result: result, Failed: codexFailed(result)})
		case "message":
			text := textOf(item.Content)
			switch item.Role {
			case "developer", "system":
				r.Size.CLISystem += len(raw)
			case "user":
				if dir := last(openaiDir, text); dir != "" {
					r.Dir = dir
				}
				now.heard(text, len(raw))
			default:
				now.passed(len(raw))
			}
		default:
			now.passed(len(raw))
		}
	}
	now.fill(&r)
	return r, nil
}

func (w openaiWire) items(call callID, r Request, a Answer) []any {
	if r.mustSearch(a) {
		return []any{searchTools(call)}
	}
	var items []any
	if a.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "id": call("message"), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": a.Text, "annotations": []any{}}},
		})
	}
	for _, action := range a.Do {
		items = append(items, r.codex.call(call(action.label()), action))
	}
	return items
}

func (w openaiWire) events(call callID, r Request, a Answer, u Usage) []event {
	typed := func(name string, fields map[string]any) event {
		fields["type"] = name
		return event{name, fields}
	}
	items := w.items(call, r, a)
	events := []event{typed("response.created", map[string]any{"response": map[string]any{"id": "resp_scripted"}})}
	for i, item := range items {
		events = append(events, typed("response.output_item.done", map[string]any{"output_index": i, "item": item}))
	}
	return append(events, typed("response.completed", map[string]any{"response": w.response(items, u)}))
}

func (w openaiWire) whole(call callID, r Request, a Answer, u Usage) any {
	return w.response(w.items(call, r, a), u)
}

func (openaiWire) response(items []any, u Usage) map[string]any {
	return map[string]any{
		"id": "resp_scripted", "object": "response", "status": "completed", "output": items,
		"usage": map[string]any{
			"input_tokens": u.In, "input_tokens_details": map[string]any{"cached_tokens": u.Cached},
			"output_tokens": u.Out, "output_tokens_details": map[string]any{"reasoning_tokens": u.Thinking},
			"total_tokens": u.In + u.Out,
		},
	}
}

func (openaiWire) refuse(f Fault) refusal {
	status, kind, code, message := http.StatusInternalServerError, "server_error", "server_error", "The server had an error while processing your request."
	switch f.Kind {
	case Unauthorized, KeyRefused:
		status, kind, code, message = http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."
	case Forbidden:
		status, kind, code, message = http.StatusForbidden, "invalid_request_error", "unsupported_country_region_territory", "Country, region, or territory not supported"
	case NoModel:
		status, kind, code, message = http.StatusNotFound, "invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."
	case RateLimited:
		status, kind, code, message = http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "Rate limit reached for requests."
	case QuotaUsedUp:
		status, kind, code, message = http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."
	case Overloaded:
		status, kind, code, message = http.StatusServiceUnavailable, "server_error", "server_is_overloaded", "Our servers are currently overloaded. Please try again later."
	case ContextTooLong:
		return refusal{http.StatusOK, []event{{"response.failed", map[string]any{"type": "response.failed", "response": map[string]any{
			"id": "resp_scripted", "status": "failed", "error": map[string]any{
				"code":    "context_length_exceeded",
				"message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
			},
		}}}}}
	}
	return refusal{status, map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message}}}
}
