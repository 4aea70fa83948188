package phases

import "fmt"

// Event is what a commit of ours says has happened.
// A [Step] becomes an event once its verdict and its evidence are known.
type Event string

// The events of the transition table.
const (
	EventPlan                   Event = "plan"            // an artefact of the plan is written
	EventImport                 Event = "import"          // somebody else's record is taken over: as a proposal, whatever it claims
	EventImportRejected         Event = "import REJECTED" // of a change that was turned down there
	EventPair                   Event = "pair"            // a turn of the pair loop
	EventReproposal             Event = "reproposal"
	EventChallengeApproved      Event = "challenge APPROVED"
	EventChallengeNeedsRevision Event = "challenge NEEDS_REVISION"
	EventChallengeRejected      Event = "challenge REJECTED"
	EventChallengeUnknown       Event = "challenge UNKNOWN"
	EventImplement              Event = "implement"
	EventResolve                Event = "resolve"
	EventReviewApproved         Event = "review APPROVED"
	EventReviewUnproved         Event = "review APPROVED, evidence failed"
	EventReviewNeedsChanges     Event = "review NEEDS_CHANGES"
	EventReviewMajorIssues      Event = "review MAJOR_ISSUES"
	EventReviewUnknown          Event = "review UNKNOWN"
	EventReverify               Event = "reverify"
	EventApprove                Event = "approve"
	EventReopen                 Event = "reopen"
	EventContinue               Event = "continue"
	EventAbandon                Event = "abandon"
	EventArchive                Event = "archive"
	EventUnarchive              Event = "unarchive"
	EventConfirm                Event = "confirm" // edit, note, repair, validate, self-review
)

// Event is what the commit says has happened.
// It is an error when the step gives a verdict and the transition has none, or has another step's.
func (t Transition) Event() (Event, error) {
	switch t.Step {
	case StepClarify, StepProposalGen, StepTasksGen:
		return EventPlan, nil
	case StepChallenge:
		return t.challengeEvent()
	case StepReview:
		return t.reviewEvent()
	case StepImport:
		return t.importEvent()
	case StepPair, StepReproposal, StepImplement, StepResolve, StepReverify,
		StepApprove, StepReopen, StepContinue, StepAbandon, StepArchive, StepUnarchive:
		return Event(t.Step), nil
	case StepEdit, StepNote, StepRepair, StepValidate, StepProposalReview, StepTasksReview:
		return EventConfirm, nil
	}
	_, gen, ok := t.Step.Spec()
	switch {
	case !ok:
		return "", fmt.Errorf("has the unknown step %q", t.Step)
	case gen:
		return EventPlan, nil
	}
	return EventConfirm, nil
}

func (t Transition) challengeEvent() (Event, error) {
	switch t.Verdict {
	case Approved:
		return EventChallengeApproved, nil
	case NeedsRevision:
		return EventChallengeNeedsRevision, nil
	case VerdictRejected:
		return EventChallengeRejected, nil
	case Unknown:
		return EventChallengeUnknown, nil
	}
	return "", fmt.Errorf("is a challenge with the verdict %q", t.Verdict)
}

// importEvent takes a rejection over and no other verdict: nothing binds an approval of elsewhere to this plan.
func (t Transition) importEvent() (Event, error) {
	switch t.Verdict {
	case "":
		return EventImport, nil
	case VerdictRejected:
		return EventImportRejected, nil
	}
	return "", fmt.Errorf("is an import with the verdict %q", t.Verdict)
}

func (t Transition) reviewEvent() (Event, error) {
	switch t.Verdict {
	case Approved:
		if !EvidencePassed(t.Evidence) {
			return EventReviewUnproved, nil
		}
		return EventReviewApproved, nil
	case NeedsChanges:
		return EventReviewNeedsChanges, nil
	case MajorIssues:
		return EventReviewMajorIssues, nil
	case Unknown:
		return EventReviewUnknown, nil
	}
	return "", fmt.Errorf("is a review with the verdict %q", t.Verdict)
}
