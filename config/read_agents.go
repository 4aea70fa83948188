package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// replayAgent plays recorded runs. It is part of this program and needs no table.
const replayAgent = "replay"

// readAgents reads [gemini], [codex], [claude], which the older tool knows, and [agents.<name>].
func readAgents(root table, agents map[string]Agent) {
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		if root.has(name) {
			agents[name] = readAgent(root.table(name), name, agents[name])
		}
	}
	more := root.table("agents")
	for _, name := range more.keys() {
		path := joinKey(more.path, name)
		if err := phases.CheckName(name); err != nil {
			more.take(name)
			root.r.refuse(path, "%v", err)
			continue
		}
		base, builtIn := agents[name]
		if builtIn && root.has(name) {
			root.r.refuse(path, "agent %q has two tables, [%s] and [agents.%s]; keep one", name, name, name)
		}
		if !builtIn {
			base = Agent{Prompt: PromptStdin, Output: OutputText}
		}
		agent := readAgent(more.table(name), name, base)
		if len(agent.Command) == 0 && agent.Output != OutputReplay {
			root.r.refuse(path, `want a command, such as command = ["%s"]`, name)
		}
		agents[name] = agent
	}
}

func readAgent(t table, name string, a Agent) Agent {
	t.command(&a.Command)
	choice(t, "prompt", &a.Prompt, PromptStdin, PromptArg, PromptFile)
	t.text("cassette", &a.Cassette)
	if a.Cassette != "" {
		a.Output = OutputReplay
	}
	choice(t, "output", &a.Output, OutputText, OutputJSONLLast, OutputCodex, OutputGemini, OutputClaude, OutputReplay)
	t.text("model", &a.Model)
	t.text("session", &a.Session)
	t.env(&a.Env)
	t.duration("timeout", &a.Timeout)
	a.Usage = usageOf(a)
	choice(t, "usage", &a.Usage, UsageOutput, UsageNone)
	t.text("default", &a.Default)
	if t.has("models") {
		a.Models = t.models()
	}

	for _, need := range []struct {
		missing          bool
		key, placeholder string
	}{
		{a.Prompt == PromptArg && !mentions(a.Command, "{prompt}"), "command", "{prompt}"},
		{a.Prompt == PromptFile && !mentions(a.Command, "{prompt_file}"), "command", "{prompt_file}"},
		{a.Model != "" && !strings.Contains(a.Model, "{model}"), "model", "{model}"},
		{a.Session != "" && !strings.Contains(a.Session, "{session}"), "session", "{session}"},
	} {
		if need.missing {
			t.r.refuse(joinKey(t.path, need.key), "want the placeholder %s in it", need.placeholder)
		}
	}
	t.checkWords(name, a)
	if t.has("default") && !slices.ContainsFunc(a.Models, func(m Model) bool { return m.ID == a.Default }) {
		t.r.refuse(joinKey(t.path, "default"), "no model has the id %q", a.Default)
	}
	return a
}

// usageOf is what an agent's usage is by default: in plain text no codec finds it.
func usageOf(a Agent) UsageFrom {
	if a.Output == OutputText {
		return UsageNone
	}
	return UsageOutput
}

func mentions(words []string, placeholder string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, placeholder) })
}

// command reads a program with its arguments, or the name of a program alone.
// A text is one word even with spaces in it: no shell ever splits it.
func (t table) command(into *[]string) {
	if text, ok := t.values["command"].(string); ok {
		var name string
		t.text("command", &name)
		if strings.TrimSpace(text) == "" {
			t.r.refuse(joinKey(t.path, "command"), "want the name of a program")
		}
		*into = []string{name}
		return
	}
	t.texts("command", into)
	if t.has("command") && len(*into) == 0 {
		t.r.refuse(joinKey(t.path, "command"), "want the name of a program")
	}
}

func (t table) env(into *map[string]string) {
	if !t.has("env") {
		return
	}
	variables := t.table("env")
	env := map[string]string{}
	for _, name := range variables.keys() {
		var value string
		variables.text(name, &value)
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			t.r.refuse(joinKey(variables.path, name), "no program can be given this variable")
		} else if mayNotBeSet(name) {
			t.r.refuse(joinKey(variables.path, name), "this variable never reaches an agent")
		}
		env[name] = value
	}
	*into = env
}

func (t table) models() []Model {
	var models []Model
	ids := map[string]bool{}
	for _, entry := range t.tables("models") {
		m := entry.model()
		if ids[m.ID] && m.ID != "" {
			entry.r.refuse(joinKey(entry.path, "id"), "id %q is used twice", m.ID)
		}
		ids[m.ID] = true
		models = append(models, m)
	}
	return models
}

func (t table) model() Model {
	var m Model
	t.text("id", &m.ID)
	t.text("model", &m.Name)
	for key, text := range map[string]string{"id": m.ID, "model": m.Name} {
		if strings.TrimSpace(text) == "" {
			t.r.refuse(joinKey(t.path, key), "missing")
		}
	}
	var complexity, reasoning string
	t.text("complexity", &complexity)
	m.Complexity = strings.ToLower(complexity)
	if known := []string{"low", "medium", "high", "critical"}; complexity != "" && !slices.Contains(known, m.Complexity) {
		t.r.refuse(joinKey(t.path, "complexity"), "want %s, got %q", oneOf(known), complexity)
	}
	t.text("reasoning", &reasoning)
	effort, known := parseEffort(reasoning)
	if !known {
		t.r.refuse(joinKey(t.path, "reasoning"), "want low, medium, high or extra high, got %q", reasoning)
	}
	m.Effort = effort
	for key, into := range map[string]**float64{
		"cost_per_1m_input": &m.CostInput, "cost_per_1m_cached": &m.CostCached, "cost_per_1m_output": &m.CostOutput,
	} {
		if usd, ok := t.number(key); ok {
			*into = &usd
		}
	}
	return m
}

// parseEffort reads an effort as people write it.
// Codex passes on even nonsense to its model, so nonsense has to be stopped here.
func parseEffort(text string) (effort string, ok bool) {
	effort = strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(text))
	if effort == "extrahigh" {
		effort = "xhigh"
	}
	return effort, slices.Contains([]string{"", "none", "minimal", "low", "medium", "high", "xhigh", "max"}, effort)
}

// readRoles reads who plays what. A role given to nobody would only be noticed in the middle of a run.
func readRoles(t table, roles map[Role]string, agents map[string]Agent) {
	names := append(slices.Sorted(maps.Keys(agents)), replayAgent)
	for _, role := range Roles() {
		if t.has(string(role)) {
			agent := roles[role]
			choice(t, string(role), &agent, names...)
			roles[role] = agent
		}
	}
}
