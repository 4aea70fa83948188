package agents

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// clue is what a message looks like that means one kind of failure.
// The CLIs tell of failures in prose, and their exit statuses say less.
type clue struct {
	kind    ErrorKind
	pattern *regexp.Regexp
}

// clues are tried in order: the first that matches is right.
type clues []clue

func clueOf(kind ErrorKind, pattern string) clue {
	return clue{kind: kind, pattern: regexp.MustCompile("(?i)" + pattern)}
}

// kind is what a message means; ok is false for one that nobody has met.
func (c clues) kind(message string) (kind ErrorKind, ok bool) {
	for _, one := range c {
		if one.pattern.MatchString(message) {
			return one.kind, true
		}
	}
	return Failed, false
}

// failure is the error behind a message.
func (c clues) failure(message string, advice map[ErrorKind]string) *Error {
	kind, _ := c.kind(message)
	return &Error{Kind: kind, Detail: brief(message), RetryAfter: retryAfter(message), Advice: advice[kind]}
}

// ofStatus is what an HTTP status means; ok is false for one that says nothing by itself.
func ofStatus(status int) (kind ErrorKind, ok bool) {
	switch {
	case status == 401 || status == 403:
		return NotAuthenticated, true
	case status == 404:
		return Model, true
	case status == 413:
		return TooLong, true
	case status == 429:
		return RateLimited, true
	case status >= 500 && status < 600:
		return Unavailable, true
	}
	return Failed, false
}

// waiting finds when to ask again in "Please try again in 11s", "retry after 7 seconds", "retryDelay":"5s".
var waiting = regexp.MustCompile(`(?i)(?:again in|retry in|retry after|retrydelay\W{1,5})\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|milliseconds?|s|seconds?|m|min|minutes?|h|hours?)\b`)

func retryAfter(message string) time.Duration {
	found := waiting.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0
	}
	switch unit := strings.ToLower(found[2]); {
	case strings.HasPrefix(unit, "mil"), unit == "ms":
		n /= 1000
	case unit[0] == 'm':
		n *= 60
	case unit[0] == 'h':
		n *= 3600
	}
	return seconds(n)
}

// patience counts what a CLI tells of its own retries, and says when waiting on is of no use.
type patience struct {
	limited int // since the last sign of progress
}

// progress is a sign that the provider answers again.
func (p *patience) progress() { p.limited = 0 }

// mostLimited is how often in a row a provider may say "too many requests" before we ask again ourselves, later:
// the CLIs' own retries come too close upon one another.
const mostLimited = 3

// retry is the event of one retry. It is fatal where the reason will not pass by itself.
func (p *patience) retry(message string, kind ErrorKind, advice map[ErrorKind]string) Event {
	text := brief(message)
	e := Event{Kind: Retry, Text: text, Why: &Error{Kind: kind, Detail: text, RetryAfter: retryAfter(message), Advice: advice[kind]}}
	if kind == RateLimited {
		p.limited++
	}
	switch {
	case kind == NotAuthenticated || kind == Quota || kind == Model || kind == TooLong:
		e.Fatal = e.Why
	case kind == RateLimited && p.limited >= mostLimited:
		e.Fatal = e.Why
		e.Fatal.Detail = fmt.Sprintf("%s (%d times)", text, p.limited)
	}
	return e
}
