package workflow

import "testing"

func TestIsControl_AC03(t *testing.T) {
	for path, want := range map[string]bool{
		"CLAUDE.md": true, "claude.md": true, "sub/dir/AGENTS.md": true, "GEMINI.md": true, "CLAUDE.local.md": true,
		".claude/settings.json": true, "sub/.claude/agents/x.md": true, ".gemini/settings.json": true, ".codex/config.toml": true,
		".agents/skills/x/SKILL.md": true, ".mcp.json": true, ".vscode/mcp.json": true, ".gitattributes": true, "sub/.gitattributes": true,
		".gitmodules": true, ".github/workflows/ci.yml": true, ".github": true, "agentd/config.toml": true, "agentd/project.md": true,
		".claude": true, // a link or a submodule in the folder's place

		"README.md": false, "docs/CLAUDE.md.txt": false, ".vscode/settings.json": false, "sub/.github/x": false,
		".githubx": false, "agentd/config.toml.bak": false, "agentd/changes/x/tasks.md": false, "claude/x.go": false, "agents/agent.go": false,
	} {
		if got := isControl(path); got != want {
			t.Errorf("isControl(%q) = %v, want %v", path, got, want)
		}
	}
}
