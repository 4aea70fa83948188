package main

import (
	"encoding/json"
	"path"

	"github.com/agentd/gh-agentd/templates"
)

// Folders that hold nothing but generated files.
var generatedFolders = []string{".claude-plugin", "commands", "skills"}

// plugin is .claude-plugin/plugin.json. Without a version Claude Code takes the commit for it, which is what we have.
type plugin struct {
	Name        string `json:"name"` // before the colon in /agentd:plan
	Description string `json:"description"`
	Author      person `json:"author"`
	Homepage    string `json:"homepage"`
	License     string `json:"license"`
}

type person struct {
	Name string `json:"name"`
}

// marketplace is .claude-plugin/marketplace.json: the repository offers itself.
type marketplace struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Owner       person  `json:"owner"`
	Plugins     []offer `json:"plugins"`
}

type offer struct {
	Name        string `json:"name"`
	Source      string `json:"source"`
	Description string `json:"description"`
}

// pluginFiles make the repository a plugin of Claude Code, and its skills ones that `gh skill install` finds.
// A plugin's commands carry its name by themselves, so they stand directly in commands/.
func pluginFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, skill := range templates.Skills() {
		command := templates.SkillText{Skill: skill, Form: templates.ClaudeCommand}
		files["commands/"+path.Base(command.File())] = []byte(command.Render())
		agent := templates.SkillText{Skill: skill, Form: templates.AgentSkill}
		files["skills/"+agent.File()] = []byte(agent.Render())
	}
	const description = "Plan, implement and archive spec-driven changes that are recorded in git. Needs gh-agentd and git."
	authors := person{Name: "The gh-agentd authors"}
	for name, value := range map[string]any{
		"plugin.json": plugin{
			Name: "agentd", Description: description, Author: authors,
			Homepage: "https://github.com/agentd/gh-agentd", License: "MIT",
		},
		"marketplace.json": marketplace{
			Name: "agentd", Description: description, Owner: authors,
			Plugins: []offer{{Name: "agentd", Source: "./", Description: description}},
		},
	} {
		data, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return nil, err
		}
		files[".claude-plugin/"+name] = append(data, '\n')
	}
	return files, nil
}
