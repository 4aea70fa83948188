package specs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// ReportFacts are what a CHALLENGE.md or REVIEW.md of ours says outside its free text.
// They decide nothing: they can only contradict the record that they were written with.
type ReportFacts struct {
	Round    int
	Agent    string
	Verdict  phases.Verdict // "" where the report has none, or more than one
	Subject  string
	Findings phases.Findings
}

// ReadReport reads a report in the form that Markdown writes.
// Free text in it was made harmless then: no line of it begins with a heading or a fact of ours.
func ReadReport(src []byte) ReportFacts {
	var facts ReportFacts
	section, verdicts := "", 0
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = title
			continue
		}
		label, value, ok := factOf(line)
		switch {
		case !ok:
		case section == "" && label == "Round":
			facts.Round, _ = strconv.Atoi(value)
		case section == "" && label == "Agent":
			facts.Agent = value
		case section != "Verdict":
		case label == "Verdict":
			facts.Verdict = phases.Verdict(value)
			verdicts++
		case label == "Subject":
			facts.Subject = strings.Trim(value, "`")
		}
	}
	if verdicts != 1 {
		facts.Verdict = ""
	}
	facts.Findings = CountFindings(ReadFindings(src))
	return facts
}

// factOf reads "**Label**: value".
func factOf(line string) (label, value string, ok bool) {
	rest, ok := strings.CutPrefix(line, "**")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "**: ")
}

// Contradicts says how the report contradicts the trailers of its own commit, as the end of a sentence about the report;
// "" where it bears them out.
func (f ReportFacts) Contradicts(t phases.Transition) string {
	var found phases.Findings
	if t.Findings != nil {
		found = *t.Findings
	}
	for _, fact := range []struct{ name, report, trailer string }{
		{"verdict", string(f.Verdict), string(t.Verdict)},
		{"round", strconv.Itoa(f.Round), strconv.Itoa(t.Round)},
		{"subject", f.Subject, t.Subject},
		{"agent", f.Agent, plainLine(t.Agent)},
		{"findings", f.Findings.String(), found.String()},
	} {
		if fact.report != fact.trailer {
			return fmt.Sprintf("says %s, the trailers say %s", worded(fact.name, fact.report), worded(fact.name, fact.trailer))
		}
	}
	return ""
}

func worded(name, value string) string {
	if value == "" {
		return "no " + name
	}
	return name + " " + excerpt(value)
}
