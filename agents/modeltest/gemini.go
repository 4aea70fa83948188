package modeltest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// geminiWire is Google's generateContent.
type geminiWire struct{}

type geminiRequest struct {
	Contents          []geminiContent `json:"contents"`
	SystemInstruction json.RawMessage `json:"systemInstruction"`
	Tools             []struct {
		Functions []json.RawMessage `json:"functionDeclarations"`
	} `json:"tools"`
}

type geminiContent struct {
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

type geminiPart struct {
	Text     string `json:"text"`
	Response *struct {
		Name     string                     `json:"name"`
		Response map[string]json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

const geminiPrefix = "mcp_" + mcpServer + "_"

// Where the project is. Our adapter has the CLI work beside it and says so;
// otherwise the CLI lists its folders, and the last one is the one that was asked for.
var geminiDirs = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^The project is in (.+?)\. `),
	regexp.MustCompile(`\*\*Workspace Directories:\*\*\n(?:  - [^\n]+\n)*  - ([^\n]+)\n`),
}

func (geminiWire) read(url string, body []byte) (Request, error) {
	var in geminiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	model, method, _ := strings.Cut(path.Base(url), ":")
	r := Request{Model: model, stream: method == "streamGenerateContent"}
	r.Size.CLISystem = len(in.SystemInstruction)
	for _, tool := range in.Tools {
		for _, f := range tool.Functions {
			if err := r.declare(f, geminiPrefix); err != nil {
				return r, err
			}
		}
	}
	var now turn
	for _, content := range in.Contents {
		for _, raw := range content.Parts {
			var part geminiPart
			if err := json.Unmarshal(raw, &part); err != nil {
				return r, err
			}
			switch {
			case part.Response != nil:
				now.passed(len(raw))
				now.did(geminiDone(part))
			case content.Role == "user" && part.Text != "":
				for _, pattern := range geminiDirs {
					r.Dir = cmp.Or(r.Dir, last(pattern, part.Text))
				}
				now.heard(part.Text, len(raw))
			default:
				now.passed(len(raw))
			}
		}
	}
	now.fill(&r)
	return r, nil
}

func geminiDone(p geminiPart) Done {
	d := Done{Name: strings.TrimPrefix(p.Response.Name, geminiPrefix)}
	for key, value := range p.Response.Response {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		d.Result += text
		d.Failed = d.Failed || key == "error"
	}
	return d
}

func (w geminiWire) events(call callID, r Request, a Answer, u Usage) []event {
	var events []event
	for _, part := range w.parts(call, r, a) {
		events = append(events, event{data: w.chunk(r, []any{part}, "", nil)})
	}
	// Always an event before the last one, so that an answer can break off.
	if len(events) == 0 {
		events = append(events, event{data: w.chunk(r, []any{}, "", nil)})
	}
	return append(events, event{data: w.chunk(r, []any{}, "STOP", &u)})
}

func (w geminiWire) whole(call callID, r Request, a Answer, u Usage) any {
	return w.chunk(r, w.parts(call, r, a), "STOP", &u)
}

func (geminiWire) parts(_ callID, r Request, a Answer) []any {
	parts := []any{} // the CLI does not survive null
	if a.Text != "" {
		parts = append(parts, map[string]any{"text": a.Text})
	}
	for _, action := range a.Do {
		name, args := geminiCall(r, action)
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": name, "args": args}})
	}
	return parts
}

// geminiCall is an action as a call of a function that the CLI offers.
func geminiCall(r Request, a Action) (name string, args any) {
	switch a.kind {
	case writeFile:
		return "write_file", map[string]any{"file_path": path.Join(r.Dir, a.path), "content": a.content}
	case runCommand:
		return "run_shell_command", map[string]any{"command": a.command, "description": "Run a command"}
	case callForeign:
		return a.name, a.args
	default:
		return geminiPrefix + a.name, a.args
	}
}

func (geminiWire) chunk(r Request, parts []any, finish string, u *Usage) any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": r.Model, "responseId": "response"}
	if u != nil {
		out["usageMetadata"] = map[string]any{
			"promptTokenCount": u.In, "cachedContentTokenCount": u.Cached,
			"candidatesTokenCount": u.Out - u.Thinking, "thoughtsTokenCount": u.Thinking,
			"totalTokenCount": u.In + u.Out,
		}
	}
	return out
}

func (geminiWire) refuse(f Fault) refusal {
	status, word, message := http.StatusInternalServerError, "INTERNAL", "An internal error has occurred. Please retry."
	var details []any
	switch f.Kind {
	case Unauthorized:
		status, word, message = http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case KeyRefused:
		status, word, message = http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
			"reason": "API_KEY_INVALID", "domain": "googleapis.com"})
	case Forbidden:
		status, word, message = http.StatusForbidden, "PERMISSION_DENIED", "The caller does not have permission"
	case NoModel:
		status, word, message = http.StatusNotFound, "NOT_FOUND", "The model is not found for API version v1beta, or is not supported for generateContent."
	case RateLimited:
		status, word, message = http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."
	case QuotaUsedUp:
		status, word, message = http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
			"violations": []any{map[string]any{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}}})
	case Overloaded:
		status, word, message = http.StatusServiceUnavailable, "UNAVAILABLE", "The model is overloaded. Please try again later."
	case ContextTooLong:
		status, word, message = http.StatusBadRequest, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
	}
	if f.RetryAfter > 0 {
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": strconv.Itoa(f.seconds()) + "s"})
	}
	failure := map[string]any{"code": status, "status": word, "message": message}
	if details != nil {
		failure["details"] = details
	}
	return refusal{status, map[string]any{"error": failure}}
}
