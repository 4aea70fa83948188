package phases

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Transition is the record that a commit of ours carries in its trailer block.
// Change, Step and Phase are required; From is [None] on the first commit of a change only.
// Everything else stands where it applies.
type Transition struct {
	Change    ChangeID
	Step      Step
	From      Phase // the effective phase before the commit
	Phase     Phase // the phase after it
	Round     int   // of a challenge or review, from 1; 0 where there is none
	Verdict   Verdict
	Findings  *Findings
	Subject   string // tree that a verdict or a decision is about
	Diff      string // SHA-256 of the code's diff against the merge base
	Agent     string // "codex/gpt-5.2-codex/medium"
	Usage     *Usage
	Evidence  []Evidence
	Tasks     []string // done by this commit: "1.1"
	Decision  Decision
	Actor     Actor
	Profile   Profile // on the first commit; never changes
	Base      *Base   // on the first commit; on a plan's verdict, the commit of the base whose specs its judge could see
	Loop      string  // where the loop machine stood
	DependsOn []ChangeID
}

// Trailers is the record as trailers, in the order in which they are written.
// What could not be read back is refused here, before it is committed.
func (t Transition) Trailers() ([]Trailer, error) {
	if t.Usage != nil && *t.Usage != t.Usage.Bounded() {
		return nil, fmt.Errorf("the record has the usage %s, which nobody can have used", quoteShort(t.Usage.String()))
	}
	var trailers []Trailer
	for _, f := range fields() {
		for _, value := range f.write(t) {
			trailers = append(trailers, Trailer{Key: f.key, Value: value})
		}
	}
	if _, err := FormatTrailers(trailers); err != nil {
		return nil, err
	}
	if _, err := TransitionFromTrailers(trailers); err != nil {
		return nil, fmt.Errorf("the record %w", err)
	}
	return trailers, nil
}

// TransitionFromTrailers reads a record.
// Keys are compared without case.
// Trailers of others, and Agentd- keys that it does not know, are passed over;
// a missing key, one that stands twice, or a value that cannot be read is an error,
// worded as a predicate: "has 2 Agentd-Phase trailers".
func TransitionFromTrailers(trailers []Trailer) (Transition, error) {
	var t Transition
	for _, f := range fields() {
		given := valuesOf(trailers, f.key)
		switch {
		case len(given) == 0 && f.required:
			return Transition{}, fmt.Errorf("has no %s trailer", f.key)
		case len(given) > 1 && !f.repeats:
			return Transition{}, fmt.Errorf("has %d %s trailers", len(given), f.key)
		}
		for _, value := range given {
			if err := f.read(&t, value); err != nil {
				return Transition{}, fmt.Errorf("has the %s %s: %w", f.key, quoteShort(value), err)
			}
		}
	}
	return t, nil
}

// valuesOf are the values of all trailers that have the key.
func valuesOf(trailers []Trailer, key string) []string {
	var values []string
	for _, t := range trailers {
		if len(t.Key) == len(key) && strings.EqualFold(t.Key, key) {
			values = append(values, t.Value)
		}
	}
	return values
}

// field is one key of the record, in both directions.
type field struct {
	key      string
	required bool
	repeats  bool
	write    func(Transition) []string
	read     func(*Transition, string) error
}

