package modeltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// codexTools is how Codex offers tools to the model that was asked for:
// by themselves, behind a search, or all inside a tool that runs JavaScript.
type codexTools struct {
	exec      bool   // the JavaScript tool
	execSpace string // its namespace
	search    bool
	patch     bool // apply_patch by itself
}

// codexNamespace is what Codex makes of our MCP server.
const codexNamespace = "mcp__" + mcpServer

type codexTool struct {
	Type  string            `json:"type"`
	Name  string            `json:"name"`
	Tools []json.RawMessage `json:"tools"`
}

// offer takes up declared tools, those in namespaces too.
func (r *Request) offer(tools []json.RawMessage) error {
	for _, raw := range tools {
		var tool codexTool
		if err := json.Unmarshal(raw, &tool); err != nil {
			return err
		}
		switch {
		case tool.Type == "namespace" && tool.Name == codexNamespace:
			before := len(r.Declared)
			for _, inner := range tool.Tools {
				if err := r.declare(inner, ""); err != nil {
					return err
				}
			}
			for i := range r.Declared[before:] {
				r.Declared[before+i] = codexNamespace + "__" + r.Declared[before+i]
			}
		case tool.Type == "namespace":
			for _, inner := range tool.Tools {
				if err := r.offerOwn(inner, tool.Name); err != nil {
					return err
				}
			}
		default:
			if err := r.offerOwn(raw, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// offerOwn takes up a tool of Codex itself.
func (r *Request) offerOwn(raw json.RawMessage, namespace string) error {
	var tool codexTool
	if err := json.Unmarshal(raw, &tool); err != nil {
		return err
	}
	switch {
	case tool.Type == "custom" && tool.Name == "exec":
		r.codex.exec, r.codex.execSpace = true, namespace
	case tool.Type == "custom" && tool.Name == "apply_patch":
		r.codex.patch = true
	case tool.Type == "tool_search":
		r.codex.search = true
	}
	r.Declared = append(r.Declared, tool.Name)
	r.Size.CLITools += len(raw)
	return nil
}

// call is an action as an item of a response.
func (c codexTools) call(id string, a Action) map[string]any {
	switch a.kind {
	case writeFile:
		return c.write(id, a)
	case runCommand:
		return c.function(id, "", "exec_command", mustJSON(map[string]any{"cmd": a.command}))
	case callForeign:
		return c.function(id, "", a.name, a.args)
	default:
		return c.function(id, codexNamespace, a.name, a.args)
	}
}

// function calls a function, from JavaScript where there is no other way.
func (c codexTools) function(id, namespace, name string, args json.RawMessage) map[string]any {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if c.exec {
		full := name
		if namespace != "" {
			full = namespace + "__" + name
		}
		return c.script(id, fmt.Sprintf("text(await tools.%s(%s))", full, args))
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": string(args), "status": "completed"}
	if namespace != "" {
		item["namespace"] = namespace
	}
	return item
}

func (c codexTools) script(id, source string) map[string]any {
	item := map[string]any{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": "exec", "input": source, "status": "completed"}
	if c.execSpace != "" {
		item["namespace"] = c.execSpace
	}
	return item
}

// write writes a whole file by a patch, which replaces one that is there.
func (c codexTools) write(id string, a Action) map[string]any {
	var patch strings.Builder
	fmt.Fprintf(&patch, "*** Begin Patch\n*** Add File: %s\n", a.path)
	for line := range strings.Lines(a.content) {
		patch.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	patch.WriteString("*** End Patch\n")
	switch {
	case c.exec:
		return c.script(id, fmt.Sprintf("text(await tools.apply_patch(%s))", mustJSON(patch.String())))
	case c.patch:
		return map[string]any{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id, "name": "apply_patch", "input": patch.String(), "status": "completed"}
	default:
		const end = "END_OF_PATCH"
		command := "apply_patch <<'" + end + "'\n" + patch.String() + end
		return c.function(id, "", "exec_command", mustJSON(map[string]any{"cmd": command}))
	}
}

// mustSearch says that a tool of ours was not found yet and cannot be called otherwise.
func (r Request) mustSearch(a Answer) bool {
	return r.codex.search && !r.codex.exec && len(r.Offered) == 0 &&
		slices.ContainsFunc(a.Do, func(a Action) bool { return a.kind == callTool })
}

// searchTools asks Codex to declare our tools.
func searchTools(call callID) map[string]any {
	return map[string]any{
		"type": "tool_search_call", "call_id": call(look), "status": "completed", "execution": "client",
		"arguments": map[string]any{"query": mcpServer, "limit": 50},
	}
}

// codexFailed reads from a result that it is a failure, for the format has no field for it.
// The refusal of a tool that was called directly does not show.
func codexFailed(result string) bool {
	return strings.HasPrefix(result, "Script failed") || strings.HasPrefix(result, "unsupported call") ||
		strings.Contains(result, `"isError":true`)
}

func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and maps of texts always marshal
	}
	return data
}
