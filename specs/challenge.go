package specs

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// ChallengeInput is what the tool append_review takes: the verdict of a challenge.
type ChallengeInput struct {
	ChangeID string                  `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Verdict  string                  `json:"verdict" jsonschema:"APPROVED, NEEDS_REVISION or REJECTED"`
	Findings []ChallengeFindingInput `json:"findings" jsonschema:"every issue, the most severe first; empty if there is none"`
	Summary  string                  `json:"summary" jsonschema:"what was judged and why the verdict is what it is"`
}

// ChallengeFindingInput is one finding of a ChallengeInput.
type ChallengeFindingInput struct {
	ID          string `json:"id,omitempty" jsonschema:"the id of a finding of an earlier round, if this is the same one"`
	Severity    string `json:"severity" jsonschema:"HIGH, MEDIUM or LOW"`
	Description string `json:"description"`
	Suggestion  string `json:"suggestion" jsonschema:"what would resolve it"`
	SpecRef     string `json:"spec_ref,omitempty" jsonschema:"<spec>#R1"`
	File        string `json:"file,omitempty" jsonschema:"relative to the root of the repository"`
	Line        int    `json:"line,omitempty"`
}

// Validate returns what the agent must correct before the verdict counts, nil if nothing.
// A contradiction is not among it: see Contradiction.
func (in ChallengeInput) Validate() []string {
	var c reportComplaints
	c.verdict(in.Verdict, phases.Approved, phases.NeedsRevision, phases.VerdictRejected)
	c.summary(in.Summary)
	c.count(len(in.Findings), in.Verdict)
	for i, f := range in.Findings {
		c.finding(fmt.Sprintf("findings[%d]", i), f.finding())
		c.severity(fmt.Sprintf("findings[%d]", i), f.Severity)
	}
	if len(c.complaints) == 0 {
		c.document(in.Report("", 0, "", "", nil).Markdown())
	}
	return c.complaints
}

// Contradiction says why the verdict cannot be believed although it is well formed,
// "" if it can: an approval with a HIGH finding approves nothing.
func (in ChallengeInput) Contradiction() string {
	return contradiction(in.Verdict, in.findings(nil))
}

// ParsedVerdict returns the verdict, Unknown for anything but the exact words.
func (in ChallengeInput) ParsedVerdict() phases.Verdict {
	return phases.ParseChallengeVerdict(in.Verdict)
}

// Report makes the challenge of a round: known are the ids of findings of earlier rounds,
// subject is the plan tree that was read.
// A verdict that contradicts its findings becomes Unknown in the report.
func (in ChallengeInput) Report(change string, round int, subject, agent string, known []string) ChallengeReport {
	report := ChallengeReport{
		Change: change, Round: round, Verdict: in.ParsedVerdict(), Summary: in.Summary,
		Findings: in.findings(known), Subject: subject, Agent: agent,
	}
	if in.Contradiction() != "" {
		report.Verdict = phases.Unknown
	}
	return report
}

func (in ChallengeInput) findings(known []string) []Finding {
	findings := make([]Finding, len(in.Findings))
	for i, f := range in.Findings {
		findings[i] = f.finding()
	}
	return nameFindings(findings, known)
}

func (f ChallengeFindingInput) finding() Finding {
	severity, _ := ParseSeverity(f.Severity) // Validate has refused what is none
	return Finding{
		ID: f.ID, Severity: severity, Title: firstSentence(f.Description),
		Description: f.Description, Suggestion: f.Suggestion,
		SpecRef: f.SpecRef, File: f.File, Line: f.Line,
	}
}

// contradiction names the HIGH findings of an approval.
func contradiction(verdict string, findings []Finding) string {
	if verdict != string(phases.Approved) {
		return ""
	}
	var high []string
	for _, f := range findings {
		if f.Severity == High {
			high = append(high, f.ID)
		}
	}
	if len(high) == 0 {
		return ""
	}
	return fmt.Sprintf("verdict APPROVED contradicts %d HIGH %s (%s)",
		len(high), plural(len(high), "finding"), strings.Join(high, ", "))
}

// ChallengeReport is CHALLENGE.md: the newest challenge, for readers. Nothing is decided from it.
type ChallengeReport struct {
	Change   string
	Round    int
	Verdict  phases.Verdict
	Summary  string
	Findings []Finding
	Subject  string // plan tree
	Agent    string // such as "codex/gpt-5.2-codex/medium"
}
