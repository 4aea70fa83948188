package templates

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed skills/*.md
var skillFiles embed.FS

// Skill is something that a person asks their own agent for, and for which the agent runs one of our commands.
type Skill struct {
	Name        string // of the command: "plan"
	Description string // what it does and when to use it, on one line; agents choose by it. At most 1024 characters
	Arguments   string // what is typed behind it, as a hint
	then        string // the name of the skill that follows a success; "" for none
}

// Skills are all there are, in the order of a change's life.
func Skills() []Skill {
	return []Skill{
		{
			Name: "plan", Arguments: "<id> [description]", then: "impl",
			Description: "Plan a change with gh agentd, which asks what only a person can know, writes proposal, specs and tasks, " +
				"and has a second agent challenge them. Use it when the person asks to plan a change with agentd, or to go on with a plan.",
		},
		{
			Name: "impl", Arguments: "<id>", then: "archive",
			Description: "Implement a planned change with gh agentd, which works through its tasks, runs the project's checks, " +
				"and has a second agent review the code. Use it when the person asks to implement a change of agentd, or to go on with it.",
		},
		{
			Name: "archive", Arguments: "<id>",
			Description: "Archive a complete change with gh agentd, which merges its code and its specs into the base branch. " +
				"Use it only when the person asks to archive or merge a change of agentd.",
		},
	}
}

// SkillForm is a kind of file in which agents look for skills.
type SkillForm uint8

// The forms. Their texts differ only in how a command is named and how one asks.
const (
	AgentSkill    SkillForm = iota // SKILL.md of the Agent Skills specification: Codex, Copilot and others
	ClaudeCommand                  // a Markdown file in a folder commands of Claude Code
	GeminiCommand                  // a TOML file in a folder commands of Gemini CLI
)

// SkillText is the file of one skill for one kind of agent.
type SkillText struct {
	Skill Skill // required: one of Skills
	Form  SkillForm
}

// File is where the text belongs below the agent's folder of skills or commands, slash-separated.
func (t SkillText) File() string {
	switch t.Form {
	case ClaudeCommand:
		return "agentd/" + t.Skill.Name + ".md"
	case GeminiCommand:
		return "agentd/" + t.Skill.Name + ".toml"
	}
	return "agentd-" + t.Skill.Name + "/SKILL.md"
}

// Render returns the whole file.
func (t SkillText) Render() string {
	switch t.Form {
	case ClaudeCommand:
		return "---\n" +
			"description: " + t.Skill.Description + "\n" +
			"argument-hint: \"" + t.Skill.Arguments + "\"\n" +
			// Reading needs no permission. What spends or decides asks for one, as every other command does.
			"allowed-tools: Bash(gh agentd list:*), Bash(gh agentd show:*), Bash(gh agentd status:*)\n" +
			"---\n\n" + t.body()
	case GeminiCommand:
		return "description = \"" + t.Skill.Description + "\"\n\nprompt = '''\n" + t.body() + "'''\n"
	}
	return "---\n" +
		"name: agentd-" + t.Skill.Name + "\n" +
		"description: " + t.Skill.Description + "\n" +
		"license: MIT\n" +
		"compatibility: Needs git 2.38 or newer and gh-agentd, as an extension of the GitHub CLI or by itself.\n" +
		"---\n\n" + t.body()
}

// dialect is all in which the texts for two agents may differ.
type dialect struct {
	Typed   string // how the agent is given what the person typed behind the command; "" where it is in the conversation
	Ask     string // how the agent asks, as an order without its full stop
	Wait    string // how the agent waits for a long command, as sentences
	Next    string // how a person calls the skill that follows; "" for none
	Decides bool   // the command leaves decisions open
}

func (t SkillText) dialect() dialect {
	d := dialect{Decides: t.Skill.Name != "archive"}
	switch t.Form {
	case ClaudeCommand:
		d.Typed = "$ARGUMENTS"
		d.Ask = "use the AskUserQuestion tool"
		d.Wait = "Run it with `run_in_background` and wait until it has ended."
		d.Next = "`/agentd:" + t.Skill.then + "`"
	case GeminiCommand:
		d.Typed = "{{args}}"
		d.Ask = "use the `ask_user` tool"
		d.Wait = "Run it as a background process and wait until it has ended."
		d.Next = "`/agentd:" + t.Skill.then + "`"
	default:
		d.Ask = "use your tool for questions, or else write a numbered list and wait for the answer"
		d.Wait = "Allow it that time, or run it in the background and wait until it has ended. " +
			"It needs the network and writes to `.git`: where your sandbox forbids that, ask the person to let it run outside."
		d.Next = "the skill `agentd-" + t.Skill.then + "`"
	}
	return d
}

// body is the text without what goes before it in a file of its kind.
// An embedded template that does not parse or execute is a programmer's error that the goldens find.
func (t SkillText) body() string {
	parsed := template.Must(template.New("").Option("missingkey=error").
		ParseFS(skillFiles, "skills/common.md", "skills/"+t.Skill.Name+".md"))
	var out strings.Builder
	if err := parsed.ExecuteTemplate(&out, t.Skill.Name+".md", t.dialect()); err != nil {
		panic("templates: embedded skill " + t.Skill.Name + ": " + err.Error())
	}
	return strings.TrimSpace(fold(out.String())) + "\n"
}
