package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Pause is a wait that GitHub asks for, or that gives it time to recover.
type Pause struct {
	For       time.Duration
	Why       string // "rate limit", "secondary rate limit", "server error"
	Try, Most int    // which attempt comes next, of how many
}

const (
	attempts        = 3
	requestTimeout  = time.Minute
	answerLimit     = 64 << 20 // the biggest answer we ask for is a page of 100 files with their patches
	remainingHeader = "X-RateLimit-Remaining"
	resetHeader     = "X-RateLimit-Reset"
	retryHeader     = "Retry-After"
)

// transport repeats what can be repeated: reads after any trouble,
// writes only where GitHub says that it did nothing because of a limit.
// It waits no longer than maxWait for one request, and hands on answers whole or not at all.
type transport struct {
	base    http.RoundTripper
	pause   func(context.Context, Pause) error
	maxWait time.Duration
	now     func() time.Time
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Context().Value(onlyReads{}) != nil
	left := t.maxWait
	for try := 1; ; try++ {
		resp, err := t.once(req)
		p := Pause{Try: try + 1, Most: attempts}
		switch {
		case err != nil && reads, err == nil && reads && resp.StatusCode >= 500:
			p.For, p.Why = time.Duration(try)*time.Second, "server error"
		case err == nil && limitOf(resp, "") != noLimit:
			p.For, p.Why = pauseFor(resp, t.now(), try), limitOf(resp, "").String()
		default:
			return resp, err
		}
		if try == attempts || p.For > left || req.Context().Err() != nil {
			return resp, err
		}
		left -= p.For
		if stop := t.pause(req.Context(), p); stop != nil {
			return nil, stop
		}
	}
}

// onlyReads marks the context of a POST that changes nothing: a GraphQL query.
type onlyReads struct{}

// once sends a copy of the request and reads the whole answer.
func (t *transport) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), requestTimeout)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	resp, err := t.base.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit+1))
	err = errors.Join(err, resp.Body.Close())
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(data) > answerLimit:
		return nil, fmt.Errorf("the answer is longer than %d bytes", answerLimit)
	}
	resp.Body, resp.Request = io.NopCloser(bytes.NewReader(data)), req
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		// go-gh rewrites control characters in JSON answers, for terminals.
		// A person's text that is written back must be what it was, and cleaning is for whoever shows it.
		resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	return resp, nil
}

// limit is a kind of rate limit.
type limit int

const (
	noLimit limit = iota
	primaryLimit
	secondaryLimit
)

func (l limit) String() string {
	return [...]string{"", "rate limit", "secondary rate limit"}[l]
}

// limitOf tells an answer that asks for patience from one that forbids. GitHub uses 403 and 429 for both kinds of limit.
func limitOf(r *http.Response, message string) limit {
	if r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusTooManyRequests {
		return noLimit
	}
	if r.Header.Get(remainingHeader) == "0" {
		return primaryLimit
	}
	if message == "" {
		message = peek(r)
	}
	if r.StatusCode == http.StatusTooManyRequests || r.Header.Get(retryHeader) != "" || strings.Contains(strings.ToLower(message), "secondary rate limit") {
		return secondaryLimit
	}
	return noLimit
}

// peek reads an answer and leaves it to be read again.
func peek(r *http.Response) string {
	if r.Body == nil {
		return ""
	}
	data, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	return string(data)
}

// pauseFor is how long GitHub wants to be left alone.
// Where it does not say, its documentation does: a minute, and longer each time.
func pauseFor(r *http.Response, now time.Time, try int) time.Duration {
	if seconds, err := strconv.ParseInt(r.Header.Get(retryHeader), 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds)*time.Second + time.Second // clocks and rounding
	}
	if reset, err := strconv.ParseInt(r.Header.Get(resetHeader), 10, 64); err == nil && r.Header.Get(remainingHeader) == "0" {
		return max(time.Unix(reset, 0).Sub(now), 0) + time.Second
	}
	return time.Minute << (try - 1)
}

// Sleep waits for the pause to be over, or returns why ctx ended.
func (p Pause) Sleep(ctx context.Context) error {
	timer := time.NewTimer(p.For)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
