package config

import (
	_ "embed"
	"strconv"
	"strings"
)

// FileName is where the file lies in a repository.
const FileName = "agentd/config.toml"

// DefaultTOML is the commented file that init writes:
// every key with its default, and what has no default as a commented example.
// It loads to [Default] without a warning.
//
//go:embed default.toml
var DefaultTOML string

// Config is everything that agentd/config.toml can say.
// The zero value is not usable; start from [Default] or [Load].
type Config struct {
	ProjectName string // "" means the folder's name
	Workflow    Workflow
	Roles       map[Role]string  // who plays what; ask RoleAgent
	Agents      map[string]Agent // gemini, codex, claude and every [agents.<name>]
	Review      Review
	Validation  Validation
	Limits      Limits
	Budget      Budget
	GitHub      GitHub
	Policy      Policy
	Prices      map[string]Price // what the file says about models; ask Price or Cost

	// Extra holds the keys that this version does not know, by dotted name.
	Extra map[string]any
}

// Default returns what holds without a file.
func Default() Config {
	return Config{
		Workflow:   defaultWorkflow(),
		Roles:      defaultRoles(),
		Agents:     builtInAgents(),
		Review:     defaultReview(),
		Validation: defaultValidation(),
		Limits:     defaultLimits(),
		Budget:     defaultBudget(),
		GitHub:     GitHub{Publish: PublishAsk},
		Policy:     defaultPolicy(),
		Prices:     map[string]Price{},
		Extra:      map[string]any{},
	}
}

// Starter returns DefaultTOML with the project's name filled in.
func Starter(projectName string) []byte {
	const line = `project_name = ""`
	return []byte(strings.Replace(DefaultTOML, line, "project_name = "+tomlString(projectName), 1))
}

// tomlString quotes a text for TOML, whose basic strings know the escapes \uXXXX and \UXXXXXXXX but not \x or \a.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case !strconv.IsPrint(r):
			b.WriteString(`\U`)
			hex := strconv.FormatInt(int64(r), 16)
			b.WriteString(strings.Repeat("0", 8-len(hex)) + hex)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
