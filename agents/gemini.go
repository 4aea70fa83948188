package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// geminiKeys are the variables with which the Gemini CLI finds its account, its endpoint and its home.
func geminiKeys() []string {
	return []string{
		"GEMINI_API_KEY", "GEMINI_API_KEY_AUTH_MECHANISM", "GEMINI_DEFAULT_AUTH_TYPE", "GEMINI_CLI_CUSTOM_HEADERS", "GEMINI_CLI_HOME",
		"GEMINI_CLI_USE_COMPUTE_ADC", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI",
		"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_QUOTA_PROJECT",
		"GOOGLE_CLOUD_UNIVERSE_DOMAIN", "GOOGLE_CLOUD_ACCESS_TOKEN", "CLOUDSDK_CONFIG", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL",
	}
}

// geminiArgs is the command line of a request.
//
// The CLI takes an MCP server only from .gemini/settings.json in its working directory.
// So it works in a folder of ours, where that file is ours, and the worktree is an included directory:
// nothing is written there, and its .gemini and .env cannot change what the agent may do.
// Sessions belong to the working directory, and every one gets an entry of its own in the CLI's home:
// hence the request's Home.
func geminiArgs(r Request) (Invocation, error) {
	var inv Invocation
	for _, dir := range []string{r.Dir, r.CallDir} {
		if strings.Contains(dir, ",") {
			return inv, fmt.Errorf("gemini cannot be told of a folder with a comma in its name: %s", dir)
		}
	}
	effort, err := effortOf(r.Effort, map[string]string{
		"minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH", "max": "HIGH", // it knows no higher
	})
	if err != nil {
		return inv, err
	}
	home := cmp.Or(r.Home, r.CallDir)
	if r.Session != nil {
		if r.Session.Dir != home {
			return inv, &Error{Kind: SessionGone, Detail: fmt.Sprintf("it belongs to the folder %q", r.Session.Dir)}
		}
		inv.Args = append(inv.Args, "--resume", r.Session.ID)
	}
	inv.Home, inv.Dir = r.Home, home
	inv.Args = append(inv.Args,
		"--output-format", "stream-json", "--approval-mode", geminiMode(r.Access),
		// Whatever the person has besides ours stays out: servers, and extensions with their tools and texts.
		"--allowed-mcp-server-names", serverName, "--extensions", "none")
	if r.Access != Documents {
		inv.Args = append(inv.Args, "--include-directories", r.Dir)
		// It reads this file by itself, beside the GEMINI.md of the included directory.
		inv.file("GEMINI.md", fmt.Appendf(nil,
			"The project is in %s. The working directory is another one and is empty.\n"+
				"Names of files in the task are relative to the project: give tools absolute paths.\n", r.Dir))
	}
	if len(r.Prompt) > longestPrompt {
		inv.Args = append(inv.Args, "--include-directories", r.CallDir) // where it is
	}
	if r.Model != "" {
		inv.Args = append(inv.Args, "--model", r.Model)
	}
	inv.Env = []string{
		"GEMINI_CLI_TRUST_WORKSPACE=true", // our folder; without it settings.json is not read
		"GEMINI_CLI_NO_RELAUNCH=true",     // else a parent stays in front that ignores every signal
		// After an error of the API it leaves a report there, with the whole conversation.
		"TMPDIR=" + r.CallDir, "TEMP=" + r.CallDir,
	}
	if system := inv.withSystem(r, home); system != "" {
		inv.Env = append(inv.Env, "GEMINI_SYSTEM_MD="+system)
	}
	settings, err := json.MarshalIndent(geminiSettings(r, effort), "", "  ")
	if err != nil {
		return inv, fmt.Errorf("write gemini's settings: %w", err)
	}
	inv.file(".gemini/settings.json", append(settings, '\n'))
	return inv, nil
}

// geminiMode: in the default mode every tool that would need a person's consent is not offered at all.
func geminiMode(access Access) string {
	if access == Write {
		return "auto_edit"
	}
	return "default"
}

// geminiTools are the built-in tools that the model sees: never the shell, for what it starts outlives the CLI after every signal,
// and no list of folders, which glob gives as well, for each tool is described again with every request.
func geminiTools(access Access) []string {
	switch access {
	case Documents:
		return []string{}
	case Write:
		return []string{"read_file", "grep_search", "glob", "write_file", "replace"}
	default:
		return []string{"read_file", "grep_search", "glob"}
	}
}

// geminiSettings is what the CLI reads in its working directory, over what the person's own settings say.
func geminiSettings(r Request, effort string) map[string]any {
	tools := geminiTools(r.Access)
	settings := map[string]any{
		"context":   map[string]any{"includeDirectoryTree": false},
		"general":   map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
	}
	if r.Tools != nil {
		tools = append(tools, "mcp_"+serverName+"_*")
		settings["mcpServers"] = map[string]any{serverName: map[string]any{
			"command": r.Tools.Command, "args": r.Tools.Args, "env": variables(r.Tools.Env),
			"trust": true, "timeout": toolTimeout.Milliseconds(), // without trust none of its tools is offered
		}}
	}
	settings["tools"] = map[string]any{"core": tools}
	// An endpoint in the environment makes the CLI choose a way to sign in that it then refuses without a terminal.
	if lookup(r.Environ, "GOOGLE_GEMINI_BASE_URL") != "" && lookup(r.Environ, "GEMINI_API_KEY") != "" {
		settings["security"] = map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}}
	}
	if effort != "" {
		// By the scope and not by the model: some names are sent as another one, which a match on them would miss.
		settings["modelConfigs"] = map[string]any{"overrides": []any{map[string]any{
			"match": map[string]any{"overrideScope": "core"},
			"modelConfig": map[string]any{"generateContentConfig": map[string]any{
				"thinkingConfig": map[string]any{"thinkingLevel": effort},
			}},
		}}}
	}
	return settings
}
