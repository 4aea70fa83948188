package agents

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// claudeKeys are the variables with which Claude Code finds its account, its endpoint and its home.
func claudeKeys() []string {
	return []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS",
		"ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL",
		"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
	}
}

// claudeClouds are the variables of the clouds that sell the models too, each behind the switch that chooses it.
func claudeClouds() map[string][]string {
	return map[string][]string{
		"CLAUDE_CODE_USE_BEDROCK": {
			"ANTHROPIC_BEDROCK_BASE_URL", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE",
			"AWS_SHARED_CREDENTIALS_FILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
		},
		"CLAUDE_CODE_USE_VERTEX": {
			"ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID", "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLOUD_ML_REGION",
			"GOOGLE_CLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG",
		},
		"CLAUDE_CODE_USE_FOUNDRY": {
			"ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
		},
	}
}

// claudeArgs is the command line of a request.
func claudeArgs(r Request) (Invocation, error) {
	var inv Invocation
	effort, err := effortOf(r.Effort, map[string]string{"low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"})
	if err != nil {
		return inv, err
	}
	inv.Args = []string{
		"--print", "--output-format", "stream-json", "--verbose", "--disable-slash-commands",
		// Without a person to ask, a project's hooks and servers are started as they are, and its permissions widen ours.
		// They could send the person's key to another server. Nobody was asked whether this project is trusted.
		"--setting-sources", "user", "--strict-mcp-config",
		"--permission-mode", claudeMode(r.Access), "--tools", strings.Join(claudeTools(r), ","),
	}
	if r.Model != "" {
		inv.Args = append(inv.Args, "--model", r.Model)
	}
	if effort != "" {
		inv.Args = append(inv.Args, "--effort", effort)
	}
	if system := inv.withSystem(r, r.CallDir); system != "" {
		inv.Args = append(inv.Args, "--system-prompt-file", system)
	}
	if r.Session != nil {
		inv.Args = append(inv.Args, "--resume", r.Session.ID)
	}
	if r.Tools != nil {
		config, err := claudeServers(*r.Tools)
		if err != nil {
			return inv, err
		}
		inv.file(toolsName, config)
		inv.Args = append(inv.Args, "--mcp-config", filepath.Join(r.CallDir, toolsName))
	}
	if len(r.Prompt) > longestPrompt {
		inv.Args = append(inv.Args, "--add-dir", r.CallDir) // where it is
	}
	if allowed := claudeAllowed(r); len(allowed) > 0 {
		inv.Args = append(append(inv.Args, "--allowed-tools"), allowed...)
	}
	inv.Env = []string{
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		// It would try for three minutes, also with a key that was refused; whether to try again is our decision.
		"CLAUDE_CODE_MAX_RETRIES=3",
	}
	clouds := claudeClouds()
	for _, use := range sortedKeys(clouds) {
		if lookup(r.Environ, use) != "" {
			inv.inherit(r.Environ, append([]string{use}, clouds[use]...)...)
		}
	}
	return inv, nil
}

func claudeMode(access Access) string {
	if access == Write {
		return "acceptEdits"
	}
	return "dontAsk"
}

// claudeTools are the built-in tools that the model sees at all.
func claudeTools(r Request) []string {
	if r.Access == Documents {
		return nil
	}
	tools := []string{"Read", "Grep", "Glob"}
	if r.Access == Write {
		tools = append(tools, "Edit", "Write")
		if len(r.Allow) > 0 {
			tools = append(tools, "Bash")
		}
	}
	return tools
}

// claudeAllowed is what it may use beyond what its mode lets through.
func claudeAllowed(r Request) []string {
	var allowed []string
	if r.Tools != nil {
		allowed = append(allowed, "mcp__"+serverName)
	}
	if r.Access == Write {
		for _, command := range r.Allow {
			allowed = append(allowed, "Bash("+command+")")
		}
	}
	return allowed
}

// claudeServers is the file of --mcp-config. alwaysLoad offers our tools at once, instead of behind a search for tools.
func claudeServers(t ToolServer) ([]byte, error) {
	data, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{serverName: map[string]any{
		"type": "stdio", "command": t.Command, "args": t.Args, "env": variables(t.Env), "alwaysLoad": true,
	}}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe the tools: %w", err)
	}
	return append(data, '\n'), nil
}
