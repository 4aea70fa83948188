package templates_test

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/templates"
)

// skillTexts are all skills in a form.
func skillTexts(form templates.SkillForm) []templates.SkillText {
	var texts []templates.SkillText
	for _, skill := range templates.Skills() {
		texts = append(texts, templates.SkillText{Skill: skill, Form: form})
	}
	return texts
}

// splitSkill takes a Markdown skill apart.
func splitSkill(t *testing.T, text string) (front map[string]any, body string) {
	t.Helper()
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n\n")
	if !ok || !strings.HasPrefix(text, "---\n") {
		t.Fatalf("no front matter:\n%s", text)
	}
	if err := yaml.Unmarshal([]byte(head), &front); err != nil {
		t.Fatal(err)
	}
	return front, body
}

// Agents send the body whole with each message that follows, so it stays small.
const maxBody = 4096

func checkBody(t *testing.T, body string) {
	t.Helper()
	if n := len(body); n > maxBody {
		t.Errorf("the body has %d bytes, want at most %d", n, maxBody)
	}
	if !utf8.ValidString(body) || strings.Contains(body, "\ufeff") || strings.Contains(body, "<no value>") {
		t.Error("the body is no clean text")
	}
	// What agents' programs expand in a text: files, shell commands, arguments.
	for _, bad := range []string{"@", "!`", "!{", "{{"} {
		if strings.Contains(strings.ReplaceAll(body, "{{args}}", ""), bad) {
			t.Errorf("the body holds %q", bad)
		}
	}
	if strings.Contains(strings.ReplaceAll(body, "$ARGUMENTS", ""), "$") {
		t.Error("the body holds a $ that may be taken for an argument")
	}
}

// The rules are those of the Agent Skills specification.
func TestSkillText_Render_agentSkill(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, text := range skillTexts(templates.AgentSkill) {
		t.Run(text.Skill.Name, func(t *testing.T) {
			front, body := splitSkill(t, text.Render())
			for key := range front {
				switch key {
				case "name", "description", "license", "compatibility":
				default:
					t.Errorf("front matter has %q, which agents need not know", key)
				}
			}
			got, _ := front["name"].(string)
			if !name.MatchString(got) || len(got) > 64 || got+"/SKILL.md" != text.File() {
				t.Errorf("name %q in %s", got, text.File())
			}
			if front["description"] != text.Skill.Description || len(text.Skill.Description) > 1024 {
				t.Errorf("description = %v", front["description"])
			}
			if c, _ := front["compatibility"].(string); c == "" || len(c) > 500 {
				t.Errorf("compatibility = %q", c)
			}
			if strings.Contains(body, "The person typed") {
				t.Error("names arguments, which skills do not get")
			}
			checkBody(t, body)
		})
	}
}

func TestSkillText_Render_claudeCommand(t *testing.T) {
	for _, text := range skillTexts(templates.ClaudeCommand) {
		t.Run(text.Skill.Name, func(t *testing.T) {
			front, body := splitSkill(t, text.Render())
			if front["description"] != text.Skill.Description || front["argument-hint"] != text.Skill.Arguments || text.Skill.Arguments == "" {
				t.Errorf("front matter %v", front)
			}
			// Only reading is allowed beforehand: what spends or decides is asked for.
			for allowed := range strings.SplitSeq(front["allowed-tools"].(string), ", ") {
				if !regexp.MustCompile(`^Bash\(gh agentd (list|show|status):\*\)$`).MatchString(allowed) {
					t.Errorf("allows %q", allowed)
				}
			}
			if text.File() != "agentd/"+text.Skill.Name+".md" || strings.Count(body, "$ARGUMENTS") != 1 {
				t.Errorf("%s:\n%s", text.File(), body)
			}
			checkBody(t, body)
		})
	}
}

func TestSkillText_Render_geminiCommand(t *testing.T) {
	for _, text := range skillTexts(templates.GeminiCommand) {
		t.Run(text.Skill.Name, func(t *testing.T) {
			var file struct{ Description, Prompt string }
			meta, err := toml.Decode(text.Render(), &file)
			if err != nil || len(meta.Undecoded()) > 0 {
				t.Fatalf("%v, undecoded %v", err, meta.Undecoded())
			}
			if file.Description != text.Skill.Description || text.File() != "agentd/"+text.Skill.Name+".toml" {
				t.Errorf("%s: description = %q", text.File(), file.Description)
			}
			if strings.Count(file.Prompt, "{{args}}") != 1 {
				t.Errorf("the arguments do not stand there once:\n%s", file.Prompt)
			}
			checkBody(t, file.Prompt)
		})
	}
}

// The forms that the repository itself does not hold; the others are files of skills/ and commands/.
func TestSkillText_Render_golden(t *testing.T) {
	for _, text := range skillTexts(templates.GeminiCommand) {
		golden(t, filepath.Join("testdata", "skills", path.Base(text.File())), text.Render())
	}
}

// One text for all: what stands in one form and not in another is a name, a way to ask or a way to wait.
func TestSkillText_Render_differsOnlyWhereAgentsDo(t *testing.T) {
	for _, skill := range templates.Skills() {
		_, one := splitSkill(t, templates.SkillText{Skill: skill, Form: templates.AgentSkill}.Render())
		_, other := splitSkill(t, templates.SkillText{Skill: skill, Form: templates.ClaudeCommand}.Render())
		may := regexp.MustCompile(`^(The person typed|To ask, |What follows)|It may take an hour`)
		lines := map[string]bool{}
		for line := range strings.Lines(one) {
			lines[line] = true
		}
		for line := range strings.Lines(other) {
			if !lines[line] && !may.MatchString(line) {
				t.Errorf("%s: only Claude is told %q", skill.Name, line)
			}
		}
	}
}
