package templates_test

import (
	"path/filepath"
	"testing"

	"github.com/agentd/gh-agentd/templates"
)

func TestWorkflows_everyTextIsGolden(t *testing.T) {
	const pin = "agentd/gh-agentd@0123456789abcdef0123456789abcdef01234567"
	codex := templates.Judge{Name: "codex", Package: "@openai/codex@0.169.0", Secret: "CODEX_API_KEY"}
	claude := templates.Judge{Name: "claude", Package: "@anthropic-ai/claude-code@2.1.329", Secret: "ANTHROPIC_API_KEY"}
	two := templates.Workflow{Pin: pin + " # v1.2.3", Challenger: codex, Reviewer: claude}
	for name, text := range map[string]interface{ Render() string }{
		"two-agents.yml":   two,
		"same-agent.yml":   templates.Workflow{Pin: pin, Challenger: codex, Reviewer: codex},
		"own-program.yml":  templates.Workflow{Pin: pin, Challenger: templates.Judge{Name: "mine"}, Reviewer: templates.Judge{Name: "replay", Builtin: true}},
		"reviews.yml":      templates.ReviewsWorkflow{Pin: pin},
		"open-changes.yml": templates.OpenChangesWorkflow{Pin: pin + " # v1.2.3", Secrets: two.Secrets()},
	} {
		t.Run(name, func(t *testing.T) { golden(t, filepath.Join("testdata", "workflows", name), text.Render()) })
	}
}
