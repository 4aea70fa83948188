package agenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The event streams of the three agents, as they print them with
// `gemini -o stream-json`, `codex exec --json` and `claude -p --output-format stream-json --verbose`.

type geminiFormat struct {
	model    string
	attempts int // of the request under way
}

func (f *geminiFormat) start(model string) []any {
	f.model = model
	return []any{object{"type": "init", "timestamp": instant, "session_id": sessionID, "model": model}}
}

func (f *geminiFormat) say(text string) []any {
	f.attempts = 0
	return []any{object{"type": "message", "timestamp": instant, "role": "assistant", "content": text, "delta": true}}
}

func (f *geminiFormat) use(tool string, id int, arguments json.RawMessage) []any {
	f.attempts = 0
	return []any{object{"type": "tool_use", "timestamp": instant, "tool_name": "mcp_agentd_" + tool, "tool_id": toolID(id), "parameters": arguments}}
}

func (f *geminiFormat) used(tool string, id int, ok bool, answer string) []any {
	if !ok {
		// What the server said stands deep inside of what the CLI says about it.
		said, _ := json.Marshal(answer)
		return []any{object{
			"type": "tool_result", "timestamp": instant, "tool_id": toolID(id), "status": "error",
			"output": fmt.Sprintf("Error: MCP tool '%s' reported an error.", tool),
			"error": object{"type": "mcp_tool_error", "message": fmt.Sprintf(
				`MCP tool '%s' reported tool error for function call: {"name":"%[1]s","args":{}} with response: [{"functionResponse":{"name":"%[1]s","response":{"content":[{"type":"text","text":%s}],"isError":true}}}]`, tool, said)},
		}}
	}
	return []any{object{"type": "tool_result", "timestamp": instant, "tool_id": toolID(id), "status": "success", "output": answer}}
}

func (f *geminiFormat) retry(status int) ([]any, string) {
	f.attempts++
	return nil, fmt.Sprintf("Attempt %d failed with status %d. Retrying with backoff...", f.attempts, status)
}

func (f *geminiFormat) stats(u usage) object {
	counts := func() object {
		return object{
			"total_tokens": u.in + u.out, "input_tokens": u.in, "output_tokens": u.out, "cached": u.cached, "input": u.in - u.cached,
			"duration_ms": 290, "tool_calls": 0,
		}
	}
	stats := counts()
	stats["models"] = object{f.model: counts()}
	return stats
}

func (f *geminiFormat) done(u usage) []any {
	return []any{object{"type": "result", "timestamp": instant, "status": "success", "stats": f.stats(u)}}
}

func (f *geminiFormat) fail(text string) []any {
	return []any{object{
		"type": "result", "timestamp": instant, "status": "error",
		"error": object{"type": "unknown", "message": "[API Error: " + text + "]"}, "stats": f.stats(usage{}),
	}}
}

type codexFormat struct{ items int }

func (f *codexFormat) item(kind, event string, fields object) []any {
	item := object{"id": fmt.Sprintf("item_%d", f.items), "type": kind}
	for name, value := range fields {
		item[name] = value
	}
	if event == "item.completed" {
		f.items++
	}
	return []any{object{"type": event, "item": item}}
}

func (f *codexFormat) start(string) []any {
	return []any{object{"type": "thread.started", "thread_id": sessionID}, object{"type": "turn.started"}}
}

func (f *codexFormat) say(text string) []any {
	return f.item("agent_message", "item.completed", object{"text": text})
}

func (f *codexFormat) use(tool string, _ int, arguments json.RawMessage) []any {
	return f.item("mcp_tool_call", "item.started", object{
		"server": "agentd", "tool": tool, "arguments": arguments, "result": nil, "error": nil, "status": "in_progress",
	})
}

func (f *codexFormat) used(tool string, _ int, ok bool, answer string) []any {
	fields := object{
		"server": "agentd", "tool": tool, "status": "completed", "error": nil,
		"result": object{"content": []any{object{"type": "text", "text": answer}}, "structured_content": nil},
	}
	if !ok {
		fields["status"] = "failed"
	}
	return f.item("mcp_tool_call", "item.completed", fields)
}

