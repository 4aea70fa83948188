package templates

import (
	"embed"
	"fmt"
)

//go:embed agents/*.md
var agentFiles embed.FS

// SystemPrompt takes the place of an agent's own system prompt where a step only reads and hands in:
// what the built-in ones say about editing, committing and talking to people is sent with every request and not used.
// Its text is the same for every such step, so that a provider can keep it cached.
type SystemPrompt struct{}

// Render returns the prompt.
func (SystemPrompt) Render() string {
	text, err := agentFiles.ReadFile("agents/system.md")
	if err != nil {
		panic(fmt.Sprintf("templates: embedded system prompt: %v", err))
	}
	return string(text)
}
