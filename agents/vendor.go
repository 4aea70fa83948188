package agents

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Vendor is one of the three CLIs whose command line and output this package knows, as it is installed here.
type Vendor struct {
	// ID is the agent's name; empty means the program's own.
	ID string
	// Command is the program and its first words, such as "npx", "codex"; empty means the program's own name.
	Command []string
	// Env are variables to set. They win over our own, but nothing in them reaches past what no agent ever gets.
	Env map[string]string
	// Environ is the environment in which Agent.Check looks for the program.
	Environ []string
}

// vendor is what there is to know about a CLI before it runs.
type vendor struct {
	name    string // of the program
	npm     string // package that it is installed from
	floor   string // oldest release that was tried
	keys    []string
	key     string // the one of them that is enough by itself, where nobody can sign in
	update  string // command line that brings a newer one
	args    func(Request) (Invocation, error)
	reading func(args func(Request) (Invocation, error)) Codec
}

// vendors are the CLIs by the name that configuration calls their output.
//
// Their floors are the releases that were tried with everything that we ask of them.
// A lower one would be a guess: an unknown key in a settings file is passed over in silence,
// and what it was to forbid is then allowed.
func vendors() map[string]vendor {
	return map[string]vendor{
		"gemini": {
			name: "gemini", npm: "@google/gemini-cli", floor: "0.61.0", keys: geminiKeys(), key: "GEMINI_API_KEY", args: geminiArgs,
			update: "npm install -g @google/gemini-cli@latest", reading: newGeminiCodec,
		},
		"codex": {
			name: "codex", npm: "@openai/codex", floor: "0.169.0", keys: codexKeys(), key: "CODEX_API_KEY", args: codexArgs,
			update: "npm install -g @openai/codex@latest", reading: newCodexCodec,
		},
		"claude": {
			name: "claude", npm: "@anthropic-ai/claude-code", floor: "2.1.329", keys: claudeKeys(), key: "ANTHROPIC_API_KEY", args: claudeArgs,
			update: "claude update", reading: newClaudeCodec,
		},
	}
}

// Machine is how one of the three CLIs comes to a machine that nobody sits at.
type Machine struct {
	Package string // what npm installs: the release that the adapters were tried with
	Key     string // the variable that signs it in
}

// MachineOf says it for the CLI that configuration calls so; false for any other program.
func MachineOf(name string) (Machine, bool) {
	v, ok := vendors()[name]
	return Machine{Package: v.npm + "@" + v.floor, Key: v.key}, ok
}

// NewGemini makes the agent that is the Gemini CLI.
func NewGemini(v Vendor) *Program { return v.program(vendors()["gemini"]) }

// NewCodex makes the agent that is the Codex CLI.
func NewCodex(v Vendor) *Program { return v.program(vendors()["codex"]) }

// NewClaude makes the agent that is Claude Code.
func NewClaude(v Vendor) *Program { return v.program(vendors()["claude"]) }

func (v Vendor) program(known vendor) *Program {
	command := v.Command
	if len(command) == 0 {
		command = []string{known.name}
	}
	id := v.ID
	if id == "" {
		id = known.name
	}
	args := func(r Request) (Invocation, error) {
		inv, err := invoke(known, r)
		for _, name := range slices.Sorted(maps.Keys(v.Env)) {
			inv.Env = append(inv.Env, name+"="+v.Env[name])
		}
		return inv, err
	}
	return &Program{
		ID: id, Path: command[0], Words: command[1:], Keys: known.keys, Environ: v.Environ,
		Release:  Release{Floor: known.floor, Package: known.npm, Update: known.update},
		NewCodec: func() Codec { return known.reading(args) },
	}
}

// longestPrompt is what every CLI takes on its standard input:
// Codex refuses more than 1,048,576 characters, Gemini cuts at 8 MiB, Claude refuses 10 MB.
// A longer prompt stays in its file, which all of them can read, and standard input names it.
const longestPrompt = 1 << 20

// invoke is the command line of a CLI, after the checks that are the same for all.
func invoke(known vendor, r Request) (Invocation, error) {
	if strings.HasPrefix(r.Model, "-") {
		return Invocation{}, fmt.Errorf("model %q is no name", r.Model)
	}
	if err := checkSession(r.Session); err != nil {
		return Invocation{}, err
	}
	long := len(r.Prompt) > longestPrompt
	if long && r.Access == Documents {
		r.Access = ToolsOnly // somebody has to read the file
	}
	inv, err := known.args(r)
	if long {
		inv.Stdin = fmt.Appendf(nil, "Your task is in the file %s. Read all of it and do what it says.\n", r.PromptFile())
	}
	return inv, err
}

// sessionID is how all three name sessions: a UUID. It must never look like an option.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{7,127}$`)

// checkSession refuses a session that cannot be named on a command line: an agent said it, and it becomes a word.
func checkSession(s *Session) error {
	if s != nil && !sessionID.MatchString(s.ID) {
		return &Error{Kind: SessionGone, Detail: fmt.Sprintf("%q is no session", s.ID)}
	}
	return nil
}

// effortOf translates a word of configuration into the CLI's own; none stays none.
func effortOf(effort string, words map[string]string) (string, error) {
	word, ok := words[effort]
	if !ok && effort != "" {
		return "", fmt.Errorf("effort is %q, and must be one of %s", effort, strings.Join(slices.Sorted(maps.Keys(words)), ", "))
	}
	return word, nil
}

const (
	serverName = "agentd"
	systemName = "system.md"
)

// withSystem adds the request's system prompt as a file and returns its path, or "" where there is none.
func (inv *Invocation) withSystem(r Request, home string) string {
	if r.System == "" {
		return ""
	}
	inv.file(systemName, []byte(r.System))
	return filepath.Join(home, systemName)
}

func (inv *Invocation) file(name string, data []byte) {
	if inv.Files == nil {
		inv.Files = map[string][]byte{}
	}
	inv.Files[name] = data
}

// inherit lets variables of the caller through that only this call needs.
func (inv *Invocation) inherit(environ []string, names ...string) {
	for _, name := range names {
		if value := lookup(environ, name); value != "" {
			inv.Env = append(inv.Env, name+"="+value)
		}
	}
}

// plainTool is the name that a tool of ours has on our server; each CLI puts its own prefix before it.
func plainTool(name string) string {
	for _, prefix := range []string{"mcp__" + serverName + "__", "mcp_" + serverName + "_"} {
		if plain, ok := strings.CutPrefix(name, prefix); ok {
			return plain
		}
	}
	return name
}

// brief is a text cut to what fits a message.
func brief(text string) string {
	const longest = 300
	if r := []rune(strings.TrimSpace(text)); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return strings.TrimSpace(text)
}
