package templates

// JobSummary is what a job of a workflow leaves on the page of its run. Words of a model, of a pull request
// and of programs come into it sanitized.
type JobSummary struct {
	Change   string
	Pull     int
	Error    string
	Skipped  string
	Recorded string // of what people said
	Warnings []string

	Phase, Verdict string
	Step           string
	Round          int
	Cost           string
	URL            string // of the review

	Summary  string // Markdown
	Findings []SummaryFinding
	More     int // findings that are left out
	Evidence []string
	Changes  []SummaryChange // that wait for a verdict
}

// SummaryFinding is one row of the findings.
type SummaryFinding struct{ Severity, Place, Text string }

// SummaryChange is one change that waits.
type SummaryChange struct {
	Change string
	Pull   int
	Wants  string
}

// Render is the text, the same bytes for the same value.
func (s JobSummary) Render() string { return renderGitHub("summary.md", s) }
