package phases

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Findings counts what a verdict found.
type Findings struct {
	High   int    `json:"high"`
	Medium int    `json:"medium"`
	Low    int    `json:"low"`
	Set    string `json:"set,omitempty"` // digest over the finding ids, 8 hex digits; "" when there are none
}

// String is the trailer's value: "high=2 medium=1 low=0 set=9c1b7e2f".
func (f Findings) String() string {
	text := fmt.Sprintf("high=%d medium=%d low=%d", f.High, f.Medium, f.Low)
	if f.Set != "" {
		text += " set=" + f.Set
	}
	return text
}

// Total is the number of findings.
func (f Findings) Total() int { return f.High + f.Medium + f.Low }

func parseFindings(s string) (Findings, error) {
	p, err := parsePairs(s, "high", "medium", "low", "set?")
	if err != nil {
		return Findings{}, err
	}
	f := Findings{High: int(p.count("high")), Medium: int(p.count("medium")), Low: int(p.count("low")), Set: p.text["set"]}
	if f.Set != "" && !isHex(f.Set, 8) {
		return Findings{}, fmt.Errorf("set=%s is not 8 hex digits", quoteShort(f.Set))
	}
	return f, p.err
}

// These bound what a step took. Agents have claimed 1e308 dollars, and one such claim would spoil every sum.
const (
	mostUSD    = 1e6
	mostTokens = 1e12
	mostMillis = 366 * 24 * 60 * 60 * 1000 // a year
)

// Price is an amount of US dollars as it is recorded: rounded to a millionth, so that sums do not end in the noise
// of binary fractions, and nil for what is none.
func Price(usd *float64) *float64 {
	if usd == nil || math.IsNaN(*usd) || *usd < 0 || *usd > mostUSD {
		return nil
	}
	rounded := math.Round(*usd*1e6) / 1e6
	return &rounded
}

// Usage is what an agent's turn took.
type Usage struct {
	In, Cached, Out int64
	Millis          int64
	USD             *float64 // nil where the price is unknown
	Unknown         bool     // the agent did not say; In, Cached and Out mean nothing
}

// String is the trailer's value: "in=24567 cached=1200 out=2345 ms=8934 usd=0.0678".
// An agent that did not say has "in=unknown ms=8934".
func (u Usage) String() string {
	text := fmt.Sprintf("in=%d cached=%d out=%d ms=%d", u.In, u.Cached, u.Out, u.Millis)
	if u.Unknown {
		text = fmt.Sprintf("in=unknown ms=%d", u.Millis)
	}
	if u.USD != nil {
		text += " usd=" + strconv.FormatFloat(*u.USD, 'f', -1, 64)
	}
	return text
}

// Bounded is the usage without what nobody can have used: such tokens and such a price are unknown, and such a time is a year.
// What is read from a history goes through it, so that an old record stays readable; Trailers refuses to write another.
func (u Usage) Bounded() Usage {
	if max(u.In, u.Cached, u.Out) > mostTokens {
		u.In, u.Cached, u.Out, u.Unknown = 0, 0, 0, true
	}
	u.Millis = min(u.Millis, mostMillis)
	if u.USD != nil && *u.USD > mostUSD {
		u.USD = nil
	}
	return u
}

// Plus adds counts of 0 or more, and stays at the greatest number where they have no sum: a cap must not be lifted by an overflow.
func Plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// ParseUsage reads what [Usage.String] writes.
func ParseUsage(s string) (Usage, error) {
	keys := []string{"in", "cached", "out", "ms", "usd?"}
	unknown := strings.HasPrefix(s, "in=unknown ")
	if unknown {
		s, keys = strings.TrimPrefix(s, "in=unknown "), []string{"ms", "usd?"}
	}
	p, err := parsePairs(s, keys...)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Millis: p.count("ms"), Unknown: unknown}
	if !unknown {
		u.In, u.Cached, u.Out = p.count("in"), p.count("cached"), p.count("out")
	}
	if text, ok := p.text["usd"]; ok {
		u.USD = p.price(text)
	}
	return u.Bounded(), p.err
}

