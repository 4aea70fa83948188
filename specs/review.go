package specs

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// ReviewInput is what the tool create_review takes: the verdict of a code review.
type ReviewInput struct {
	ChangeID  string               `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Verdict   string               `json:"verdict" jsonschema:"APPROVED, NEEDS_CHANGES or MAJOR_ISSUES"`
	Findings  []ReviewFindingInput `json:"findings" jsonschema:"every issue, the most severe first; empty if there is none"`
	Coverage  []CoverageInput      `json:"requirement_coverage,omitempty" jsonschema:"one entry per requirement of the change"`
	Summary   string               `json:"summary" jsonschema:"what was judged and why the verdict is what it is"`
	NextSteps string               `json:"next_steps,omitempty" jsonschema:"what should happen now"`
}

// ReviewFindingInput is one finding of a ReviewInput.
type ReviewFindingInput struct {
	ID             string `json:"id,omitempty" jsonschema:"the id of a finding of an earlier round, if this is the same one"`
	Severity       string `json:"severity" jsonschema:"HIGH, MEDIUM or LOW"`
	Category       string `json:"category" jsonschema:"such as requirement, correctness, security, performance, tests, style"`
	Title          string `json:"title"`
	Description    string `json:"description"`
	File           string `json:"file,omitempty" jsonschema:"relative to the root of the repository"`
	Line           int    `json:"line,omitempty"`
	Recommendation string `json:"recommendation" jsonschema:"what would resolve it"`
}

// CoverageInput says how the code meets one requirement.
type CoverageInput struct {
	Requirement string `json:"requirement" jsonschema:"<spec>#R1"`
	Status      string `json:"status" jsonschema:"covered, partial or missing"`
	Note        string `json:"note,omitempty" jsonschema:"where, or what is missing"`
}

// Validate returns what the agent must correct before the verdict counts, nil if nothing.
// A contradiction is not among it: see Contradiction.
func (in ReviewInput) Validate() []string {
	var c reportComplaints
	c.verdict(in.Verdict, phases.Approved, phases.NeedsChanges, phases.MajorIssues)
	c.summary(in.Summary)
	c.text("next_steps", in.NextSteps, maxReportText)
	c.count(len(in.Findings), in.Verdict)
	for i, f := range in.Findings {
		place := fmt.Sprintf("findings[%d]", i)
		c.finding(place, f.finding())
		c.severity(place, f.Severity)
		c.required(place+".title", f.Title)
		c.required(place+".category", f.Category)
	}
	if len(in.Coverage) > maxCoverage {
		c.addf("requirement_coverage has %d entries, the limit is %d", len(in.Coverage), maxCoverage)
	}
	for i, covered := range in.Coverage {
		c.coverage(fmt.Sprintf("requirement_coverage[%d]", i), covered)
	}
	if len(c.complaints) == 0 {
		c.document(in.Report("", 0, "", "", "", nil).Markdown())
	}
	return c.complaints
}

// Contradiction says why the verdict cannot be believed although it is well formed,
// "" if it can: an approval with a HIGH finding, or of code that misses a requirement, approves nothing.
func (in ReviewInput) Contradiction() string {
	if text := contradiction(in.Verdict, in.findings(nil)); text != "" {
		return text
	}
	if in.Verdict != string(phases.Approved) {
		return ""
	}
	var missing []string
	for _, covered := range in.Coverage {
		if covered.Status == string(CoverageMissing) {
			missing = append(missing, covered.Requirement)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("verdict APPROVED contradicts %d missing %s (%s)",
		len(missing), plural(len(missing), "requirement"), strings.Join(missing, ", "))
}

// ParsedVerdict returns the verdict, Unknown for anything but the exact words.
func (in ReviewInput) ParsedVerdict() phases.Verdict {
	return phases.ParseReviewVerdict(in.Verdict)
}

// Report makes the review of a round: known are the ids of findings of earlier rounds,
// subject is the code tree that was read, and diff the digest of its difference to the base.
// The evidence is added by whoever ran it.
// A verdict that contradicts its findings becomes Unknown in the report.
func (in ReviewInput) Report(change string, round int, subject, diff, agent string, known []string) ReviewReport {
	report := ReviewReport{
		Change: change, Round: round, Verdict: in.ParsedVerdict(), Summary: in.Summary,
		Findings: in.findings(known), Subject: subject, Diff: diff, Agent: agent,
		NextSteps: in.NextSteps,
	}
	for _, covered := range in.Coverage {
		report.Coverage = append(report.Coverage, RequirementCoverage{
			Requirement: covered.Requirement, Status: CoverageStatus(covered.Status), Note: covered.Note,
		})
	}
	if in.Contradiction() != "" {
		report.Verdict = phases.Unknown
	}
	return report
}

func (in ReviewInput) findings(known []string) []Finding {
	findings := make([]Finding, len(in.Findings))
	for i, f := range in.Findings {
		findings[i] = f.finding()
	}
	return nameFindings(findings, known)
}

func (f ReviewFindingInput) finding() Finding {
	severity, _ := ParseSeverity(f.Severity) // Validate has refused what is none
	return Finding{
		ID: f.ID, Severity: severity, Category: f.Category, Title: f.Title,
		Description: f.Description, Suggestion: f.Recommendation, File: f.File, Line: f.Line,
	}
}

// CoverageStatus says how far the code meets a requirement.
type CoverageStatus string

// The three answers.
const (
	CoverageCovered CoverageStatus = "covered"
	CoveragePartial CoverageStatus = "partial"
	CoverageMissing CoverageStatus = "missing"
)

// RequirementCoverage is one line of a review's coverage.
type RequirementCoverage struct {
	Requirement string // "<spec>#R1"
	Status      CoverageStatus
	Note        string
}

// ReviewReport is REVIEW.md: the newest review, for readers. Nothing is decided from it.
type ReviewReport struct {
	Change    string
	Round     int
	Verdict   phases.Verdict
	Summary   string
	Findings  []Finding
	Evidence  []phases.Evidence // what we ran ourselves on the exact tree
	Coverage  []RequirementCoverage
	NextSteps string
	Subject   string // code tree
	Diff      string
	Agent     string
}
