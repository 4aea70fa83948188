package phases

import (
	"fmt"
	"slices"
	"strings"
)

// Step is what one commit of ours did.
type Step string

// The steps. Two more are made per spec: see [SpecGen] and [SpecReview].
const (
	StepClarify        Step = "clarify"
	StepProposalGen    Step = "proposal-gen"
	StepProposalReview Step = "proposal-review"
	StepTasksGen       Step = "tasks-gen"
	StepTasksReview    Step = "tasks-review"
	StepValidate       Step = "validate"
	StepChallenge      Step = "challenge"
	StepReproposal     Step = "reproposal"
	StepImplement      Step = "implement"
	StepReview         Step = "review"
	StepResolve        Step = "resolve"
	StepReverify       Step = "reverify"
	StepApprove        Step = "approve"
	StepReopen         Step = "reopen"
	StepAbandon        Step = "abandon"
	StepContinue       Step = "continue"
	StepEdit           Step = "edit"   // a person's edits in the change's folder
	StepNote           Step = "note"   // a person's word to the agents
	StepRepair         Step = "repair" // STATE.yaml written anew
	StepArchive        Step = "archive"
	StepUnarchive      Step = "unarchive"
	StepImport         Step = "import"
	StepPair           Step = "pair" // one turn of the pair loop
)

const (
	specGenPrefix    = "spec-gen-"
	specReviewPrefix = "spec-review-"
)

// SpecGen is the step that writes a spec.
func SpecGen(spec string) Step { return Step(specGenPrefix + spec) }

// SpecReview is the step in which the author reads a spec again.
func SpecReview(spec string) Step { return Step(specReviewPrefix + spec) }

// Spec reads the spec's name out of a step made by [SpecGen] (gen is true) or [SpecReview].
// It answers ok only when the name is a legal id.
func (s Step) Spec() (spec string, gen, ok bool) {
	spec, gen = strings.CutPrefix(string(s), specGenPrefix)
	if !gen {
		var review bool
		if spec, review = strings.CutPrefix(string(s), specReviewPrefix); !review {
			return "", false, false
		}
	}
	if CheckName(spec) != nil {
		return "", false, false
	}
	return spec, gen, true
}

// ParseStep reads a step's name exactly as it is written.
func ParseStep(s string) (Step, error) {
	step := Step(s)
	if slices.Contains(fixedSteps(), step) {
		return step, nil
	}
	if _, _, ok := step.Spec(); ok {
		return step, nil
	}
	return "", fmt.Errorf("unknown step %s", quoteShort(s))
}

func fixedSteps() []Step {
	return []Step{
		StepClarify, StepProposalGen, StepProposalReview, StepTasksGen, StepTasksReview, StepValidate,
		StepChallenge, StepReproposal, StepImplement, StepReview, StepResolve, StepReverify,
		StepApprove, StepReopen, StepAbandon, StepContinue, StepEdit, StepNote, StepRepair,
		StepArchive, StepUnarchive, StepImport, StepPair,
	}
}
