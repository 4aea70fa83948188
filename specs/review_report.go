package specs

import (
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// Markdown writes REVIEW.md.
// Free text stands in it as text: only the headings and the verdict are structure, and those are ours.
func (r ReviewReport) Markdown() []byte {
	var doc report
	doc.head("Review", r.Change, r.Round, r.Agent)
	doc.section("Summary")
	doc.text(r.Summary, "No summary.")
	doc.evidence(r.Evidence)
	doc.security(r.Evidence)
	doc.coverage(r.Coverage)
	doc.issues(r.Findings)
	if r.NextSteps != "" {
		doc.section("Next Steps")
		doc.text(r.NextSteps, "None.")
	}
	return doc.verdict(r.Verdict, r.Subject, r.Diff)
}

// evidence lists the checks that we ran: command, exit, duration.
func (r *report) evidence(evidence []phases.Evidence) {
	r.section("Evidence")
	var lines []string
	for _, e := range evidence {
		if e.Kind != phases.Scan {
			lines = append(lines, "- "+codeSpan(e.Command)+": "+outcome(e))
		}
	}
	if lines == nil {
		lines = []string{"No check was run."}
	}
	r.block(lines...)
}

// security lists the scans. A scan that did not run has found nothing out.
func (r *report) security(evidence []phases.Evidence) {
	r.section("Security")
	var lines []string
	for _, e := range evidence {
		if e.Kind == phases.Scan {
			lines = append(lines, "- "+codeSpan(e.Command)+": "+outcome(e))
		}
	}
	if lines == nil {
		lines = []string{"Not run."}
	}
	r.block(lines...)
}

func outcome(e phases.Evidence) string {
	if e.NotRun {
		return "not run"
	}
	return fmt.Sprintf("exit %d in %s", e.Exit, time.Duration(e.Millis)*time.Millisecond)
}

func (r *report) coverage(coverage []RequirementCoverage) {
	if len(coverage) == 0 {
		return
	}
	r.section("Requirement Coverage")
	lines := make([]string, len(coverage))
	for i, c := range coverage {
		lines[i] = "- **" + plainLine(c.Requirement) + "**: " + plainLine(string(c.Status))
		if note := plainLine(c.Note); note != "" {
			lines[i] += " – " + note
		}
	}
	r.block(lines...)
}
