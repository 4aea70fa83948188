package specs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/phases"
)

// ParseState reads STATE.yaml in every form that occurs in the wild:
// what YAML writes, schema 2.0 of the older tool with or without telemetry, and files with a handful of keys.
//
// A file without a phase, or with a word that is none, is an error: nothing may go on from a guess.
// Everything else that is wrong is a problem, and the value in question is left out.
func ParseState(file string, src []byte) (*State, Problems, error) {
	var raw rawState
	if err := decodeYAML(file, src, &raw, false); err != nil {
		return nil, nil, err
	}
	r := stateReader{file: file}
	phase, err := r.phase(raw.Phase)
	if err != nil {
		return nil, nil, err
	}
	s := &State{
		ChangeID:      r.text("change_id", raw.ChangeID),
		SchemaVersion: r.text("schema_version", raw.SchemaVersion),
		Phase:         phase,
		Iteration:     int(r.whole("iteration", raw.Iteration, 1, math.MaxInt32)),
		LastAction:    r.text("last_action", raw.LastAction),
		CreatedAt:     r.time("created_at", raw.CreatedAt),
		UpdatedAt:     r.time("updated_at", raw.UpdatedAt),
		SessionID:     r.text("session_id", raw.SessionID),
		LLMCalls:      r.calls(raw),
		Validations:   r.validations(raw.Validations),
	}
	s.Transitions = r.journal(s.ChangeID, raw.Transitions)
	s.Archive = r.archive(raw.Archive)
	r.judge(s)
	return s, r.problems, nil
}

// rawState has the keys of all variants.
// The nodes are looked at one by one, so that one odd value does not cost the whole file.
type rawState struct {
	ChangeID      yaml.Node `yaml:"change_id"`
	SchemaVersion yaml.Node `yaml:"schema_version"`
	Phase         yaml.Node `yaml:"phase"`
	Iteration     yaml.Node `yaml:"iteration"`
	LastAction    yaml.Node `yaml:"last_action"`
	CreatedAt     yaml.Node `yaml:"created_at"`
	UpdatedAt     yaml.Node `yaml:"updated_at"`
	SessionID     yaml.Node `yaml:"session_id"`
	LLMCalls      yaml.Node `yaml:"llm_calls"`
	Telemetry     yaml.Node `yaml:"telemetry"`
	Validations   yaml.Node `yaml:"validations"`
	Transitions   yaml.Node `yaml:"transitions"`
	Archive       yaml.Node `yaml:"archive"`
}

// judge reports what is odd about the file as a whole.
func (r *stateReader) judge(s *State) {
	if s.ChangeID == "" {
		r.problem(Medium, "state-change", 0, "no change_id")
	}
	if s.SchemaVersion != "" && s.SchemaVersion != StateSchema {
		r.problem(Low, "state-schema", 0, "schema_version %q is not %q", s.SchemaVersion, StateSchema)
	}
	if !s.CreatedAt.IsZero() && s.UpdatedAt.Before(s.CreatedAt) && !s.UpdatedAt.IsZero() {
		r.problem(Low, "state-time", 0, "updated_at is earlier than created_at")
	}
}

// stateReader collects what is wrong on the way.
type stateReader struct {
	file     string
	problems Problems
}

func (r *stateReader) problem(severity Severity, rule string, line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Rule: rule, Severity: severity, File: r.file, Line: line, Message: fmt.Sprintf(format, args...),
	})
}

// phase reads the phase in any case, and the finer phases that the older tool once had.
func (r *stateReader) phase(n yaml.Node) (phases.Phase, error) {
	word := r.text("phase", n)
	if word == "" {
		return phases.None, &DocumentError{File: r.file, Line: n.Line, Message: "no phase"}
	}
	if phase, ok := olderPhase(strings.ToLower(word)); ok {
		r.problem(Low, "state-phase", n.Line, "phase %q of the older tool is read as %q", word, phase)
		return phase, nil
	}
	phase, err := phases.ParsePhase(strings.ToLower(word))
	if err != nil {
		_, wrong := phases.ParsePhase(word)
		return phases.None, fmt.Errorf("%s:%d: %w", r.file, n.Line, wrong)
	}
	return phase, nil
}

