package specs

import (
	"strconv"
	"strings"
)

var (
	issueHeading = lazy(`^### (F-[0-9a-f]+): (.*)$`)
	issueBullet  = lazy(`^- \*\*([A-Za-z ]+)\*\*:(?: (.*))?$`)
)

// ReadFindings reads the findings back from a report in the form that Markdown writes.
// It serves the next round's prompt and readers; nothing is ever decided by it.
// What is not in that form has no findings.
func ReadFindings(src []byte) []Finding {
	var found []Finding
	field, in := "", false
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		switch heading := issueHeading().FindStringSubmatch(line); {
		case strings.HasPrefix(line, "## "):
			in, field = line == "## Issues", ""
		case !in:
		case heading != nil:
			found, field = append(found, Finding{ID: heading[1], Title: heading[2], Severity: Low}), ""
		case len(found) > 0:
			if bullet := issueBullet().FindStringSubmatch(line); bullet != nil {
				field = bullet[1]
				found[len(found)-1].read(field, bullet[2])
			} else if text, more := strings.CutPrefix(line, "  "); more && field != "" {
				found[len(found)-1].read(field, text)
			}
		}
	}
	return found
}

// ReadSummary reads the summary back from a report in the form that Markdown writes, for readers as ReadFindings does;
// "" where there is none.
func ReadSummary(src []byte) string {
	var text strings.Builder
	in := false
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "## ") {
			in = line == "## Summary"
			continue
		}
		if in {
			text.WriteString(line + "\n")
		}
	}
	return strings.TrimSpace(text.String())
}

// read takes one line of a labelled bullet into the finding.
func (f *Finding) read(label, text string) {
	join := func(into *string) {
		if *into != "" {
			text = *into + "\n" + text
		}
		*into = text
	}
	switch label {
	case "Severity":
		if severity, err := ParseSeverity(text); err == nil {
			f.Severity = severity
		}
	case "Category":
		join(&f.Category)
	case "Description":
		join(&f.Description)
	case "Suggestion":
		join(&f.Suggestion)
	case "Spec Reference":
		join(&f.SpecRef)
	case "File":
		f.File = strings.Trim(text, "`")
		if path, line, ok := strings.Cut(f.File, ":"); ok {
			if n, err := strconv.Atoi(line); err == nil {
				f.File, f.Line = path, n
			}
		}
	}
}
