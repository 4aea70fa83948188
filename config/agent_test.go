package config

import (
	"testing"
	"time"
)

func TestConfig_ModelFor(t *testing.T) {
	c := Default()
	own := c.Agents["gemini"]
	own.Default = "gone"
	c.Agents["own"] = own
	c.Agents["bare"] = Agent{Command: []string{"bare"}}
	for _, tt := range []struct{ agent, complexity, model, effort string }{
		{"codex", "low", "gpt-5.2-codex", "low"},
		{"codex", "medium", "gpt-5.2-codex", "medium"},
		{"codex", "high", "gpt-5.2-codex", "high"},
		{"codex", "critical", "gpt-5.2-codex", "xhigh"},
		{"codex", "", "gpt-5.2-codex", "medium"},
		{"gemini", "low", "gemini-3-flash-preview", ""},
		{"gemini", "high", "gemini-3-flash-preview", ""},
		{"gemini", "critical", "gemini-3-pro-preview", ""},
		{"claude", "low", "haiku", ""},
		{"claude", "high", "sonnet", ""},
		{"claude", "critical", "opus", ""},
		{"own", "high", "gemini-3-flash-preview", ""},
		{"bare", "high", "", ""},
		{"nobody", "high", "", ""},
	} {
		if model, effort := c.ModelFor(tt.agent, tt.complexity); model != tt.model || effort != tt.effort {
			t.Errorf("%s, %s: got %q %q", tt.agent, tt.complexity, model, effort)
		}
	}
}

func TestConfig_RoleAgent(t *testing.T) {
	c := load(t, "[roles]\nchallenger = \"gemini\"\ncoder = \"codex\"")
	for role, want := range map[Role]string{
		Proposer: "gemini", Challenger: "gemini", Implementer: "claude", Reviewer: "codex",
		Refiner: "gemini", Planner: "gemini", Curmudgeon: "gemini", BeanCounter: "gemini",
		Coder: "codex", Worker: "claude", SuperReviewer: "codex", "cook": "claude",
	} {
		if got := c.RoleAgent(role); got != want {
			t.Errorf("%s: got %s, want %s", role, got, want)
		}
	}
	if len(Roles()) != 11 {
		t.Errorf("roles: %v", Roles())
	}
}

func TestLimits_WallOf(t *testing.T) {
	limits := load(t, "[limits.wall]\nreviewer = \"7m\"\ncoder = \"9m\"").Limits
	for role, want := range map[Role]time.Duration{
		Proposer: 10 * time.Minute, Planner: 10 * time.Minute, Challenger: 15 * time.Minute, Reviewer: 7 * time.Minute,
		SuperReviewer: 7 * time.Minute, Implementer: time.Hour, Coder: 9 * time.Minute, Worker: time.Hour, "cook": time.Hour,
	} {
		if got := limits.WallOf(role); got != want {
			t.Errorf("%s: got %s, want %s", role, got, want)
		}
	}
}

func TestWorkflow_WorktreePath(t *testing.T) {
	for dir, want := range map[string]string{
		"../{project}-agentd": "../shop-agentd/add-oauth",
		"/srv/work":           "/srv/work/add-oauth",
		"..":                  "../add-oauth",
	} {
		if got := (Workflow{WorktreeDir: dir}).WorktreePath("shop", "add-oauth"); got != want {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
	}
}
