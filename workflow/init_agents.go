package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/templates"
)

// host is a kind of agent that people work with, and the folder in which it looks for skills.
// Whether it also plays a role in a change is another matter.
type host struct {
	name     string // as --agents takes it
	folder   string // of its skills or commands, below the top of the worktree
	form     templates.SkillForm
	call     string   // how a person calls the skill of planning
	signs    []string // files and folders at the top of a worktree whose people use it
	programs []string
}

// hosts are all kinds that init knows.
// Several read .agents/skills, so it is written once.
// A folder .github by itself is no sign of Copilot: nearly every repository there has one.
func hosts() []host {
	return []host{
		{
			name: "claude", folder: ".claude/commands", form: templates.ClaudeCommand, call: "/agentd:plan",
			signs: []string{".claude", "CLAUDE.md"}, programs: []string{"claude"},
		},
		{
			name: "gemini", folder: ".gemini/commands", form: templates.GeminiCommand, call: "/agentd:plan",
			signs: []string{".gemini", "GEMINI.md"}, programs: []string{"gemini"},
		},
		{
			name: "codex", folder: ".agents/skills", form: templates.AgentSkill, call: "$agentd-plan",
			signs: []string{".codex"}, programs: []string{"codex"},
		},
		{
			name: "copilot", folder: ".github/skills", form: templates.AgentSkill, call: "/agentd-plan",
			signs:    []string{".github/copilot-instructions.md", ".github/skills", ".github/agents", ".github/instructions", ".github/prompts"},
			programs: []string{"copilot"},
		},
		{
			name: "agents", folder: ".agents/skills", form: templates.AgentSkill, call: "agentd-plan",
			signs: []string{".agents", "AGENTS.md"},
		},
	}
}

// InitAgents are the names that an InitRequest may hold.
func InitAgents() []string {
	var names []string
	for _, h := range hosts() {
		names = append(names, h.name)
	}
	return names
}

// files are the skills as this host reads them.
func (h host) files() []initFile {
	var files []initFile
	for _, skill := range templates.Skills() {
		text := templates.SkillText{Skill: skill, Form: h.form}
		files = append(files, initFile{path: h.folder + "/" + text.File(), content: []byte(text.Render())})
	}
	return files
}

// present says whether somebody uses the agent here: by what lies in the worktree, or by a program on the path.
func (h host) present(top, pathEnv string) bool {
	for _, sign := range h.signs {
		if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(sign))); err == nil {
			return true
		}
	}
	return slices.ContainsFunc(h.programs, func(program string) bool {
		_, err := proc.Look(program, pathEnv)
		return err == nil
	})
}

// hostsNamed are the hosts with these names.
func hostsNamed(names []string) ([]host, error) {
	var named []host
	all := hosts()
	for _, name := range names {
		i := slices.IndexFunc(all, func(h host) bool { return h.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there are no skills for an agent %q, only for %s", name, strings.Join(InitAgents(), ", "))
		}
		named = append(named, all[i])
	}
	return named, nil
}

// hostsHere are those that are used here, and those that got skills before.
func (b *Bench) hostsHere(top string, have *installation) []host {
	return slices.DeleteFunc(hosts(), func(h host) bool {
		return !h.present(top, lookup(b.Environ, "PATH")) && !slices.ContainsFunc(h.files(), func(f initFile) bool { return have.wrote(f.path) })
	})
}
