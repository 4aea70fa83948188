package specs

import (
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// StateFile is the name of the file within the folder of a change.
const StateFile = "STATE.yaml"

// StateSchema is the schema_version that is written.
const StateSchema = "2.0"

// State is STATE.yaml: the readable projection of a change's history.
// It decides nothing; where it disagrees with the commits, the commits are right.
type State struct {
	ChangeID      string
	SchemaVersion string
	Phase         phases.Phase // the recorded phase
	Iteration     int
	LastAction    string // a step, or free text in files of the older tool
	CreatedAt     time.Time
	UpdatedAt     time.Time
	SessionID     string // of the proposer, where sessions are reused
	LLMCalls      []LLMCall
	Transitions   []Entry
	Archive       *Archive // once the change is archived

	// Validations are what the older tool recorded of its checks. They are read, never written.
	Validations []Validation
}

// LLMCall is one call of an agent.
type LLMCall struct {
	Step  string
	Agent string
	Model string
	Usage phases.Usage
	At    time.Time
}

// Entry is one line of the journal: a transition and when it was recorded.
// The journal keeps the record whole where a squash merge dropped the commits,
// so it holds everything that the trailers hold.
type Entry struct {
	phases.Transition
	At time.Time
}

// Archive records what archiving did to the living specs,
// so that a change of a spec on the base can be explained by it.
type Archive struct {
	Base  string // the commit of the base that the archive was built on
	Tip   string // the tip of the change's branch
	Specs []ArchivedSpec
}

// ArchivedSpec is one spec on the base before and after. Blobs are named by git's object id.
type ArchivedSpec struct {
	ID     SpecID
	Before string // "" if the spec is new
	After  string // "" if the spec was removed
	// Resolved says that both sides had changed the same, and a person decided what After says there.
	Resolved bool
}

// Validation is one check that the older tool recorded.
type Validation struct {
	Step              string
	Verdict           string
	Valid             bool
	High, Medium, Low int
	At                time.Time
}

// NewState returns the state of a change before its first transition.
// It has no phase yet; the first Record gives it one.
func NewState(change string) *State {
	return &State{ChangeID: change, SchemaVersion: StateSchema, Iteration: 1}
}

// EntryOf makes the journal's entry of a transition.
func EntryOf(t phases.Transition, at time.Time) Entry {
	return Entry{Transition: t, At: at.UTC()}
}

// CallOf makes the record of an agent call;
// agent is "name/model/effort" as in the trailer, and a model's name may have slashes of its own.
func CallOf(step, agent string, usage phases.Usage, at time.Time) LLMCall {
	name, model, _ := strings.Cut(agent, "/")
	if i := strings.LastIndexByte(model, '/'); i >= 0 && isEffort(model[i+1:]) {
		model = model[:i]
	}
	return LLMCall{Step: step, Agent: name, Model: model, Usage: usage, At: at.UTC()}
}

func isEffort(word string) bool {
	return slices.Contains([]string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}, word)
}

// Record appends a transition with the calls it took and brings everything else up to date.
// The lists of other copies of the state are left alone.
func (s *State) Record(e Entry, calls []LLMCall, at time.Time) {
	at = at.UTC()
	if e.At.IsZero() {
		e.At = at
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = at
	}
	if e.Round > 0 {
		s.Iteration = e.Round
	}
	s.SchemaVersion = StateSchema
	s.Phase = e.Phase
	s.LastAction = string(e.Step)
	s.UpdatedAt = at
	s.LLMCalls = slices.Concat(s.LLMCalls, calls)
	s.Transitions = slices.Concat(s.Transitions, []Entry{e})
}