func (f *codexFormat) retry(status int) ([]any, string) {
	why := fmt.Sprintf("unexpected status %d %s: no, url: https://api.example.com/v1/responses", status, http.StatusText(status))
	switch {
	case status == http.StatusTooManyRequests:
		why = "exceeded retry limit, last status: 429 Too Many Requests"
	case status >= 500:
		why = "We’re currently experiencing high demand, which may cause temporary errors."
	}
	return []any{object{"type": "error", "message": "Reconnecting... 2/5 (" + why + ")"}}, ""
}

func (f *codexFormat) done(u usage) []any {
	return []any{object{"type": "turn.completed", "usage": object{
		"input_tokens": u.in, "cached_input_tokens": u.cached, "cache_write_input_tokens": 0, "output_tokens": u.out, "reasoning_output_tokens": 0,
	}}}
}

func (f *codexFormat) fail(text string) []any {
	return []any{object{"type": "turn.failed", "error": object{"message": text}}}
}

type claudeFormat struct{ model string }

func (f *claudeFormat) start(model string) []any {
	f.model = model
	return []any{object{
		"type": "system", "subtype": "init", "session_id": sessionID, "model": model, "tools": []string{"mcp__agentd"},
		"mcp_servers": []any{object{"name": "agentd", "status": "connected"}}, "permissionMode": "acceptEdits",
	}}
}

func (f *claudeFormat) message(role string, content object) []any {
	return []any{object{
		"type": role, "message": object{"id": "msg_1", "role": role, "model": f.model, "content": []any{content}},
		"parent_tool_use_id": nil, "session_id": sessionID,
	}}
}

func (f *claudeFormat) say(text string) []any {
	return f.message("assistant", object{"type": "text", "text": text})
}

func (f *claudeFormat) use(tool string, id int, arguments json.RawMessage) []any {
	return f.message("assistant", object{"type": "tool_use", "id": toolID(id), "name": "mcp__agentd__" + tool, "input": arguments})
}

func (f *claudeFormat) used(_ string, id int, ok bool, answer string) []any {
	return f.message("user", object{
		"type": "tool_result", "tool_use_id": toolID(id), "is_error": !ok, "content": []any{object{"type": "text", "text": answer}},
	})
}

func (f *claudeFormat) retry(status int) ([]any, string) {
	return []any{object{
		"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 3, "retry_delay_ms": 597, "error_status": status,
		"error": claudeReason(status), "session_id": sessionID,
	}}, ""
}

// claudeReason is the CLI's own word for a status.
func claudeReason(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "authentication_failed"
	case http.StatusTooManyRequests:
		return "rate_limit"
	case 529:
		return "overloaded"
	default:
		return "server_error"
	}
}

func (f *claudeFormat) result(text string, failed bool, u usage) []any {
	return []any{object{
		// "success" is what it says even then.
		"type": "result", "subtype": "success", "is_error": failed, "result": text, "session_id": sessionID, "num_turns": 1, "duration_ms": 402,
		"total_cost_usd": 0.01, "terminal_reason": "completed", "api_error_status": nil, "permission_denials": []any{},
		"usage": object{
			"input_tokens": u.in - u.cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": u.cached, "output_tokens": u.out,
		},
		"modelUsage": object{f.model: object{
			"inputTokens": u.in - u.cached, "outputTokens": u.out, "cacheReadInputTokens": u.cached, "costUSD": 0.01,
		}},
	}}
}

func (f *claudeFormat) done(u usage) []any     { return f.result("Done.", false, u) }
func (f *claudeFormat) fail(text string) []any { return f.result(text, true, usage{}) }

func toolID(id int) string { return fmt.Sprintf("tool_%d", id) }

// instant is the time at which everything happens.
const instant = "2026-01-02T03:04:05.000Z"
