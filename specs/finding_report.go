package specs

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// report builds a document section by section, with one blank line between blocks.
type report struct{ b strings.Builder }

// block writes lines as one block.
func (r *report) block(lines ...string) {
	if len(lines) == 0 {
		return
	}
	if r.b.Len() > 0 {
		r.b.WriteByte('\n')
	}
	for _, line := range lines {
		r.b.WriteString(line)
		r.b.WriteByte('\n')
	}
}

// fact writes "**Label**: value" as a paragraph of its own, nothing for an empty value.
func (r *report) fact(label, value string) {
	if value != "" {
		r.block("**" + label + "**: " + value)
	}
}

// section writes a heading of the second level.
func (r *report) section(title string) { r.block("## " + title) }

// text writes free text, and instead where there is none.
func (r *report) text(text, instead string) {
	lines := plainBlock(text)
	if len(lines) == 0 {
		lines = []string{instead}
	}
	r.block(lines...)
}

// head begins a report.
func (r *report) head(title, change string, round int, agent string) {
	r.block("# " + title + ": " + plainLine(change))
	r.fact("Round", fmt.Sprint(round))
	r.fact("Agent", plainLine(agent))
}

// issues writes the findings under one heading each.
func (r *report) issues(findings []Finding) {
	r.section("Issues")
	if len(findings) == 0 {
		r.block("No issues.")
	}
	for _, f := range findings {
		title := plainLine(f.Title)
		if title == "" {
			title = plainLine(firstSentence(f.Description))
		}
		r.block("### " + plainLine(f.ID) + ": " + title)
		lines := bullet("Severity", f.Severity.Title())
		lines = append(lines, bullet("Category", f.Category)...)
		lines = append(lines, bulletCode("File", place(f))...)
		lines = append(lines, bullet("Description", f.Description)...)
		lines = append(lines, bullet("Suggestion", f.Suggestion)...)
		lines = append(lines, bullet("Spec Reference", f.SpecRef)...)
		r.block(lines...)
	}
}

// verdict ends a report. The section holds nothing but words of ours.
func (r *report) verdict(verdict phases.Verdict, subject, diff string) []byte {
	r.section("Verdict")
	r.fact("Verdict", string(writtenVerdict(verdict)))
	r.fact("Subject", codeSpan(subject))
	r.fact("Diff", codeSpan(diff))
	return []byte(r.b.String())
}

// writtenVerdict is UNKNOWN for whatever is none of the words.
func writtenVerdict(verdict phases.Verdict) phases.Verdict {
	switch verdict {
	case phases.Approved, phases.NeedsRevision, phases.VerdictRejected, phases.NeedsChanges, phases.MajorIssues:
		return verdict
	default:
		return phases.Unknown
	}
}

// bullet writes "- **Label**: text"; further lines of the text are indented into the bullet.
func bullet(label, text string) []string {
	lines := plainBlock(text)
	if len(lines) == 0 {
		return nil
	}
	head := "- **" + label + "**:"
	if listItem().MatchString(lines[0]) {
		lines = append([]string{head}, indent(lines)...)
		return lines
	}
	lines[0] = head + " " + lines[0]
	return append(lines[:1], indent(lines[1:])...)
}

func bulletCode(label, text string) []string {
	if span := codeSpan(text); span != "" {
		return []string{"- **" + label + "**: " + span}
	}
	return nil
}

func indent(lines []string) []string {
	for i, line := range lines {
		if line != "" {
			lines[i] = "  " + line
		}
	}
	return lines
}

// place is "file:line" as far as it is known.
func place(f Finding) string {
	if f.File != "" && f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}
