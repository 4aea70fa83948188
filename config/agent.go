package config

import (
	"slices"
	"time"
)

// Prompt says how an agent is given its prompt.
type Prompt string

// The three ways; stdin is the default, because arguments are short and visible to others.
const (
	PromptStdin Prompt = "stdin"
	PromptArg   Prompt = "arg"  // {prompt} in the command
	PromptFile  Prompt = "file" // {prompt_file} in the command
)

// Output says how an agent's output is read.
type Output string

// Text is taken as it is, JSONL-last takes the last JSON line,
// the others reuse the codec of that CLI, so that a wrapper script is a full agent.
const (
	OutputText      Output = "text"
	OutputJSONLLast Output = "jsonl-last"
	OutputCodex     Output = "codex"
	OutputGemini    Output = "gemini"
	OutputClaude    Output = "claude"
	OutputReplay    Output = "replay"
)

// UsageFrom says where an agent's token counts come from.
type UsageFrom string

// UsageOutput reads them from the output where its codec knows how; UsageNone means they stay unknown.
const (
	UsageOutput UsageFrom = "output"
	UsageNone   UsageFrom = "none"
)

// Agent is an external program that can play a role.
type Agent struct {
	Command  []string          // program, then its arguments; placeholders {prompt}, {prompt_file}, {model}, {effort}, {session}
	Prompt   Prompt            // how it gets the prompt
	Output   Output            // how its output is read
	Model    string            // the word that names a model, such as "--model={model}"; dropped where there is none
	Session  string            // the word that resumes a session, such as "--resume={session}"
	Env      map[string]string // added to the allow-listed environment
	Timeout  time.Duration     // wall limit of a call; 0 means the role's limit
	Usage    UsageFrom
	Cassette string  // recorded run that the replay agent plays
	Default  string  // id of the model when the complexity names none
	Models   []Model // in the order of the file
}

// IsVendor reports whether the agent of this name is one of the three CLIs itself.
// Under another name, or with a table that says how it is told its prompt, model or session,
// it is a command that prints what one of them prints.
func (a Agent) IsVendor(name string) bool {
	describesItself := a.Prompt != PromptStdin || a.Model != "" || a.Session != "" || mentions(a.Command, "{")
	return name == string(a.Output) && !describesItself
}

// Model is one entry of [[<agent>.models]].
type Model struct {
	ID         string // name within the file, such as "balanced"
	Name       string // what the program is told, key `model`
	Complexity string // "", low, medium, high, critical
	Effort     string // "", or what the program is told, key `reasoning`

	// USD per million tokens, nil where the file is silent.
	CostInput, CostCached, CostOutput *float64
}

// ModelFor returns the model and the effort with which an agent handles a change of this complexity.
// The first model made for exactly that complexity is taken, else the agent's default, else its first one.
// Both are "" where the agent has no models, and the program decides by itself.
func (c Config) ModelFor(agent, complexity string) (model, effort string) {
	a, ok := c.Agents[agent]
	if !ok || len(a.Models) == 0 {
		return "", ""
	}
	i := -1
	if complexity != "" {
		i = slices.IndexFunc(a.Models, func(m Model) bool { return m.Complexity == complexity })
	}
	if i < 0 {
		i = slices.IndexFunc(a.Models, func(m Model) bool { return m.ID == a.Default })
	}
	chosen := a.Models[max(i, 0)]
	return chosen.Name, chosen.Effort
}

// builtInAgents are the three CLIs whose flags and output are known.
func builtInAgents() map[string]Agent {
	const codex = "gpt-5.2-codex"
	return map[string]Agent{
		"gemini": {
			Command: []string{"gemini"}, Prompt: PromptStdin, Output: OutputGemini, Usage: UsageOutput, Default: "flash",
			Models: []Model{
				{ID: "flash", Name: "gemini-3-flash-preview", Complexity: "medium"},
				{ID: "pro", Name: "gemini-3-pro-preview", Complexity: "critical"},
			},
		},
		"codex": {
			Command: []string{"codex"}, Prompt: PromptStdin, Output: OutputCodex, Usage: UsageOutput, Default: "balanced",
			Models: []Model{
				{ID: "fast", Name: codex, Complexity: "low", Effort: "low"},
				{ID: "balanced", Name: codex, Complexity: "medium", Effort: "medium"},
				{ID: "deep", Name: codex, Complexity: "high", Effort: "high"},
				{ID: "max", Name: codex, Complexity: "critical", Effort: "xhigh"},
			},
		},
		"claude": {
			Command: []string{"claude"}, Prompt: PromptStdin, Output: OutputClaude, Usage: UsageOutput, Default: "balanced",
			Models: []Model{
				{ID: "fast", Name: "haiku", Complexity: "low"},
				{ID: "balanced", Name: "sonnet", Complexity: "medium"},
				{ID: "deep", Name: "opus", Complexity: "critical"},
			},
		},
	}
}
