package templates_test

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/templates"
)

// It is sent with every request to the model, so it stays below 150 tokens; four bytes are about one token of English.
func TestSystemPrompt_Render_isShortAndPlain(t *testing.T) {
	text := templates.SystemPrompt{}.Render()
	t.Logf("%d bytes, about %d tokens", len(text), len(text)/4)
	if len(text) == 0 || len(text)/4 > 150 {
		t.Errorf("%d bytes, want some and at most 600", len(text))
	}
	// ${…} is replaced by one of the agents' programs, "@" attaches a file.
	for _, bad := range []string{"${", "@", "\n\n\n"} {
		if strings.Contains(text, bad) {
			t.Errorf("it contains %q", bad)
		}
	}
}