// fields lists the keys in the order in which they are written.
// The order is part of the format: people read it from the top.
// The table is made once: a list reads a thousand records.
var fields = sync.OnceValue(func() []field {
	return []field{
		{key: keyChange, required: true,
			write: func(t Transition) []string { return []string{t.Change.String()} },
			read:  func(t *Transition, v string) (err error) { t.Change, err = ParseChangeID(v); return err }},
		{key: keyStep, required: true,
			write: func(t Transition) []string { return []string{string(t.Step)} },
			read:  func(t *Transition, v string) (err error) { t.Step, err = ParseStep(v); return err }},
		{key: keyFrom, required: true,
			write: func(t Transition) []string { return []string{t.From.String()} },
			read:  func(t *Transition, v string) (err error) { t.From, err = parseFrom(v); return err }},
		{key: keyPhase, required: true,
			write: func(t Transition) []string { return []string{t.Phase.String()} },
			read:  func(t *Transition, v string) (err error) { t.Phase, err = ParsePhase(v); return err }},
		{key: "Agentd-Round",
			write: func(t Transition) []string { return number(t.Round) },
			read:  func(t *Transition, v string) (err error) { t.Round, err = parseRound(v); return err }},
		{key: "Agentd-Verdict",
			write: func(t Transition) []string { return text(t.Verdict) },
			read:  func(t *Transition, v string) (err error) { t.Verdict, err = parseVerdict(v); return err }},
		{key: "Agentd-Findings",
			write: func(t Transition) []string { return optional(t.Findings) },
			read:  func(t *Transition, v string) (err error) { t.Findings, err = pointer(parseFindings(v)); return err }},
		{key: "Agentd-Subject",
			write: func(t Transition) []string { return text(t.Subject) },
			read:  func(t *Transition, v string) (err error) { t.Subject, err = parseTree(v); return err }},
		{key: "Agentd-Diff",
			write: func(t Transition) []string { return text(t.Diff) },
			read:  func(t *Transition, v string) (err error) { t.Diff, err = parseDigest(v); return err }},
		{key: "Agentd-Agent",
			write: func(t Transition) []string { return text(t.Agent) },
			read:  func(t *Transition, v string) error { t.Agent = v; return nil }},
		{key: "Agentd-Usage",
			write: func(t Transition) []string { return optional(t.Usage) },
			read:  func(t *Transition, v string) (err error) { t.Usage, err = pointer(ParseUsage(v)); return err }},
		{key: "Agentd-Evidence", repeats: true,
			write: func(t Transition) []string { return each(t.Evidence, Evidence.String) },
			read: func(t *Transition, v string) (err error) {
				t.Evidence, err = add(t.Evidence, v, ParseEvidence)
				return err
			}},
		{key: keyTask, repeats: true,
			write: func(t Transition) []string { return t.Tasks },
			read:  func(t *Transition, v string) (err error) { t.Tasks, err = add(t.Tasks, v, parseTask); return err }},
		{key: "Agentd-Decision",
			write: func(t Transition) []string { return text(t.Decision) },
			read:  func(t *Transition, v string) (err error) { t.Decision, err = parseDecision(v); return err }},
		{key: "Agentd-Actor",
			write: func(t Transition) []string { return text(t.Actor) },
			read:  func(t *Transition, v string) (err error) { t.Actor, err = parseActor(v); return err }},
		{key: "Agentd-Profile",
			write: func(t Transition) []string { return text(t.Profile) },
			read:  func(t *Transition, v string) (err error) { t.Profile, err = ParseProfile(v); return err }},
		{key: "Agentd-Base",
			write: func(t Transition) []string { return optional(t.Base) },
			read:  func(t *Transition, v string) (err error) { t.Base, err = pointer(parseBase(v)); return err }},
		{key: "Agentd-Loop",
			write: func(t Transition) []string { return text(t.Loop) },
			read:  func(t *Transition, v string) error { t.Loop = v; return nil }},
		{key: "Agentd-Depends-On", repeats: true,
			write: func(t Transition) []string { return each(t.DependsOn, ChangeID.String) },
			read: func(t *Transition, v string) (err error) {
				t.DependsOn, err = add(t.DependsOn, v, ParseChangeID)
				return err
			}},
	}
})

// The keys that other files name.
const (
	keyPrefix = "Agentd-"
	keyChange = "Agentd-Change"
	keyStep   = "Agentd-Step"
	keyFrom   = "Agentd-From"
	keyPhase  = "Agentd-Phase"
	keyTask   = "Agentd-Task"
)

// The writers: no value, one, or many.

func text[T ~string](v T) []string {
	if v == "" {
		return nil
	}
	return []string{string(v)}
}

func number(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{strconv.Itoa(n)}
}

func optional[T fmt.Stringer](v *T) []string {
	if v == nil {
		return nil
	}
	return []string{(*v).String()}
}

func each[T any](values []T, write func(T) string) []string {
	var texts []string
	for _, v := range values {
		texts = append(texts, write(v))
	}
	return texts
}

// The readers' counterparts.

func pointer[T any](v T, err error) (*T, error) { return &v, err }

func add[T any](values []T, text string, parse func(string) (T, error)) ([]T, error) {
	v, err := parse(text)
	return append(values, v), err
}
