package specs

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentd/gh-agentd/phases"
)

// Limits of what an agent may hand over with a verdict, besides MaxDocument for the whole report.
const (
	maxFindings   = 100
	maxCoverage   = 500
	maxReportText = 16 << 10 // one summary, description, suggestion or note
	maxReportLine = 512      // one title, category, reference or path
)

// reportComplaints collects what is wrong with a verdict and its findings.
type reportComplaints struct{ complaints }

// verdict accepts the exact words only.
func (c *reportComplaints) verdict(got string, allowed ...phases.Verdict) {
	if slices.Contains(allowed, phases.Verdict(got)) {
		return
	}
	words := make([]string, len(allowed))
	for i, verdict := range allowed {
		words[i] = string(verdict)
	}
	c.addf("verdict is %q, want exactly one of %s", excerpt(got), strings.Join(words, ", "))
}

func (c *reportComplaints) summary(text string) {
	c.required("summary", text)
	c.text("summary", text, maxReportText)
}

// count refuses too many findings, and none where the verdict asks for a repair:
// nobody could tell what to repair.
func (c *reportComplaints) count(n int, verdict string) {
	if n > maxFindings {
		c.addf("findings has %d entries, the limit is %d", n, maxFindings)
	}
	if n == 0 && verdict != string(phases.Approved) {
		c.addf("verdict %s needs at least one finding", excerpt(verdict))
	}
}

func (c *reportComplaints) finding(place string, f Finding) {
	c.required(place+".description", f.Description)
	c.text(place+".description", f.Description, maxReportText)
	c.text(place+".suggestion", f.Suggestion, maxReportText)
	for _, line := range []struct{ name, text string }{
		{"id", f.ID}, {"category", f.Category}, {"title", f.Title}, {"spec_ref", f.SpecRef}, {"file", f.File},
	} {
		c.text(place+"."+line.name, line.text, maxReportLine)
	}
	if f.Line < 0 {
		c.addf("%s.line is %d, want 1 or more", place, f.Line)
	}
	if f.Line > 0 && f.File == "" {
		c.addf("%s.line is given without file", place)
	}
	if f.File != "" && !insideRepository(f.File) {
		c.addf("%s.file is %q, want a path inside the repository", place, excerpt(f.File))
	}
}

func (c *reportComplaints) severity(place, text string) {
	if _, err := ParseSeverity(text); err != nil {
		c.addf("%s.severity is %q, want HIGH, MEDIUM or LOW", place, excerpt(text))
	}
}

func (c *reportComplaints) coverage(place string, in CoverageInput) {
	c.required(place+".requirement", in.Requirement)
	c.text(place+".requirement", in.Requirement, maxReportLine)
	c.text(place+".note", in.Note, maxReportText)
	if !slices.Contains([]CoverageStatus{CoverageCovered, CoveragePartial, CoverageMissing}, CoverageStatus(in.Status)) {
		c.addf("%s.status is %q, want covered, partial or missing", place, excerpt(in.Status))
	}
}

// document refuses a report that nobody could read again.
func (c *reportComplaints) document(markdown []byte) {
	if len(markdown) > MaxDocument {
		c.addf("the report has %d bytes, the limit is %d; shorten the findings", len(markdown), MaxDocument)
	}
}

func (c *reportComplaints) required(name, text string) {
	if strings.TrimSpace(text) == "" {
		c.addf("%s is empty", name)
	}
}

func (c *reportComplaints) text(name, text string, limit int) {
	if len(text) > limit {
		c.addf("%s has %d bytes, the limit is %d", name, len(text), limit)
	}
	if !utf8.ValidString(text) {
		c.addf("%s is not valid UTF-8", name)
	}
}

// insideRepository reports whether a path stays below the root it is relative to.
func insideRepository(name string) bool {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	windows := len(clean) > 1 && clean[1] == ':'
	return !path.IsAbs(clean) && !windows && clean != ".." && !strings.HasPrefix(clean, "../")
}

// excerpt keeps a message short when the value it quotes is not.
func excerpt(s string) string {
	const limit = 60
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
