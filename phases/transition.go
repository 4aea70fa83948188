package phases

import (
	"fmt"
	"slices"
	"strings"
)

// Row is one line of the transition table.
type Row struct {
	From  Phase
	Event Event
	Needs Conditions // all of them, or the move is illegal
	To    Phase
}

// Table is the whole state machine as data.
// What is not in it is illegal; [Next] reads nothing else.
func Table() []Row {
	rows := []Row{
		{None, EventPlan, Planned, Proposed},
		{None, EventImport, Planned, Proposed},
		{None, EventImportRejected, Planned, Rejected},
		{None, EventPair, Paired, Implementing},

		{Proposed, EventPlan, 0, Proposed},
		{Proposed, EventImport, 0, Proposed}, // again, from a source that has changed
		{Proposed, EventReproposal, 0, Proposed},
		{Proposed, EventChallengeApproved, Bound, Challenged},
		{Proposed, EventChallengeNeedsRevision, 0, Proposed},
		{Proposed, EventChallengeRejected, 0, Rejected},
		{Proposed, EventChallengeUnknown, 0, Proposed},
		{Proposed, EventApprove, ByPerson | Bound, Challenged},
		{Proposed, EventContinue, ByPerson, Proposed},
		{Proposed, EventAbandon, ByPerson, Rejected},

		{Challenged, EventImplement, 0, Implementing},
		{Challenged, EventReopen, ByPerson, Proposed},
		{Challenged, EventAbandon, ByPerson, Rejected},

		{Rejected, EventReopen, ByPerson, Proposed},
		{Rejected, EventAbandon, ByPerson, Rejected},

		{Implementing, EventPair, Paired | Decided, Implementing},
		{Implementing, EventImplement, Decided, Implementing},
		{Implementing, EventResolve, Decided, Implementing},
		{Implementing, EventReviewApproved, Bound | Proved | Decided, Complete},
		{Implementing, EventReviewUnproved, Decided, Implementing},
		{Implementing, EventReviewNeedsChanges, Decided, Implementing},
		{Implementing, EventReviewMajorIssues, Decided, Implementing},
		{Implementing, EventReviewUnknown, Decided, Implementing},
		{Implementing, EventApprove, ByPerson | Bound | Proved, Complete},
		{Implementing, EventReverify, Bound | Proved | SameDiff, Complete},
		{Implementing, EventContinue, ByPerson, Implementing},
		{Implementing, EventReopen, ByPerson, Proposed},
		{Implementing, EventAbandon, ByPerson, Rejected},

		{Complete, EventReviewApproved, Bound | Proved, Complete},
		{Complete, EventReviewUnproved, 0, Implementing},
		{Complete, EventReviewNeedsChanges, 0, Implementing},
		{Complete, EventReviewMajorIssues, 0, Implementing},
		{Complete, EventReviewUnknown, 0, Complete},
		{Complete, EventArchive, 0, Archived},
		{Complete, EventReopen, ByPerson, Proposed},
		{Complete, EventAbandon, ByPerson, Rejected},

		{Archived, EventArchive, 0, Archived}, // a new attempt of one that has not landed
		{Archived, EventUnarchive, 0, Complete},
	}
	for _, p := range Phases() {
		rows = append(rows, Row{p, EventConfirm, 0, p})
	}
	return rows
}

// Conditions is a set of facts about a commit, beside its event.
type Conditions uint8

// The conditions that rows of the [Table] need.
const (
	ByPerson Conditions = 1 << iota // the actor is human and the decision is named
	Bound                           // the approval names the tree that it stands on
	Proved                          // we ran the checks on that tree and they passed
	SameDiff                        // the code differs from the base exactly as it did when approved
	Decided                         // no decision of a person is open
	Planned                         // the profile works by a plan
	Paired                          // the profile is pair
)

// AllConditions is what the best of commits fulfils.
// With it, [Next] tells before any work whether an event can be legal at all.
const AllConditions = ByPerson | Bound | Proved | SameDiff | Decided | Planned | Paired

// String says what the conditions demand, in words for people.
func (c Conditions) String() string {
	var words []string
	for i, word := range [...]string{
		"a person's decision",
		"its own tree as subject",
		"passed evidence",
		"the approved diff",
		"no open decision",
		"a profile with a plan",
		"profile pair",
	} {
		if c&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// Next is the phase after an event.
// The error is an [*IllegalTransitionError].
func Next(from Phase, ev Event, c Conditions) (Phase, error) {
	var legal []string
	for _, row := range Table() {
		if row.Event != ev {
			continue
		}
		if row.From != from {
			legal = append(legal, row.From.String())
			continue
		}
		if missing := row.Needs &^ c; missing != 0 {
			return None, &IllegalTransitionError{From: from, To: row.To, Event: ev, Reason: "it needs " + missing.String()}
		}
		return row.To, nil
	}
	reason := "there is no such event"
	if len(legal) > 0 {
		reason = "it needs " + strings.Join(slices.Compact(legal), " or ")
	}
	return None, &IllegalTransitionError{From: from, Event: ev, Reason: reason}
}

// IllegalTransitionError refuses a move that the [Table] does not have.
type IllegalTransitionError struct {
	From, To Phase // To is None where no row leads anywhere
	Event    Event
	Reason   string
}

func (e *IllegalTransitionError) Error() string {
	return fmt.Sprintf("illegal transition: %s at %s: %s", e.Event, e.From, e.Reason)
}

// Hint names the command that goes on from the phase.
func (e *IllegalTransitionError) Hint() string {
	switch e.From {
	case Proposed, None:
		return "go on with `gh agentd plan <id>`"
	case Challenged, Implementing:
		return "go on with `gh agentd impl <id>`"
	case Complete:
		return "go on with `gh agentd archive <id>`"
	case Rejected:
		return "read the challenge with `gh agentd show <id> challenge`, edit, then `gh agentd reopen <id>`"
	}
	return "see `gh agentd status <id>`"
}
