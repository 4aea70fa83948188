package workflow

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// What of a person's review is taken into a report. What is cut stays on GitHub, and the report says where.
const (
	mostTaken      = 40    // findings of a person
	mostFindings   = 100   // with those that were open; a report takes no more
	mostSummary    = 4_000 // bytes of our own words, and of what stands around the findings
	mostWords      = 3_000 // bytes of a review's text, or of one comment
	mostAnswer     = 1_500 // bytes
	mostAnswers    = 5     // to one comment
	mostPath       = 500   // bytes
	mostTitleRunes = 80
)

// request is a person's request for changes on its way into a report.
// All of a person's words are data, as an agent's are: they go through the same door.
type request struct {
	*heardReview
	exact bool                // it is about what stands here now
	blank func(string) string // takes out secrets of ours, without which nothing is committed
	open  []specs.Finding     // of the report that this one replaces, those that do not fit taken out

	taken   []specs.Finding // the review's own
	omitted int             // of its own, for which there is no room
	lost    int             // of the open ones, the same
}

// challenge is the request as what a challenger would hand over.
func (r *request) challenge() specs.ChallengeInput {
	input := func(summary string, findings ...specs.Finding) specs.ChallengeInput {
		in := specs.ChallengeInput{Verdict: string(phases.NeedsRevision), Summary: summary}
		for _, f := range findings {
			in.Findings = append(in.Findings, specs.ChallengeFindingInput{
				ID: f.ID, Severity: f.Severity.String(), Description: f.Description, Suggestion: f.Suggestion,
				SpecRef: f.SpecRef, File: f.File, Line: f.Line,
			})
		}
		return in
	}
	all := r.fill(func(f specs.Finding) (size int, ok bool) {
		in := input("one", f)
		return len(in.Report("", 0, "", "", nil).Markdown()), in.Validate() == nil
	})
	return input(r.summary(), all...)
}

// review is the request as what a reviewer would hand over.
func (r *request) review() specs.ReviewInput {
	input := func(summary string, findings ...specs.Finding) specs.ReviewInput {
		in := specs.ReviewInput{Verdict: string(phases.NeedsChanges), Summary: summary}
		for _, f := range findings {
			in.Findings = append(in.Findings, specs.ReviewFindingInput{
				ID: f.ID, Severity: f.Severity.String(), Category: f.Category, Title: f.Title,
				Description: f.Description, Recommendation: f.Suggestion, File: f.File, Line: f.Line,
			})
		}
		return in
	}
	all := r.fill(func(f specs.Finding) (size int, ok bool) {
		in := input("one", f)
		return len(in.Report("", 0, "", "", "", nil).Markdown()), in.Validate() == nil
	})
	return input(r.summary(), all...)
}

// fill takes as many findings as the report has room for, the person's first.
// weigh is the size of a report of one finding, and whether its reader takes it.
func (r *request) fill(weigh func(specs.Finding) (size int, ok bool)) []specs.Finding {
	room := specs.MaxDocument - mostSummary
	var all []specs.Finding
	take := func(f specs.Finding) bool {
		size, ok := weigh(f)
		if !ok || size > room || len(all) == mostFindings {
			return false
		}
		room -= size
		all = append(all, f)
		return true
	}
	for _, f := range r.own() {
		if take(f) {
			r.taken = append(r.taken, f)
		} else {
			r.omitted++
		}
	}
	open := r.open
	r.open = nil
	for _, f := range open {
		if take(f) {
			r.open = append(r.open, f)
		} else {
			r.lost++
		}
	}
	return all
}

// own are the findings of the review: one for its text, and one for each comment, as many as are taken at most.
func (r *request) own() []specs.Finding {
	var own []specs.Finding
	add := func(text string, f specs.Finding) {
		f.Severity, f.Category, f.Description, f.Title = specs.Medium, "person", text, titleOf(text)
		own = append(own, f)
	}
	if text := r.words(r.Body, r.URL, mostWords); text != "" {
		add(text, specs.Finding{})
	}
	for i, c := range r.thread {
		if len(own) == mostTaken {
			r.omitted = len(r.thread) - i
			break
		}
		text := r.threadText(c)
		if text == "" {
			continue
		}
		f := specs.Finding{}
		if place, ok := placeInRepository(c.Path); ok {
			f.File = place
			if c.Side == github.Right {
				f.Line = c.Original
			}
		} else {
			text = "At " + phases.OneLine(github.Words(c.Path, mostPath)) + ": " + text
		}
		add(text, f)
	}
	if len(own) == 0 {
		add(r.row.By+" asks for changes and does not say which.", specs.Finding{})
	}
	return own
}

// threadText is a comment with its answers, and what its line number does not say.
func (r *request) threadText(c threadComment) string {
	text := r.words(c.Body, c.URL, mostWords)
	for _, answer := range c.answers[:min(len(c.answers), mostAnswers)] {
		if said := r.words(answer.Body, answer.URL, mostAnswer); said != "" {
			text += "\n\n" + answer.Author.String() + " answers: " + said
		}
	}
	if more := len(c.answers) - mostAnswers; more > 0 {
		text += fmt.Sprintf("\n\n(%s more: %s)", plural(more, "answer"), phases.OneLine(github.Words(c.URL, mostPath)))
	}
	if text == "" {
		return ""
	}
	switch {
	case c.Side == github.Left:
		text = fmt.Sprintf("%s\n\nThis is about line %d as it was before the change.", text, c.Original)
	case c.Outdated:
		text = fmt.Sprintf("%s\n\nThis is outdated: the lines have changed since commit %.12s.", text, c.Commit)
	case c.Last != c.Original && c.Last > 0:
		text = fmt.Sprintf("%s\n\nThe line has moved to %d since commit %.12s.", text, c.Last, c.Commit)
	}
	return text
}

// words are a person's words as far as they are taken.
func (r *request) words(text, url string, most int) string {
	all := r.blank(github.Words(text, len(text)))
	if len(all) <= most {
		return all
	}
	return github.Words(all, most) + "\n\n(Cut. All of it: " + phases.OneLine(github.Words(url, mostPath)) + ")"
}

// summary is in our own words. The person's stand in the findings.
func (r *request) summary() string {
	text := fmt.Sprintf("%s asks for changes in a review on GitHub (%s).\n\n%s", r.row.By, plural(len(r.taken), "finding"), reviewURL(r.heardReview))
	if !r.exact && r.Commit != "" {
		text += fmt.Sprintf("\n\nIt is about commit %.12s, and something has changed since.", r.Commit)
	}
	if r.omitted > 0 {
		text += fmt.Sprintf("\n\nFor %s more there is no room here: read the review.", plural(r.omitted, "comment"))
	}
	if len(r.open) > 0 {
		text += fmt.Sprintf("\n\nNobody has worked on the verdict before yet: its findings (%d) stand below.", len(r.open))
	}
	if r.lost > 0 {
		text += fmt.Sprintf("\n\nFor %s of the verdict before there is no room here: they stand in the history.", plural(r.lost, "finding"))
	}
	return text
}

// placeInRepository is the path of a comment, where a finding can name it.
func placeInRepository(path string) (string, bool) {
	return path, len(path) <= mostPath && fs.ValidPath(path) && !strings.ContainsAny(path, "\\`:") && phases.OneLine(path) == path
}

// titleOf is the first line of a text, cut to the length of a title.
func titleOf(text string) string {
	runes := []rune(firstLine(text))
	if len(runes) > mostTitleRunes {
		return string(runes[:mostTitleRunes]) + "…"
	}
	return string(runes)
}
