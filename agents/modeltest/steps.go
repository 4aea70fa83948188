package modeltest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Step is what a prompt of ours asks for.
type Step struct {
	Name   string // as in the trailer Agentd-Step
	Change string
	Round  int    // 0 where the prompt names none
	Task   string // the first task of an implementer
}

// openings are the first sentences of our prompts, by what they say of the step.
// The name of a step may hold a group of the pattern.
var openings = []struct{ name, pattern string }{
	{"clarify", "preparing the change `(?P<change>[^`]+)`"},
	{"proposal-gen", "writing the proposal of the change `(?P<change>[^`]+)`"},
	{"spec-gen-${spec}", "writing the spec `(?P<spec>[^`]+)` of the change `(?P<change>[^`]+)`"},
	{"tasks-gen", "breaking the change `(?P<change>[^`]+)`"},
	{"proposal-review", "looking again at `proposal.md` of the change `(?P<change>[^`]+)`, which you wrote \\(look (?P<round>[0-9]+) "},
	{"spec-review-${spec}", "looking again at `specs/(?P<spec>[^`]+).md` of the change `(?P<change>[^`]+)`, which you wrote \\(look (?P<round>[0-9]+) "},
	{"tasks-review", "looking again at `tasks.md` of the change `(?P<change>[^`]+)`, which you wrote \\(look (?P<round>[0-9]+) "},
	{"validate", "repairing the documents of the change `(?P<change>[^`]+)`"},
	{"challenge", "challenging the plan of the change `(?P<change>[^`]+)` in round (?P<round>[0-9]+)"},
	{"reproposal", "revising the plan of the change `(?P<change>[^`]+)` for round (?P<round>[0-9]+)"},
	{"implement", "implementing part of the approved change `(?P<change>[^`]+)`"},
	{"review", "reviewing the code of the change `(?P<change>[^`]+)` in round (?P<round>[0-9]+)"},
	{"resolve", "repairing the code of the change `(?P<change>[^`]+)` in this directory for round (?P<round>[0-9]+)"},
}

var compiled = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, o := range openings {
		all = append(all, regexp.MustCompile("^You are "+o.pattern))
	}
	return all
})

var taskLine = regexp.MustCompile(`(?m)^([0-9]+\.[0-9]+) `)

// ParseStep recognises a prompt of ours by its first sentence.
func ParseStep(prompt string) (Step, bool) {
	prompt = strings.TrimSpace(prompt)
	for i, pattern := range compiled() {
		at := pattern.FindStringSubmatchIndex(prompt)
		if at == nil {
			continue
		}
		group := func(template string) string { return string(pattern.ExpandString(nil, template, prompt, at)) }
		step := Step{Name: group(openings[i].name), Change: group("${change}")}
		step.Round, _ = strconv.Atoi(group("${round}")) // a step without a round has none in its pattern
		if step.Name == "implement" {
			if task := taskLine.FindStringSubmatch(prompt); task != nil {
				step.Task = task[1]
			}
		}
		return step, true
	}
	return Step{}, false
}
