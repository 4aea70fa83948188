package specs

import "fmt"

// The two results of a self-review.
const (
	SelfReviewPass          = "PASS"
	SelfReviewNeedsRevision = "NEEDS_REVISION"
)

// SelfReviewInput is what the tool self_review takes: an author's judgement of its own draft.
// It is advice, never a gate.
type SelfReviewInput struct {
	ChangeID string   `json:"change_id,omitempty" jsonschema:"the change this server is bound to"`
	Result   string   `json:"result" jsonschema:"PASS or NEEDS_REVISION"`
	Issues   []string `json:"issues,omitempty" jsonschema:"what still has to be repaired; empty with PASS"`
}

// Validate returns what the agent must correct, nil if nothing.
func (in SelfReviewInput) Validate() []string {
	var c reportComplaints
	switch {
	case in.Result != SelfReviewPass && in.Result != SelfReviewNeedsRevision:
		c.addf("result is %q, want exactly PASS or NEEDS_REVISION", in.Result)
	case in.Result == SelfReviewPass && len(in.Issues) > 0:
		c.addf("result PASS comes with %d issues; report NEEDS_REVISION or leave them out", len(in.Issues))
	case in.Result == SelfReviewNeedsRevision && len(in.Issues) == 0:
		c.addf("result NEEDS_REVISION needs at least one issue")
	}
	if len(in.Issues) > maxFindings {
		c.addf("issues has %d entries, the limit is %d", len(in.Issues), maxFindings)
	}
	for i, issue := range in.Issues {
		c.required(fmt.Sprintf("issues[%d]", i), issue)
		c.text(fmt.Sprintf("issues[%d]", i), issue, maxReportText)
	}
	return c.complaints
}

// Passed reports whether the draft needs no further round.
func (in SelfReviewInput) Passed() bool { return in.Result == SelfReviewPass }
