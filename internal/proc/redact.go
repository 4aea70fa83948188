package proc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redactor blanks secrets in text: values that it was given,
// and whatever looks like a token of a service that it knows.
type Redactor struct {
	values  [][]byte // longest first
	longest int
}

const redacted = "[redacted]"

// shortestSecret keeps a one-letter value from wrecking every line of a log.
const shortestSecret = 6

// tokens are the published prefixes of GitHub, OpenAI, Anthropic, Google, AWS and Slack.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|\bsk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}`)
})

// longestToken bounds what is held back while a token may still be going on.
const longestToken = 512

// shortestLine is the least length of a line that is a secret by itself when it is part of one.
const shortestLine = 16

// NewRedactor makes a redactor for known values. Values of less than 6 bytes are passed over.
// A value is found also in the forms that it has inside a JSON string, and each long line of it by itself.
func NewRedactor(values []string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		if len(strings.TrimSpace(v)) < shortestSecret {
			continue
		}
		r.addForms(v)
		// A key file is often printed without its last line feed.
		r.addForms(strings.TrimSpace(v))
		for line := range strings.Lines(v) {
			// "-----BEGIN PRIVATE KEY-----" tells nothing.
			if line = strings.TrimSpace(line); len(line) >= shortestLine && !strings.HasPrefix(line, "-----") {
				r.addForms(line)
			}
		}
	}
	slices.SortFunc(r.values, func(a, b []byte) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), bytes.Compare(a, b))
	})
	r.values = slices.CompactFunc(r.values, bytes.Equal)
	if len(r.values) > 0 {
		r.longest = len(r.values[0])
	}
	return r
}

// addForms adds a value as it is and as JSON writes it, in which a slash may be escaped or not.
func (r *Redactor) addForms(v string) {
	r.values = append(r.values, []byte(v))
	if quoted, err := json.Marshal(v); err == nil {
		quoted = quoted[1 : len(quoted)-1]
		r.values = append(r.values, quoted, bytes.ReplaceAll(quoted, []byte("/"), []byte(`\/`)))
	}
}

// String blanks the secrets of a text.
func (r *Redactor) String(s string) string { return string(r.Bytes([]byte(s))) }

// Bytes blanks the secrets of a text. The argument is not changed; it is returned if nothing is to be blanked.
func (r *Redactor) Bytes(b []byte) []byte {
	spans := r.find(b)
	if len(spans) == 0 {
		return b
	}
	return blank(nil, b, spans)
}

// Find reports whether a text holds a secret.
func (r *Redactor) Find(b []byte) bool { return len(r.find(b)) > 0 }

// Writer blanks secrets on the way to w, also those that come in several pieces.
// Close writes what was held back; it does not close w.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser { return &redactWriter{r: r, w: w} }

type span struct{ from, to int }

// find returns where secrets are, in order and without overlap.
func (r *Redactor) find(b []byte) []span {
	var spans []span
	for _, v := range r.values {
		for from := 0; ; {
			i := bytes.Index(b[from:], v)
			if i < 0 {
				break
			}
			spans = append(spans, span{from + i, from + i + len(v)})
			from += i + 1 // a value may overlap itself
		}
	}
	if mayHoldToken(b) {
		for _, at := range tokens().FindAllIndex(b, -1) {
			spans = append(spans, span{at[0], at[1]})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var merged []span
	for _, s := range spans {
		if n := len(merged); n > 0 && s.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// mayHoldToken spares most of a flood of output the regular expression, which is fifty times slower.
func mayHoldToken(b []byte) bool {
	for _, prefix := range []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "sk-", "AIza", "AKIA", "xox"} {
		if bytes.Contains(b, []byte(prefix)) {
			return true
		}
	}
	return false
}

func blank(dst, b []byte, spans []span) []byte {
	last := 0
	for _, s := range spans {
		dst = append(append(dst, b[last:s.from]...), redacted...)
		last = s.to
	}
	return append(dst, b[last:]...)
}

// redactWriter holds back the end of what it has seen as long as it may be the beginning of a secret.
type redactWriter struct {
	r    *Redactor
	w    io.Writer
	held []byte
}

func (w *redactWriter) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	if err := w.flush(w.settled()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// settled is how much of what is held can no longer become part of a secret that is not complete yet.
func (w *redactWriter) settled() int {
	end := max(len(w.held)-max(w.r.longest-1, 0), 0)
	// A token of a known kind goes on for as long as its alphabet does.
	word := len(w.held)
	for word > 0 && len(w.held)-word < longestToken && isTokenByte(w.held[word-1]) {
		word--
	}
	return min(end, word)
}

func (w *redactWriter) flush(end int) error {
	if end <= 0 {
		return nil
	}
	spans := w.r.find(w.held)
	for i, s := range spans {
		if s.from < end && end < s.to {
			// Complete as it is, but perhaps longer when more has come: it waits, though not for ever.
			end = s.from
			if end == 0 && len(w.held) > 4*(w.r.longest+longestToken) {
				end = s.to
			}
		}
		if s.from >= end {
			spans = spans[:i]
			break
		}
	}
	if end == 0 {
		return nil
	}
	_, err := w.w.Write(blank(nil, w.held[:end], spans))
	w.held = append(w.held[:0], w.held[end:]...)
	return err
}

// Close writes what was held back.
func (w *redactWriter) Close() error {
	rest := w.r.Bytes(w.held)
	w.held = nil
	if len(rest) == 0 {
		return nil
	}
	_, err := w.w.Write(rest)
	return err
}

func isTokenByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
