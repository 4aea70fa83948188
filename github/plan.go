package github

import (
	"fmt"
	"math"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Facts are what a review is planned against.
// A Pull without a number is one that does not exist yet; Files may then be read from the clone, by [ParsePatch].
type Facts struct {
	Sanitizer Sanitizer // its target is the repository
	Viewer    Account
	Pull      PullRequest
	Files     Files
}

// ReviewPlan is a review as it will be posted.
type ReviewPlan struct {
	Marker  Marker
	Event   Event
	Why     string // why another event than the one wanted, "" where it is that
	Moved   bool   // it is about a commit that is not the head any more
	Commit  string // "" lets GitHub take the head
	Body    string // marker included
	Inline  []InlineComment
	InBody  int // findings that stand in the body
	Omitted int // findings that found no room

	target Target
	number int
	again  func(withdrawn) ReviewPlan
	withdrawn
}

// withdrawn is what GitHub did not take of a plan.
type withdrawn struct {
	lines bool   // comments on lines
	event string // why the event
}

// Why a review is a comment where more was wanted.
const (
	whyOwn     = "GitHub lets nobody judge a pull request of their own"
	whyActions = "GitHub Actions may approve only where the repository's settings allow it"
	whyMoved   = "the pull request has moved on"
)

// InlineComment is a finding on lines of the diff.
type InlineComment struct {
	Path      string `json:"path"`
	Body      string `json:"body"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line,omitempty"` // only where there are several lines
	StartSide string `json:"start_side,omitempty"`
}

const (
	inlineLimit  = 30 // more in one review are too many for GitHub and for readers
	summaryLimit = 12_000
	findingLimit = 4_000
	headingLimit = 8_000
)

// PlanReview decides everything about a review without asking anybody.
func PlanReview(f Facts, r Review) ReviewPlan { return planReview(f, r, withdrawn{}) }

func planReview(f Facts, r Review, w withdrawn) ReviewPlan {
	p := ReviewPlan{withdrawn: w, Marker: r.marker(), Commit: r.Head, Moved: f.Pull.Number != 0 && f.Pull.Head != r.Head, target: f.Sanitizer.Target, number: f.Pull.Number}
	p.again = func(w withdrawn) ReviewPlan { return planReview(f, r, w) }
	if p.Event, p.Why = f.allowed(r, p.Moved); w.event != "" {
		p.Event, p.Why = Comment, w.event
	}
	var rest []string
	for _, finding := range worstFirst(r.Findings) {
		if !w.lines && !p.Moved && len(p.Inline) < inlineLimit {
			if c, ok := f.comment(finding); ok {
				p.Inline = append(p.Inline, c)
				continue
			}
		}
		rest = append(rest, f.paragraph(finding, r.Head))
	}
	p.assemble(f, r, rest)
	return p
}

// allowed lowers an event that GitHub would refuse, or that would speak about another commit.
func (f Facts) allowed(r Review, moved bool) (Event, string) {
	switch {
	case r.Event == Comment:
	case moved:
		return Comment, whyMoved
	case f.Viewer.Is(f.Pull.Author):
		return Comment, whyOwn
	case r.Event == Approve && f.Viewer.Is(Account{Login: actionsBot, Bot: true}):
		return Comment, whyActions
	case r.Event == Approve && !f.Files.Complete():
		return Comment, fmt.Sprintf("GitHub shows %d of %d files", len(f.Files.Changed), f.Files.Total)
	}
	return r.Event, ""
}

// inlineHead is how every inline comment of ours begins.
var inlineHead = regexp.MustCompile(`^\*\*(HIGH|MEDIUM|LOW)\*\*\r?\n`)

// comment places a finding on the diff.
func (f Facts) comment(finding Finding) (InlineComment, bool) {
	first, last := finding.lines()
	if finding.Path == "" || last == 0 {
		return InlineComment{}, false
	}
	if !f.Files.Has(finding.Path, finding.Side, first, last) {
		if !f.Files.Has(finding.Path, finding.Side, last, last) {
			return InlineComment{}, false
		}
		first = last
	}
	c := InlineComment{Path: finding.Path, Line: last, Side: finding.Side.String(), Body: "**" + finding.Severity.String() + "**\n\n" + f.words(finding)}
	if first < last {
		c.StartLine, c.StartSide = first, c.Side
	}
	return c, true
}

// paragraph is a finding in the body, with a link to its place.
func (f Facts) paragraph(finding Finding, head string) string {
	title := "**" + finding.Severity.String() + "**"
	if finding.Path != "" {
		first, last := finding.lines()
		place := finding.Path
		if last > 0 {
			place += fmt.Sprintf(":%d", last)
		}
		if first < last {
			place = fmt.Sprintf("%s:%d-%d", finding.Path, first, last)
		}
		title += " " + codeSpan(f.Sanitizer.plain(place))
		if finding.Side == Right {
			title += " ([look](" + f.Sanitizer.Target.Permalink(head, finding.Path, last) + "))"
		}
	}
	return title + "\n\n" + f.words(finding)
}

func (f Facts) words(finding Finding) string {
	text := f.Sanitizer.Text(finding.Text, findingLimit)
	if advice := f.Sanitizer.Text(finding.Suggestion, findingLimit); advice != "" {
		text += "\n\nSuggestion:\n\n" + advice
	}
	return text
}

// cuts says whether a text of a review is longer than is shown of it.
func (f Facts) cuts(r Review) bool {
	cut := func(text string, most int) bool {
		return len(text) > most/2 && len(f.Sanitizer.Text(text, math.MaxInt32)) > most
	}
	return cut(r.Summary, summaryLimit) || slices.ContainsFunc(r.Findings, func(finding Finding) bool {
		return cut(finding.Text, findingLimit) || cut(finding.Suggestion, findingLimit)
	})
}

// codeSpan shows a text as it is, whatever it holds.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// assemble writes the body: whole findings as long as there is room, then how many are left out, then the marker.
func (p *ReviewPlan) assemble(f Facts, r Review, findings []string) {
	head := []string{cutRunes(withoutMarkers(r.Heading), headingLimit)}
	if p.Moved {
		head = append(head, fmt.Sprintf("About commit %s, which is not the head of the pull request any more.", r.Head))
	}
	if p.Why != "" {
		head = append(head, "Posted as a comment: "+p.Why+".")
	}
	head = append(head, f.Sanitizer.Text(r.Summary, summaryLimit))
	tail := []string{cutRunes(withoutMarkers(r.Footer), headingLimit), p.Marker.String()}

	whole := ""
	if r.Report != "" {
		whole = "All of it: [" + path.Base(r.Report) + "](" + f.Sanitizer.Target.Permalink(r.Head, r.Report, 0) + ")"
	}
	const note = 200 // what "n findings more" takes
	room := bodyLimit - note - utf16Len(whole) - utf16Len(join(head)) - utf16Len(join(tail))
	for i, text := range findings {
		if room -= utf16Len(text) + 2; room < 0 {
			p.Omitted = len(findings) - i
			head = append(head, fmt.Sprintf("… and %d findings more, for which there is no room here.", p.Omitted))
			break
		}
		head = append(head, text)
		p.InBody++
	}
	if p.Omitted > 0 || f.cuts(r) {
		head = append(head, whole)
	}
	p.Body = join(append(head, tail...))
}

// join makes paragraphs.
func join(parts []string) string {
	var filled []string
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, "\n\n")
}

// Requests are what posting sends, in order.
// The review is made first, which shows it to nobody, and submitted when it is the only one with its key.
func (p ReviewPlan) Requests() []Request {
	return []Request{p.create(), p.submit("{id}", p.Event)}
}

func (p ReviewPlan) create() Request {
	return newRequest(http.MethodPost, p.target.repo("/pulls/%s/reviews", p.pull()), struct {
		Commit   string          `json:"commit_id,omitempty"`
		Body     string          `json:"body"`
		Comments []InlineComment `json:"comments,omitempty"`
	}{p.Commit, p.Body, p.Inline})
}

func (p ReviewPlan) submit(id string, event Event) Request {
	// The body stands there already; sent again, it is whole whoever made the review and with whichever event.
	return newRequest(http.MethodPost, p.target.repo("/pulls/%s/reviews/%s/events", p.pull(), id), struct {
		Event string `json:"event"`
		Body  string `json:"body"`
	}{event.String(), p.Body})
}

// pull is the pull request's number, or a placeholder where it does not exist yet.
func (p ReviewPlan) pull() string {
	if p.number == 0 {
		return "{number}"
	}
	return fmt.Sprint(p.number)
}
