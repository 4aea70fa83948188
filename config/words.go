package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What package agents would refuse at the first call of an agent is refused here, with its line, before anything is paid for.
// Neither package knows the other; cli, which knows both, tests that they say the same.

// placeholders are what the words of an agent's table may name in braces.
var placeholders = []string{
	"change", "dir", "effort", "model", "prompt", "prompt_file", "role", "round", "run_dir", "session", "step", "task", "tools",
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_]+)\}`) })

// noVariables are variables that no table may set: with them an agent could speak to GitHub in the person's name, redirect git,
// or pass for another run.
var noVariables = []string{
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "ACTIONS_*",
	"GIT_*", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GCM_*", "AGENTD_*",
}

// checkWords refuses the words of an agent's table that could not be filled.
func (t table) checkWords(name string, a Agent) {
	if len(a.Command) > 0 {
		if strings.Contains(a.Command[0], "{") {
			t.r.refuse(joinKey(t.path, "command"), "the program %q is a placeholder", a.Command[0])
		}
		t.checkPlaceholders("command", a, a.Command[1:]...)
	}
	t.checkPlaceholders("model", a, a.Model)
	t.checkPlaceholders("session", a, a.Session)
	if a.IsVendor(name) {
		return // the variables of the three are set as they are
	}
	env := t.table("env")
	for _, variable := range slices.Sorted(maps.Keys(a.Env)) {
		env.checkPlaceholders(variable, a, a.Env[variable])
	}
}

func (t table) checkPlaceholders(key string, a Agent, words ...string) {
	for _, word := range words {
		for _, found := range placeholder().FindAllStringSubmatch(word, -1) {
			switch {
			case !slices.Contains(placeholders, found[1]):
				t.r.refuse(joinKey(t.path, key), "unknown placeholder %s; known are {%s}", found[0], strings.Join(placeholders, "} {"))
			case found[1] == "prompt" && a.Prompt != PromptArg:
				t.r.refuse(joinKey(t.path, key), `{prompt} needs prompt = "arg"; {prompt_file} is its file`)
			}
		}
	}
}

// mayNotBeSet reports whether a variable is none that a table may set.
func mayNotBeSet(name string) bool {
	return slices.ContainsFunc(noVariables, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	})
}
