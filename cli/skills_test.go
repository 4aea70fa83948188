package cli

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
	"github.com/agentd/gh-agentd/workflow"
)

// What a skill tells an agent to type must exist: commands, flags and fields, in every form of every skill.
func TestSkills_nameOnlyWhatExists(t *testing.T) {
	spans := regexp.MustCompile("`([^`\n]+)`")
	for _, skill := range templates.Skills() {
		for _, form := range []templates.SkillForm{templates.AgentSkill, templates.ClaudeCommand, templates.GeminiCommand} {
			text := templates.SkillText{Skill: skill, Form: form}
			t.Run(text.File(), func(t *testing.T) {
				root := testTree(t)
				var named []*cobra.Command
				var loose []string
				for _, span := range spans.FindAllStringSubmatch(text.Render(), -1) {
					if line, ok := strings.CutPrefix(span[1], extensionName+" "); ok {
						named = append(named, checkTyped(t, root, line))
					} else {
						loose = append(loose, span[1])
					}
				}
				if !slices.ContainsFunc(named, func(c *cobra.Command) bool { return c.Name() == skill.Name }) {
					t.Errorf("does not run %s", skill.Name)
				}
				for _, span := range loose {
					checkWord(t, root, &named, span)
				}
				for _, span := range loose {
					checkFlags(t, named, span)
				}
			})
		}
	}
}

// checkTyped checks a command line without the program's name, and returns its command.
func checkTyped(t *testing.T, root *cobra.Command, line string) *cobra.Command {
	t.Helper()
	cmd, _, err := root.Find(strings.Fields(line)[:1])
	if err != nil || cmd == root {
		t.Errorf("%q is no command", line)
		return root
	}
	checkFlags(t, []*cobra.Command{cmd}, line)
	return cmd
}

// checkFlags checks that each flag in a text, and each field that follows --json, is one of some command.
func checkFlags(t *testing.T, cmds []*cobra.Command, text string) {
	t.Helper()
	words := strings.Fields(text)
	for i, word := range words {
		name, isFlag := strings.CutPrefix(word, "--")
		if !isFlag {
			continue
		}
		if !slices.ContainsFunc(cmds, func(c *cobra.Command) bool { return c.Flags().Lookup(name) != nil }) {
			t.Errorf("%q: no command that the skill names has --%s", text, name)
		}
		if name != "json" {
			continue
		}
		for field := range strings.SplitSeq(words[i+1], ",") {
			if !slices.ContainsFunc(cmds, func(c *cobra.Command) bool {
				return slices.Contains(strings.Split(c.Annotations[annotationFields], ","), field)
			}) {
				t.Errorf("%q: no command that the skill names has the field %s", text, field)
			}
		}
	}
}

// checkWord checks a single word: a command, a field of what a command answers, or something of the agent's own.
func checkWord(t *testing.T, root *cobra.Command, named *[]*cobra.Command, span string) {
	t.Helper()
	if !regexp.MustCompile(`^[a-z]+$`).MatchString(span) {
		return
	}
	for _, answer := range []any{workflow.ActionResult{}, workflow.Decision{}, workflow.DecisionOption{}, specs.Question{}} {
		if slices.Contains(jsonFields(reflect.TypeOf(answer)), span) {
			return
		}
	}
	cmd, _, err := root.Find([]string{span})
	if err != nil || cmd == root {
		t.Errorf("`%s` is neither a command nor a field", span)
		return
	}
	*named = append(*named, cmd)
}
