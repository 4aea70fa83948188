package agents

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/internal/proc"
)

// codexKeys are the variables with which Codex finds its account and its home.
// It does not read OPENAI_API_KEY; a provider of one's own names its variable in config.toml.
func codexKeys() []string {
	return []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_HOME", "CODEX_SQLITE_HOME", "CODEX_CA_CERTIFICATE"}
}

// codexArgs is the command line of a request. Everything is said by options: no file of Codex's own is written.
func codexArgs(r Request) (Invocation, error) {
	var inv Invocation
	effort, err := effortOf(r.Effort, map[string]string{
		"none": "none", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max",
	})
	if err != nil {
		return inv, err
	}
	inv.Args = []string{
		"exec", "--json", "--skip-git-repo-check", "--cd", r.Dir, "--sandbox", codexSandbox(r.Access),
	}
	set := func(key string, value any) {
		inv.Args = append(inv.Args, "-c", key+"="+tomlValue(value))
	}
	for _, feature := range codexUnused() {
		set("features."+feature, false)
	}
	set("check_for_update_on_startup", false)
	set("analytics.enabled", false)
	set("web_search", "disabled")
	set("agents.enabled", false)
	set("tools.experimental_request_user_input.enabled", false) // there is nobody to ask
	set("skills.include_instructions", false)
	set("skills.bundled.enabled", false)
	// Commands in the sandbox see the environment: without this the key with which Codex signs in, too.
	set("shell_environment_policy.ignore_default_excludes", false)
	if r.Access != Write {
		set("include_permissions_instructions", false) // they tell how to ask for more, and nobody grants it
	}
	if r.Access == Documents {
		set("features.shell_tool", false)
		set("features.unified_exec", false)
		set("include_environment_context", false)
		set("project_doc_max_bytes", 0)
	}
	if r.Model != "" {
		inv.Args = append(inv.Args, "--model", r.Model)
	}
	if effort != "" {
		set("model_reasoning_effort", effort)
	}
	if system := inv.withSystem(r, r.CallDir); system != "" {
		set("model_instructions_file", system)
	}
	own, err := readCodexConfig(r)
	if err != nil {
		return inv, err
	}
	if len(own.servers) > 0 {
		set("mcp_servers", own.without())
	}
	inv.inherit(r.Environ, own.keys...)
	if r.Tools != nil {
		set("mcp_servers."+serverName, codexServer(*r.Tools))
	}
	if r.Session != nil {
		inv.Args = append(inv.Args, "resume", r.Session.ID)
	}
	inv.Args = append(inv.Args, "-")
	return inv, nil
}

// codexUnused are features that a headless run with one task never needs, and that cost input with every request,
// but for the last: with it Codex waits for a network without end.
// As settings, not as --disable: one that a later release no longer has is then a warning and no refusal.
func codexUnused() []string {
	return []string{
		"plugins", "apps", "multi_agent", "goals", "tool_suggest", "skill_search", "image_generation", "view_image",
		"browser_use", "computer_use", "sleep_tool", "unbounded_connection_retries",
	}
}

func codexSandbox(access Access) string {
	if access == Write {
		return "workspace-write"
	}
	return "read-only"
}

// codexServer describes our server. It starts outside the sandbox, with next to no environment:
// the mark by which a run knows its processes has to be handed on by name.
// Codex adds this to what the person's configuration says of a server of the same name, which must not narrow it.
func codexServer(t ToolServer) map[string]any {
	return map[string]any{
		"command": t.Command, "args": t.Args, "env": variables(t.Env), "env_vars": []string{proc.MarkVariable},
		"enabled_tools": t.Names, "disabled_tools": []string{},
		"enabled": true, "required": true, "default_tools_approval_mode": "approve", "tool_timeout_sec": int(toolTimeout.Seconds()),
	}
}

// tomlValue writes a value for -c. What JSON and TOML write alike is written as in JSON; tables are TOML's own.
func tomlValue(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var pairs []string
		for _, key := range sortedKeys(v) {
			pairs = append(pairs, tomlValue(key)+"="+tomlValue(v[key]))
		}
		return "{" + strings.Join(pairs, ",") + "}"
	case map[string]string:
		table := map[string]any{}
		for key, text := range v {
			table[key] = text
		}
		return tomlValue(table)
	case []string:
		var items []string
		for _, text := range v {
			items = append(items, tomlValue(text))
		}
		return "[" + strings.Join(items, ",") + "]"
	case string:
		var out strings.Builder
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(v) // a string always can be
		return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
	default: // numbers and booleans
		return fmt.Sprint(v)
	}
}
