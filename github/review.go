package github

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Event is what a review does.
type Event int

// Comment is the usual event: it is allowed to everybody, and counts toward nothing.
const (
	Comment Event = iota
	RequestChanges
	Approve
)

// String is GitHub's word.
func (e Event) String() string {
	return [...]string{"COMMENT", "REQUEST_CHANGES", "APPROVE"}[e]
}

// ParseEvent reads GitHub's word.
func ParseEvent(word string) (Event, error) {
	for _, e := range []Event{Comment, RequestChanges, Approve} {
		if e.String() == word {
			return e, nil
		}
	}
	return Comment, fmt.Errorf("%q is no event of a review", word)
}

// Severity is how bad a finding is, the worst first.
type Severity int

// The severities of findings.
const (
	High Severity = iota
	Medium
	Low
)

func (s Severity) String() string {
	return [...]string{"HIGH", "MEDIUM", "LOW"}[s]
}

// Finding is one issue of a review. Its words are a model's, and are sanitized when the review is planned.
type Finding struct {
	ID         string
	Severity   Severity
	Text       string
	Suggestion string // what to do; shown as text, never as a change that one click applies

	Path        string // from the repository's top, "" where it is about the whole
	Side        Side
	First, Last int // lines, from 1; 0 where it is about the whole file; a First of 0 with a Last is one line
}

// Moved says what becomes of a review whose commit is no longer the pull request's head.
type Moved int

const (
	// MovedRefuse makes it a *MovedError.
	MovedRefuse Moved = iota
	// MovedComment posts it as a comment without lines, on the commit that it is about.
	MovedComment
)

// Review is one verdict, to be posted once.
type Review struct {
	Kind   string // required; what of the same kind and change is older gets outdated
	Change string // required
	Round  int
	Head   string // required: the commit it is about
	Event  Event
	Moved  Moved

	Heading  string // our own words, Markdown
	Summary  string // a model's words, sanitized when the review is planned
	Findings []Finding
	Report   string // a file at Head with all of it, shown where something finds no room here; "" for none
	Footer   string // our own words, Markdown
}

// Key tells this review from every other, whatever words are around its findings.
func (r Review) Key() string {
	data, err := json.Marshal(struct {
		Kind, Change, Head string
		Round              int
		Event              Event
		Findings           []Finding
	}{r.Kind, r.Change, r.Head, r.Round, r.Event, r.Findings})
	if err != nil {
		panic(err) // texts and numbers
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func (r Review) marker() Marker {
	return Marker{Kind: r.Kind, Change: r.Change, Round: r.Round, Head: r.Head, Key: r.Key()}
}

// worstFirst keeps the order among findings of the same severity.
func worstFirst(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	return sorted
}

func (f Finding) lines() (first, last int) {
	last = max(f.First, f.Last)
	return cmp.Or(min(f.First, last), last), last
}
