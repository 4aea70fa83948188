package phases_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/phases"
)

// The table once more, written by hand from the design: event, then from→to, "!" for a person's.
// The conditions have tests of their own below.
const legalMoves = `
plan: none→proposed proposed→proposed
import: none→proposed proposed→proposed
import REJECTED: none→rejected
pair: none→implementing implementing→implementing
reproposal: proposed→proposed
challenge APPROVED: proposed→challenged
challenge NEEDS_REVISION: proposed→proposed
challenge REJECTED: proposed→rejected
challenge UNKNOWN: proposed→proposed
implement: challenged→implementing implementing→implementing
resolve: implementing→implementing
review APPROVED: implementing→complete complete→complete
review APPROVED, evidence failed: implementing→implementing complete→implementing
review NEEDS_CHANGES: implementing→implementing complete→implementing
review MAJOR_ISSUES: implementing→implementing complete→implementing
review UNKNOWN: implementing→implementing complete→complete
reverify: implementing→complete
approve: proposed→challenged implementing→complete
reopen: challenged→proposed rejected→proposed implementing→proposed complete→proposed
continue: proposed→proposed implementing→implementing
abandon: proposed→rejected challenged→rejected rejected→rejected implementing→rejected complete→rejected
archive: complete→archived archived→archived
unarchive: archived→complete
confirm: proposed→proposed challenged→challenged rejected→rejected implementing→implementing complete→complete archived→archived
`

func moves(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(legalMoves)) {
		event, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("bad line %q", line)
		}
		all[event] = map[string]string{}
		for _, move := range strings.Fields(rest) {
			from, to, _ := strings.Cut(move, "→")
			all[event][from] = to
		}
	}
	return all
}

func TestNext_everyPair(t *testing.T) {
	for event, legal := range moves(t) {
		for _, from := range append([]phases.Phase{phases.None}, phases.Phases()...) {
			t.Run(fmt.Sprintf("%s at %s", event, from), func(t *testing.T) {
				got, err := phases.Next(from, phases.Event(event), phases.AllConditions)
				want, ok := legal[from.String()]
				if ok {
					if err != nil || got.String() != want {
						t.Fatalf("got %s, %v; want %s", got, err, want)
					}
					return
				}
				illegal, typed := errors.AsType[*phases.IllegalTransitionError](err)
				if !typed || illegal.From != from || illegal.Event != phases.Event(event) || illegal.Hint() == "" {
					t.Fatalf("got %s, %v; want an IllegalTransitionError", got, err)
				}
			})
		}
	}
}

func TestTable_hasNoOtherRows(t *testing.T) {
	want := moves(t)
	seen := map[string]bool{}
	for _, row := range phases.Table() {
		key := fmt.Sprintf("%s %s", row.From, row.Event)
		if seen[key] {
			t.Errorf("two rows for %s", key)
		}
		seen[key] = true
		if want[string(row.Event)][row.From.String()] != row.To.String() {
			t.Errorf("row %s → %s is not in the design", key, row.To)
		}
	}
}

func TestNext_needsEachCondition(t *testing.T) {
	for _, row := range phases.Table() {
		for c := phases.Conditions(1); c <= phases.AllConditions && c != 0; c <<= 1 {
			_, err := phases.Next(row.From, row.Event, phases.AllConditions&^c)
			if needed := row.Needs&c != 0; needed != (err != nil) {
				t.Errorf("%s at %s without %s: %v", row.Event, row.From, c, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.String()) {
				t.Errorf("%q does not say that it needs %s", err, c)
			}
		}
	}
}

func TestNext_personsDecisions(t *testing.T) {
	for _, row := range phases.Table() {
		want := phases.Step(row.Event).Decision() != ""
		if got := row.Needs&phases.ByPerson != 0; got != want {
			t.Errorf("%s at %s needs a person: %v, want %v", row.Event, row.From, got, want)
		}
	}
}

// Nothing but an approval leads into challenged or complete.
func TestTable_approvalsAreBound(t *testing.T) {
	for _, row := range phases.Table() {
		enters := row.From != row.To && (row.To == phases.Challenged || row.To == phases.Complete) && row.Event != phases.EventUnarchive
		if enters && row.Needs&phases.Bound == 0 {
			t.Errorf("%s enters %s without a subject", row.Event, row.To)
		}
		if enters && row.To == phases.Complete && row.Needs&phases.Proved == 0 {
			t.Errorf("%s enters complete without evidence", row.Event)
		}
	}
}

// The package comment is the page that people read; it must be the table.
func TestDoc_hasTheTable(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(src)) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			documented[strings.Join(regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(row), -1), "|")] = true
		}
	}
	for _, row := range phases.Table() {
		line := fmt.Sprintf("%s|%s|%s", row.From, row.Event, row.To)
		if row.Event == phases.EventConfirm {
			line = "any|confirm|the same"
		}
		if row.Needs != 0 {
			line += "|" + row.Needs.String()
		}
		if !documented[line] {
			t.Errorf("doc.go has no row %q", line)
		}
	}
	rows := 0
	for line := range documented {
		from, _, isRow := strings.Cut(line, "|")
		if _, err := phases.ParsePhase(from); isRow && err == nil {
			rows++
		}
	}
	if want := len(phases.Table()) - len(phases.Phases()) - 4; rows != want {
		t.Errorf("doc.go has %d rows from a phase, want %d", rows, want)
	}
}

func TestIllegalTransitionError_text(t *testing.T) {
	_, err := phases.Next(phases.Implementing, phases.EventArchive, phases.AllConditions)
	want := "illegal transition: archive at implementing: it needs complete or archived"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
