package phases

import (
	"fmt"
	"strings"
)

// Phase is where a change stands.
type Phase uint8

// The six phases, and None for a change that does not exist yet.
const (
	None         Phase = iota
	Proposed           // a plan is being written
	Challenged         // a plan has been approved
	Rejected           // a plan was turned down, or a change was abandoned
	Implementing       // code is being written
	Complete           // code has been approved
	Archived           // the change's specs are the project's specs
)

var phaseNames = [...]string{
	None:         "none",
	Proposed:     "proposed",
	Challenged:   "challenged",
	Rejected:     "rejected",
	Implementing: "implementing",
	Complete:     "complete",
	Archived:     "archived",
}

// Phases are the six phases in the order in which a change meets them.
func Phases() []Phase {
	return []Phase{Proposed, Challenged, Rejected, Implementing, Complete, Archived}
}

// ParsePhase reads one of the six names, exactly as they are written.
// "none" is no phase; only Agentd-From may say it.
// The error is a [*PhaseError].
func ParsePhase(s string) (Phase, error) {
	for _, p := range Phases() {
		if s == p.String() {
			return p, nil
		}
	}
	return None, &PhaseError{Input: s}
}

// String is the name of the phase, "none" for None.
func (p Phase) String() string {
	if int(p) >= len(phaseNames) {
		return fmt.Sprintf("phase(%d)", uint8(p))
	}
	return phaseNames[p]
}

// MarshalText is [Phase.String] for the six phases and None.
func (p Phase) MarshalText() ([]byte, error) {
	if int(p) >= len(phaseNames) {
		return nil, &PhaseError{Input: p.String()}
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what [Phase.MarshalText] wrote, "none" included.
func (p *Phase) UnmarshalText(text []byte) error {
	parsed, err := parseFrom(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// parseFrom is [ParsePhase] for the one place where "none" has a meaning.
func parseFrom(s string) (Phase, error) {
	if s == None.String() {
		return None, nil
	}
	return ParsePhase(s)
}

// PhaseError refuses a word that is no phase.
// There is no default: nothing goes on from an unknown phase.
type PhaseError struct{ Input string }

// Error lists the six phases and names the nearest.
func (e *PhaseError) Error() string {
	return fmt.Sprintf("unknown phase %s (the phases are %s)", quoteShort(e.Input), strings.Join(phaseNames[Proposed:], ", "))
}

// Hint asks about the nearest phase.
func (e *PhaseError) Hint() string {
	return fmt.Sprintf("did you mean %q?", e.Nearest().String())
}

// Nearest is the phase whose name differs least from the input, case aside.
func (e *PhaseError) Nearest() Phase {
	input := strings.ToLower(e.Input[:min(len(e.Input), MaxNameLength)])
	best, least := Proposed, len(input)+MaxNameLength
	for _, p := range Phases() {
		if d := editDistance(input, p.String()); d < least {
			best, least = p, d
		}
	}
	return best
}

// editDistance is Levenshtein's, over bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
