package cli

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
	"github.com/agentd/gh-agentd/workflow"
)

// jobPage is what a job leaves beside its log: outputs for other jobs, a summary, annotations.
type jobPage struct {
	*app
	outputs, summary *os.File // nil where the runner has none
	redactor         *proc.Redactor
}

// newJobPage opens the runner's files before anything is spent, and has everything redacted from here on.
func (a *app) newJobPage() (*jobPage, error) {
	p := &jobPage{app: a, redactor: a.redactor()}
	a.redact(p.redactor)
	for name, file := range map[string]**os.File{"GITHUB_OUTPUT": &p.outputs, "GITHUB_STEP_SUMMARY": &p.summary} {
		path := a.env.getenv(name)
		if path == "" {
			continue
		}
		var err error
		if *file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, nil
}

// finish writes all of it, and returns the job's error with what could not be written.
func (p *jobPage) finish(r workflow.JobResult, failed error) error {
	words := github.Sanitizer{Redact: p.redactor.String}
	if r.Words != nil {
		words = *r.Words
	}
	r.Skipped = p.named(r.Skipped)
	p.announce(r, failed)
	p.annotateJob(r, failed)
	return errors.Join(failed, p.writeOutputs(r), p.writeSummary(r, failed, words))
}

// announce says on standard output how the job ended.
func (p *jobPage) announce(r workflow.JobResult, failed error) {
	say := func(format string, args ...any) {
		fmt.Fprintln(p.streams.out, harmless(oneLine(fmt.Sprintf(format, args...))))
	}
	switch {
	case failed != nil:
	case r.Skipped != "":
		say("nothing to do: %s", brief(r.Skipped))
	case r.Recorded != "":
		say("%s: %s", r.Change, brief(r.Recorded))
	case r.Verdict != "":
		say("%s: %s of round %d: %s, %s", r.Change, r.Step, r.Round, r.Verdict, plural(len(r.Findings), "finding"))
	case r.Change == "":
		say("%s waiting for a verdict", plural(len(r.Changes), "pull request"))
	default:
		say("%s: %s", r.Change, r.Phase)
	}
	if r.ReviewURL != "" {
		say("%s", r.ReviewURL)
	}
}

// writeOutputs gives each value between lines of a word that nobody can know, so that no value ends its own text.
func (p *jobPage) writeOutputs(r workflow.JobResult) error {
	if p.outputs == nil {
		return nil
	}
	changes, err := json.Marshal(r.Changes)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, o := range []struct{ name, value string }{
		{"phase", phaseWord(r)}, {"verdict", string(r.Verdict)}, {"review-url", r.ReviewURL},
		{"result", r.Result}, {"skipped", r.Skipped}, {"changes", string(changes)},
	} {
		end := "agentd_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.name, end, o.value, end)
	}
	_, err = p.outputs.WriteString(b.String())
	return errors.Join(err, p.outputs.Close())
}

// phaseWord is the phase, "" where no history was read.
func phaseWord(r workflow.JobResult) string {
	if r.Phase == phases.None {
		return ""
	}
	return r.Phase.String()
}

// How much of what others wrote stands on the page: bytes of a line, of a text, and findings.
const (
	lineLimit    = 600
	summaryLimit = 8_000
	findingLimit = 50
)

func (p *jobPage) writeSummary(r workflow.JobResult, failed error, words github.Sanitizer) error {
	if p.summary == nil {
		return nil
	}
	page := templates.JobSummary{
		Change: r.Change, Pull: r.PullRequest, Skipped: words.Line(r.Skipped, lineLimit), Recorded: words.Line(r.Recorded, lineLimit),
		Phase: phaseWord(r), Verdict: string(r.Verdict), Step: string(r.Step), Round: r.Round, URL: r.ReviewURL,
		Summary: words.Text(r.Summary, summaryLimit),
	}
	if failed != nil {
		text, hint, _ := verdictOn(failed)
		page.Error = words.Line(text, lineLimit)
		if hint != "" {
			page.Error += " (" + words.Line(p.named(hint), lineLimit) + ")"
		}
	}
	if r.Unposted != "" {
		page.Warnings = append(page.Warnings, words.Line("not shown on the pull request: "+r.Unposted, lineLimit))
	}
	for _, warning := range r.Warnings {
		page.Warnings = append(page.Warnings, words.Line(warning, lineLimit))
	}
	if r.Usage.Calls > 0 {
		page.Cost = usedText(r.Usage)
	}
	for i, f := range r.Findings {
		if i == findingLimit {
			page.More = len(r.Findings) - i
			break
		}
		page.Findings = append(page.Findings, templates.SummaryFinding{
			Severity: f.Severity.String(), Place: words.Line(findingPlace(f), lineLimit), Text: words.Line(f.Description, lineLimit),
		})
	}
	for _, e := range r.Evidence {
		page.Evidence = append(page.Evidence, words.Line(e, lineLimit))
	}
	for _, c := range r.Changes {
		page.Changes = append(page.Changes, templates.SummaryChange{Change: c.Change, Pull: c.PullRequest, Wants: string(c.Mode)})
	}
	_, err := p.summary.WriteString(page.Render())
	return errors.Join(err, p.summary.Close())
}

// findingPlace is where a finding is: a line of a file, or a requirement.
func findingPlace(f specs.Finding) string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	case f.File != "":
		return f.File
	}
	return f.SpecRef
}

// annotateJob shows on the run's page what failed and what a person must know,
// and where the pull request could not be told, each finding at its line.
func (p *jobPage) annotateJob(r workflow.JobResult, failed error) {
	if !p.inActions() {
		return
	}
	say := func(level, place, title, text string) {
		fmt.Fprintf(p.env.Err, "::%s %stitle=%s::%s\n", level, place, property("gh-agentd"+title), data(harmless(text)))
	}
	if r.Violations != nil {
		p.annotate(*r.Violations)
	}
	if failed != nil {
		text, hint, _ := verdictOn(failed)
		say("error", "", "", brief(text)+"\n"+brief(p.named(hint)))
	}
	for _, warning := range r.Warnings {
		say("warning", "", "", brief(warning))
	}
	if r.Unposted == "" {
		return
	}
	say("warning", "", "", brief("not shown on the pull request: "+r.Unposted))
	for i, f := range r.Findings {
		if i == findingLimit {
			break
		}
		place := ""
		if f.File != "" {
			place = fmt.Sprintf("file=%s,line=%d,", property(brief(f.File)), max(f.Line, 1))
		}
		say("warning", place, ": "+f.Severity.String(), brief(f.Description))
	}
}

// brief is others' text in one line of a log.
func brief(text string) string {
	if text = oneLine(text); len(text) > lineLimit {
		text = strings.ToValidUTF8(text[:lineLimit], "") + "…"
	}
	return text
}
