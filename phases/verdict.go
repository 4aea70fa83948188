package phases

import "slices"

// Verdict is the answer of a challenge or of a review.
type Verdict string

// The verdicts. "" is the absence of one.
const (
	Approved        Verdict = "APPROVED"       // challenge, review
	NeedsRevision   Verdict = "NEEDS_REVISION" // challenge
	VerdictRejected Verdict = "REJECTED"       // challenge
	NeedsChanges    Verdict = "NEEDS_CHANGES"  // review
	MajorIssues     Verdict = "MAJOR_ISSUES"   // review
	Unknown         Verdict = "UNKNOWN"        // nobody could read it; it never passes
)

// ParseChallengeVerdict reads the verdict of a challenge.
// Anything but the exact word is [Unknown].
func ParseChallengeVerdict(s string) Verdict {
	return known(Verdict(s), Approved, NeedsRevision, VerdictRejected)
}

// ParseReviewVerdict reads the verdict of a review.
// NEEDS_FIX and NEEDS_REVISION mean [NeedsChanges];
// anything else but the exact word is [Unknown].
func ParseReviewVerdict(s string) Verdict {
	if s == "NEEDS_FIX" || s == string(NeedsRevision) {
		return NeedsChanges
	}
	return known(Verdict(s), Approved, NeedsChanges, MajorIssues)
}

func known(v Verdict, verdicts ...Verdict) Verdict {
	if slices.Contains(verdicts, v) {
		return v
	}
	return Unknown
}
