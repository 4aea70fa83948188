package cli

import "testing"

// Every start of the program builds the whole tree; hooks start it often.
func BenchmarkCommandTree(b *testing.B) {
	for b.Loop() {
		newRootCommand(newApp(Env{Args: []string{"gh-agentd"}}))
	}
}
