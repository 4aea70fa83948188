package modeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Key is the API key that [Install] signs the CLIs in with.
const Key = "scripted-key-0123456789"

// Install writes what a person would have in their home who uses this server with all three CLIs,
// and returns the variables that sign the CLIs in. Everything that is not about the server is left as it comes.
func (s *Server) Install(t testing.TB, home string) (environ []string) {
	t.Helper()
	for name, content := range map[string]string{
		".gemini/settings.json": `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}
}
`,
		".gemini/.env":          "GOOGLE_GEMINI_BASE_URL=" + s.URL + "\n",
		".codex/config.toml":    fmt.Sprintf("openai_base_url = %q\n", s.URL+"/v1"),
		".claude/settings.json": fmt.Sprintf("{\"env\": {\"ANTHROPIC_BASE_URL\": %q}}\n", s.URL),
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"GEMINI_API_KEY=" + Key, "CODEX_API_KEY=" + Key, "ANTHROPIC_API_KEY=" + Key}
}
