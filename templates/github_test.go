package templates_test

import (
	"path/filepath"
	"testing"

	"github.com/agentd/gh-agentd/templates"
)

func TestGitHub_everyTextIsGolden(t *testing.T) {
	const commit, page = "1c309dae7f45e0f39b1bf3ac3cd9db12e7d68901", "https://github.com/octo/hello/commit/1c309dae7f45e0f39b1bf3ac3cd9db12e7d68901"
	texts := map[string]interface{ Render() string }{
		"pull.md": templates.PullBody{
			Change: "add-oauth", Branch: "agentd/add-oauth", Phase: "complete", Summary: "Sign in with GitHub.\n\nNobody has a password.",
			Next: "gh agentd archive add-oauth", Calls: 12, In: new(int64(24567)), Out: new(int64(2345)), USD: "0.0678", Unknown: 1,
			Verdicts: []templates.JudgedRow{
				{Kind: "plan", Round: 1, Verdict: "NEEDS_REVISION", Findings: "1 high, 0 medium, 2 low", By: "codex|odd\nname", Commit: commit, URL: page},
				{Kind: "code", Verdict: "APPROVED", By: "a person", Commit: commit, URL: page},
			},
			Collides: []string{"add-oauth and louder: auth#R1 was edited on both sides"},
		},
		"pull-empty.md": templates.PullBody{Change: "add-oauth", Branch: "agentd/add-oauth", Phase: "proposed", Calls: 1},
		"review.md": templates.ReviewHead{
			Title: "Challenge", Round: 2, Verdict: "APPROVED", Findings: "0 high, 0 medium, 1 low", By: "codex/gpt-5.2-codex/medium",
			Subject: "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689", Commit: commit, URL: page,
		},
		"decision.md": templates.ReviewHead{Title: "The plan", Verdict: "APPROVED", By: "a person", Commit: commit, URL: page},
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) { golden(t, filepath.Join("testdata", "github", name), text.Render()) })
	}
}
