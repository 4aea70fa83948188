package specs

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/phases"
)

// rawEntry is one line of the journal as it is written.
type rawEntry struct {
	Step, From, Phase string
	Round             int
	Verdict           string
	Findings          *struct {
		High, Medium, Low int
		Set               string
	}
	Subject, Diff, Agent string
	Usage                *struct {
		Unknown             bool
		In, Cached, Out, MS int64
		USD                 *float64
	}
	Evidence []struct {
		Kind   string
		Exit   int
		MS     int64
		NotRun bool `yaml:"not_run"`
		Cmd    string
	}
	Tasks                         []string
	Decision, Profile, Base, Loop string
	DependsOn                     []string `yaml:"depends_on"`
	By                            string
	At                            yaml.Node
}

// journal reads the transitions. The rules of the trailers decide whether an entry makes sense:
// the journal must not be able to say what a commit could not.
func (r *stateReader) journal(change string, n yaml.Node) []Entry {
	nodes := elements(n)
	if len(nodes) == 0 {
		return nil
	}
	id, err := phases.ParseChangeID(change)
	if err != nil {
		r.problem(High, "state-transition", n.Line, "transitions of no change: %v", err)
		return nil
	}
	var entries []Entry
	for i, node := range nodes {
		var raw rawEntry
		err := node.Decode(&raw)
		if err != nil {
			r.problem(High, "state-transition", node.Line, "transition %d: %s", i+1, problemText(err))
			continue
		}
		t, err := raw.transition(id)
		if err != nil {
			r.problem(High, "state-transition", node.Line, "transition %d %v", i+1, err)
			continue
		}
		entries = append(entries, Entry{Transition: t, At: r.time("at", raw.At)})
	}
	return entries
}

func (raw rawEntry) transition(change phases.ChangeID) (phases.Transition, error) {
	t := phases.Transition{
		Change: change, Step: phases.Step(raw.Step), Round: raw.Round, Verdict: phases.Verdict(raw.Verdict),
		Subject: raw.Subject, Diff: raw.Diff, Agent: raw.Agent, Tasks: raw.Tasks,
		Decision: phases.Decision(raw.Decision), Actor: phases.Actor(raw.By),
		Profile: phases.Profile(raw.Profile), Loop: raw.Loop,
	}
	if raw.By == byAgent {
		t.Actor = ""
	}
	if err := t.From.UnmarshalText([]byte(raw.From)); err != nil {
		return t, fmt.Errorf("has the from %q: %w", excerpt(raw.From), err)
	}
	if err := t.Phase.UnmarshalText([]byte(raw.Phase)); err != nil {
		return t, fmt.Errorf("has the phase %q: %w", excerpt(raw.Phase), err)
	}
	if f := raw.Findings; f != nil {
		t.Findings = &phases.Findings{High: f.High, Medium: f.Medium, Low: f.Low, Set: f.Set}
	}
	if u := raw.Usage; u != nil {
		t.Usage = new(phases.Usage{In: u.In, Cached: u.Cached, Out: u.Out, Millis: u.MS, USD: phases.Price(u.USD), Unknown: u.Unknown}.Bounded())
	}
	for _, e := range raw.Evidence {
		t.Evidence = append(t.Evidence, phases.Evidence{Kind: e.Kind, Exit: e.Exit, Millis: e.MS, NotRun: e.NotRun, Command: e.Cmd})
	}
	if raw.Base != "" {
		at := max(strings.LastIndexByte(raw.Base, '@'), 0)
		t.Base = &phases.Base{Branch: raw.Base[:at], Commit: strings.TrimPrefix(raw.Base[at:], "@")}
	}
	for _, text := range raw.DependsOn {
		id, err := phases.ParseChangeID(text)
		if err != nil {
			return t, fmt.Errorf("depends on %w", err)
		}
		t.DependsOn = append(t.DependsOn, id)
	}
	_, err := t.Trailers()
	return t, err
}