// Evidence is a command that we ran on the exact tree.
type Evidence struct {
	Exit    int
	Millis  int64
	Command string
	NotRun  bool   // the program is not there: never the same as passed. Exit and Millis are 0
	Kind    string // "" for a check, [Scan] for a security scan
}

// Scan is the kind of evidence that looks for vulnerabilities.
const Scan = "scan"

// EvidencePassed reports whether at least one check ran,
// every check exited with 0, and no scan that ran failed.
func EvidencePassed(evidence []Evidence) bool {
	checks := 0
	for _, e := range evidence {
		switch {
		case e.Kind == Scan && e.NotRun:
			continue
		case e.NotRun || e.Exit != 0:
			return false
		case e.Kind != Scan:
			checks++
		}
	}
	return checks > 0
}

// String is the trailer's value: "exit=0 ms=5210 cmd=go test ./...",
// "scan exit=0 ms=1 cmd=govulncheck ./...", or "scan not-run cmd=govulncheck ./...".
func (e Evidence) String() string {
	kind := ""
	if e.Kind != "" {
		kind = e.Kind + " "
	}
	if e.NotRun {
		return kind + "not-run cmd=" + e.Command
	}
	return fmt.Sprintf("%sexit=%d ms=%d cmd=%s", kind, e.Exit, e.Millis, e.Command)
}

// ParseEvidence reads what [Evidence.String] writes.
func ParseEvidence(s string) (Evidence, error) {
	facts, command, ok := strings.Cut(s, " cmd=")
	if !ok || command == "" {
		return Evidence{}, errors.New("it names no command")
	}
	e := Evidence{Command: command}
	if rest, ok := strings.CutPrefix(facts, Scan+" "); ok {
		e.Kind, facts = Scan, rest
	}
	if facts == "not-run" {
		e.NotRun = true
		return e, nil
	}
	p, err := parsePairs(facts, "exit", "ms")
	if err != nil {
		return Evidence{}, err
	}
	exit, err := strconv.Atoi(p.text["exit"])
	if err != nil {
		return Evidence{}, fmt.Errorf("exit=%s is not a number", quoteShort(p.text["exit"]))
	}
	e.Exit, e.Millis = exit, p.count("ms")
	return e, p.err
}

// Base is the branch that a change will land on, and the commit at which it left it.
type Base struct {
	Branch, Commit string
}

// String is the trailer's value: "main@<commit>".
func (b Base) String() string { return b.Branch + "@" + b.Commit }

func parseBase(s string) (Base, error) {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || strings.ContainsAny(s[:at], " \t") || !isObjectID(s[at+1:]) {
		return Base{}, errors.New("it is not <branch>@<commit>")
	}
	return Base{Branch: s[:at], Commit: s[at+1:]}, nil
}

// pairs are the "key=value" words of a value. The first bad number is kept in err.
type pairs struct {
	text map[string]string
	err  error
}

// parsePairs reads the words in the order of keys; a key that ends in "?" may be missing.
func parsePairs(s string, keys ...string) (*pairs, error) {
	words := strings.Split(s, " ")
	p := &pairs{text: map[string]string{}}
	for _, key := range keys {
		key, optional := strings.CutSuffix(key, "?")
		if len(words) > 0 {
			if value, ok := strings.CutPrefix(words[0], key+"="); ok {
				p.text[key] = value
				words = words[1:]
				continue
			}
		}
		if !optional {
			return nil, fmt.Errorf("%s= is missing", key)
		}
	}
	if len(words) > 0 {
		return nil, fmt.Errorf("%s is unexpected", quoteShort(words[0]))
	}
	return p, nil
}

// count reads a whole number of 0 or more.
func (p *pairs) count(key string) int64 {
	n, err := strconv.ParseUint(p.text[key], 10, strconv.IntSize-1)
	if err != nil {
		p.err = fmt.Errorf("%s=%s is not a number of 0 or more", key, quoteShort(p.text[key]))
	}
	return int64(n)
}

// price reads dollars: 0 or more, written without an exponent.
func (p *pairs) price(s string) *float64 {
	usd, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "0123456789.") != "" {
		p.err = fmt.Errorf("usd=%s is not a price", quoteShort(s))
	}
	return &usd
}
