package specs

import "strings"

// The reports on a change, relative to its folder: written for readers, no part of the plan.
const (
	ChallengeFile = "CHALLENGE.md"
	ReviewFile    = "REVIEW.md"
)

// IsSpecPath says whether a path relative to a change's folder is that of a spec.
func IsSpecPath(path string) bool {
	name, ok := strings.CutPrefix(path, "specs/")
	return ok && strings.HasSuffix(name, ".md") && !strings.Contains(name, "/") && !strings.HasPrefix(name, "_")
}