// olderPhase maps the phases that are not among the six.
func olderPhase(word string) (phases.Phase, bool) {
	switch word {
	case "drafting", "clarifying", "specs_generated", "tasks_generated":
		return phases.Proposed, true
	case "planned":
		return phases.Challenged, true
	case "testing", "code_reviewing":
		return phases.Implementing, true
	case "implemented", "merging":
		return phases.Complete, true
	default:
		return phases.None, false
	}
}

// text reads a scalar as it stands in the file, "" for null and for a key that is not there.
func (r *stateReader) text(key string, n yaml.Node) string {
	switch {
	case n.Kind == 0 || n.Tag == "!!null":
		return ""
	case n.Kind != yaml.ScalarNode:
		r.problem(Low, "state-value", n.Line, "%s: want text", key)
		return ""
	default:
		return strings.TrimSpace(n.Value)
	}
}

// whole reads a whole number of at least least; an odd one is reported and replaced by it.
func (r *stateReader) whole(key string, n yaml.Node, least, most int64) int64 {
	text := r.text(key, n)
	if text == "" {
		return least
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < least || value > most {
		r.problem(Low, "state-value", n.Line, "%s: %q is not a whole number from %d to %d", key, excerpt(text), least, most)
		return least
	}
	return value
}

// time reads a time stamp in the forms that occur; an odd one is reported and left out.
func (r *stateReader) time(key string, n yaml.Node) time.Time {
	text := r.text(key, n)
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	r.problem(Low, "state-time", n.Line, "%s: %q is not a time such as 2026-01-19T10:30:00Z", key, excerpt(text))
	return time.Time{}
}

// archive reads what archiving did to the specs.
func (r *stateReader) archive(n yaml.Node) *Archive {
	if n.Kind == 0 || n.Tag == "!!null" {
		return nil
	}
	var raw struct {
		Base  string
		Tip   string
		Specs []struct {
			ID, Before, After string
			Resolved          bool
		}
	}
	if err := n.Decode(&raw); err != nil {
		r.problem(High, "state-archive", n.Line, "archive: %s", problemText(err))
		return nil
	}
	archive := &Archive{Base: raw.Base, Tip: raw.Tip}
	for _, spec := range raw.Specs {
		id, err := ParseSpecID(spec.ID)
		if err != nil {
			r.problem(High, "state-archive", n.Line, "archive: %v", err)
			continue
		}
		archive.Specs = append(archive.Specs, ArchivedSpec{ID: id, Before: spec.Before, After: spec.After, Resolved: spec.Resolved})
	}
	return archive
}

// validations reads the checks that the older tool recorded. They are history for readers and may be odd.
func (r *stateReader) validations(n yaml.Node) []Validation {
	var validations []Validation
	for _, entry := range elements(n) {
		var raw struct {
			Step      string
			Timestamp yaml.Node
			Result    struct {
				Valid             bool
				High, Medium, Low int
				Verdict           string
			}
		}
		if err := entry.Decode(&raw); err != nil {
			r.problem(Low, "state-validation", entry.Line, "validations: %s", problemText(err))
			continue
		}
		validations = append(validations, Validation{
			Step: raw.Step, Verdict: raw.Result.Verdict, Valid: raw.Result.Valid,
			High: raw.Result.High, Medium: raw.Result.Medium, Low: raw.Result.Low,
			At: r.time("timestamp", raw.Timestamp),
		})
	}
	return validations
}

// elements returns the entries of a list, none for anything else.
func elements(n yaml.Node) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// problemText is an error of the YAML library on one line.
func problemText(err error) string {
	located, _ := locateYAML("", 1, err).(*DocumentError)
	return strings.Join(strings.Fields(located.Message), " ")
}
