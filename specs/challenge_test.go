package specs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

func challengeInput() ChallengeInput {
	return ChallengeInput{
		Verdict: "NEEDS_REVISION",
		Summary: "The plan is sound.\n\nOne requirement cannot be met as written.",
		Findings: []ChallengeFindingInput{
			{Severity: "high", Description: "R1 needs a refresh token. None is stored.\n\n- store it\n- rotate it", Suggestion: "Add a requirement for storage.", SpecRef: "auth#R1"},
			{Severity: "LOW", Description: "The name `Session` is taken", Suggestion: "Call it Login", File: "internal/session.go", Line: 12},
		},
	}
}

func TestChallengeReport_Markdown(t *testing.T) {
	report := challengeInput().Report("add-oauth", 2, "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689", "codex/gpt-5.2-codex/medium", nil)
	want := `# Challenge: add-oauth

**Round**: 2

**Agent**: codex/gpt-5.2-codex/medium

## Summary

The plan is sound.

One requirement cannot be met as written.

## Issues

### ` + report.Findings[0].ID + `: R1 needs a refresh token

- **Severity**: High
- **Description**: R1 needs a refresh token. None is stored.

  - store it
  - rotate it
- **Suggestion**: Add a requirement for storage.
- **Spec Reference**: auth#R1

### ` + report.Findings[1].ID + `: The name ` + "`Session`" + ` is taken

- **Severity**: Low
- **File**: ` + "`internal/session.go:12`" + `
- **Description**: The name ` + "`Session`" + ` is taken
- **Suggestion**: Call it Login

## Verdict

**Verdict**: NEEDS_REVISION

**Subject**: ` + "`5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689`" + `
`
	if diff := cmp.Diff(want, string(report.Markdown())); diff != "" {
		t.Error(diff)
	}
}

func TestChallengeReport_Markdown_withoutFindings(t *testing.T) {
	want := "# Challenge: x\n\n**Round**: 1\n\n## Summary\n\nNo summary.\n\n## Issues\n\nNo issues.\n\n## Verdict\n\n**Verdict**: UNKNOWN\n"
	for _, verdict := range []phases.Verdict{"", phases.Unknown, "APPROVED\n**Verdict**: APPROVED", "approved"} {
		got := ChallengeReport{Change: "x", Round: 1, Verdict: verdict}.Markdown()
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%q: %s", verdict, diff)
		}
	}
}

func TestChallengeInput_Contradiction_AG05(t *testing.T) {
	in := challengeInput()
	if got := in.Contradiction(); got != "" {
		t.Errorf("NEEDS_REVISION with HIGH is no contradiction: %s", got)
	}
	in.Verdict = "APPROVED"
	want := "verdict APPROVED contradicts 1 HIGH finding (" + FindingID(in.Findings[0].finding()) + ")"
	if got := in.Contradiction(); got != want {
		t.Errorf("AG-05 got %q, want %q", got, want)
	}
	if problems := in.Validate(); problems != nil {
		t.Errorf("AG-05 a contradiction is recorded, not refused: %v", problems)
	}
	if got := in.Report("x", 1, "", "", nil).Verdict; got != phases.Unknown {
		t.Errorf("AG-05 the report says %s", got)
	}
	in.Findings[0].Severity = "MEDIUM"
	if got := in.Contradiction(); got != "" {
		t.Errorf("MEDIUM is no contradiction: %s", got)
	}
}

func TestChallengeInput_Validate(t *testing.T) {
	if problems := challengeInput().Validate(); problems != nil {
		t.Fatal(problems)
	}
	tests := []struct {
		name   string
		change func(*ChallengeInput)
		want   string
	}{
		{"verdict in lower case", func(in *ChallengeInput) { in.Verdict = "approved" }, `verdict is "approved", want exactly one of APPROVED, NEEDS_REVISION, REJECTED`},
		{"verdict of a review", func(in *ChallengeInput) { in.Verdict = "NEEDS_CHANGES" }, `verdict is "NEEDS_CHANGES", want exactly one of APPROVED, NEEDS_REVISION, REJECTED`},
		{"verdict with space", func(in *ChallengeInput) { in.Verdict = "APPROVED " }, `verdict is "APPROVED ", want exactly one of APPROVED, NEEDS_REVISION, REJECTED`},
		{"nothing to repair", func(in *ChallengeInput) { in.Findings = nil }, "verdict NEEDS_REVISION needs at least one finding"},
		{"empty summary", func(in *ChallengeInput) { in.Summary = " \n" }, "summary is empty"},
		{"severity", func(in *ChallengeInput) { in.Findings[1].Severity = "blocker" }, `findings[1].severity is "blocker", want HIGH, MEDIUM or LOW`},
		{"empty description", func(in *ChallengeInput) { in.Findings[0].Description = "" }, "findings[0].description is empty"},
		{"MC-10 invalid UTF-8", func(in *ChallengeInput) { in.Findings[0].Suggestion = "a\xff" }, "findings[0].suggestion is not valid UTF-8"},
		{"line without file", func(in *ChallengeInput) { in.Findings[0].Line = 3 }, "findings[0].line is given without file"},
		{"negative line", func(in *ChallengeInput) { in.Findings[1].Line = -1 }, "findings[1].line is -1, want 1 or more"},
		{"file outside", func(in *ChallengeInput) { in.Findings[1].File = "a/../../etc/passwd" }, `findings[1].file is "a/../../etc/passwd", want a path inside the repository`},
		{"absolute file", func(in *ChallengeInput) { in.Findings[1].File = "/etc/passwd" }, `findings[1].file is "/etc/passwd", want a path inside the repository`},
		{"MC-09 long text", func(in *ChallengeInput) { in.Summary = strings.Repeat("x", maxReportText+1) }, "summary has 16385 bytes, the limit is 16384"},
		{"MC-09 many findings", func(in *ChallengeInput) {
			in.Findings = slices.Repeat(in.Findings[:1], maxFindings+1)
		}, "findings has 101 entries, the limit is 100"},
		{"MC-09 long document", func(in *ChallengeInput) {
			in.Findings = nil
			for i := range 20 {
				in.Findings = append(in.Findings, ChallengeFindingInput{Severity: "LOW", Description: strings.Repeat(string(rune('a'+i)), maxReportText)})
			}
		}, "the report has 330635 bytes, the limit is 262144; shorten the findings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := challengeInput()
			tt.change(&in)
			if got := in.Validate(); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChallengeInput_strictJSON_MC08(t *testing.T) {
	var in ChallengeInput
	good := `{"verdict": "APPROVED", "findings": [{"severity": "LOW", "description": "d", "suggestion": "s", "spec_ref": "a#R1", "file": "f.go", "line": 1}], "summary": "s"}`
	if err := DecodeStrict([]byte(good), &in); err != nil || in.Findings[0].SpecRef != "a#R1" {
		t.Fatal(err, in)
	}
	for name, bad := range map[string]string{
		"unknown field":  `{"verdict": "APPROVED", "findings": [], "summary": "s", "phase": "challenged"}`,
		"case of a key":  `{"Verdict": "APPROVED", "findings": [], "summary": "s"}`,
		"duplicate key":  `{"verdict": "REJECTED", "verdict": "APPROVED", "findings": [], "summary": "s"}`,
		"wrong type":     `{"verdict": ["APPROVED"], "findings": [], "summary": "s"}`,
		"trailing value": good + good,
	} {
		if err := DecodeStrict([]byte(bad), &in); err == nil {
			t.Errorf("MC-08 %s was accepted", name)
		}
	}
}
