package specs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/phases"
)

func reviewInput() ReviewInput {
	return ReviewInput{
		Verdict: "NEEDS_CHANGES",
		Summary: "Login works.",
		Findings: []ReviewFindingInput{
			{Severity: "MEDIUM", Category: "tests", Title: "Expiry is not tested", Description: "No test lets a token expire.", File: "auth_test.go", Recommendation: "Add one."},
		},
		Coverage: []CoverageInput{
			{Requirement: "auth#R1", Status: "covered", Note: "auth.go"},
			{Requirement: "auth#R2", Status: "missing"},
		},
		NextSteps: "Test expiry.",
	}
}

func TestReviewReport_Markdown(t *testing.T) {
	report := reviewInput().Report("add-oauth", 1, "ab12", "cd34", "codex/m/high", nil)
	report.Evidence = []phases.Evidence{
		{Exit: 0, Millis: 5210, Command: "go test ./..."},
		{Exit: 1, Millis: 90, Command: "echo `date`"},
		{Kind: phases.Scan, Command: "govulncheck ./...", NotRun: true},
	}
	want := `# Review: add-oauth

**Round**: 1

**Agent**: codex/m/high

## Summary

Login works.

## Evidence

- ` + "`go test ./...`" + `: exit 0 in 5.21s
- ` + "`` echo `date` ``" + `: exit 1 in 90ms

## Security

- ` + "`govulncheck ./...`" + `: not run

## Requirement Coverage

- **auth#R1**: covered – auth.go
- **auth#R2**: missing

## Issues

### ` + report.Findings[0].ID + `: Expiry is not tested

- **Severity**: Medium
- **Category**: tests
- **File**: ` + "`auth_test.go`" + `
- **Description**: No test lets a token expire.
- **Suggestion**: Add one.

## Next Steps

Test expiry.

## Verdict

**Verdict**: NEEDS_CHANGES

**Subject**: ` + "`ab12`" + `

**Diff**: ` + "`cd34`" + `
`
	if diff := cmp.Diff(want, string(report.Markdown())); diff != "" {
		t.Error(diff)
	}
}

// A scan that did not run is never shown as clean, and no evidence is said to be none.
func TestReviewReport_Markdown_withoutEvidence(t *testing.T) {
	want := "# Review: x\n\n**Round**: 1\n\n## Summary\n\nNo summary.\n\n## Evidence\n\nNo check was run.\n\n## Security\n\nNot run.\n\n## Issues\n\nNo issues.\n\n## Verdict\n\n**Verdict**: APPROVED\n"
	got := ReviewReport{Change: "x", Round: 1, Verdict: phases.Approved}.Markdown()
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestReviewInput_Contradiction_AG05(t *testing.T) {
	in := reviewInput()
	if got := in.Contradiction(); got != "" {
		t.Errorf("NEEDS_CHANGES: %s", got)
	}
	in.Verdict = "APPROVED"
	if got := in.Contradiction(); got != "verdict APPROVED contradicts 1 missing requirement (auth#R2)" {
		t.Errorf("AG-05 %q", got)
	}
	if got := in.Report("x", 1, "", "", "", nil).Verdict; got != phases.Unknown {
		t.Errorf("AG-05 the report says %s", got)
	}
	in.Coverage = nil
	in.Findings[0].Severity = "HIGH"
	if got, want := in.Contradiction(), "verdict APPROVED contradicts 1 HIGH finding ("+FindingID(in.Findings[0].finding())+")"; got != want {
		t.Errorf("AG-05 got %q, want %q", got, want)
	}
}

func TestReviewInput_Validate(t *testing.T) {
	if problems := reviewInput().Validate(); problems != nil {
		t.Fatal(problems)
	}
	tests := []struct {
		name   string
		change func(*ReviewInput)
		want   string
	}{
		{"verdict of a challenge", func(in *ReviewInput) { in.Verdict = "NEEDS_REVISION" }, `verdict is "NEEDS_REVISION", want exactly one of APPROVED, NEEDS_CHANGES, MAJOR_ISSUES`},
		{"no title", func(in *ReviewInput) { in.Findings[0].Title = "" }, "findings[0].title is empty"},
		{"no category", func(in *ReviewInput) { in.Findings[0].Category = "" }, "findings[0].category is empty"},
		{"coverage status", func(in *ReviewInput) { in.Coverage[0].Status = "yes" }, `requirement_coverage[0].status is "yes", want covered, partial or missing`},
		{"coverage of nothing", func(in *ReviewInput) { in.Coverage[0].Requirement = "" }, "requirement_coverage[0].requirement is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := reviewInput()
			tt.change(&in)
			if got := in.Validate(); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSelfReviewInput_Validate(t *testing.T) {
	tests := []struct {
		in     SelfReviewInput
		passed bool
		ok     bool
	}{
		{SelfReviewInput{Result: "PASS"}, true, true},
		{SelfReviewInput{Result: "NEEDS_REVISION", Issues: []string{"R2 has no scenario"}}, false, true},
		{SelfReviewInput{}, false, false},
		{SelfReviewInput{Result: "pass"}, false, false},
		{SelfReviewInput{Result: "PASS", Issues: []string{"but"}}, true, false},
		{SelfReviewInput{Result: "NEEDS_REVISION"}, false, false},
		{SelfReviewInput{Result: "NEEDS_REVISION", Issues: []string{""}}, false, false},
	}
	for _, tt := range tests {
		if got := tt.in.Validate(); (got == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.in, got)
		}
		if got := tt.in.Passed(); got != tt.passed {
			t.Errorf("%+v: passed %v", tt.in, got)
		}
	}
}
