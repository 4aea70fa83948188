package config

import (
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// Scan says whether a security scanner is looked for.
type Scan string

// Auto runs the scanner that is installed and fits the project; Off runs none, which is never the same as clean.
const (
	ScanAuto Scan = "auto"
	ScanOff  Scan = "off"
)

// Review is the table [review]: the evidence that impl gathers itself.
type Review struct {
	// Commands are the project's own checks.
	// nil means that the file does not say, and they are found from the project;
	// empty and not nil means that the project has none, and nothing can be proved.
	Commands []string
	Scan     Scan
	Timeout  time.Duration // of one command
}

func defaultReview() Review {
	return Review{Scan: ScanAuto, Timeout: 20 * time.Minute}
}

// Publish says when plan and impl push and open a pull request by themselves.
type Publish string

// Ask asks on a terminal and does nothing elsewhere.
const (
	PublishAlways Publish = "always"
	PublishAsk    Publish = "ask"
	PublishNever  Publish = "never"
)

// GitHub is the table [github].
type GitHub struct {
	Publish Publish
}

// Policy is the table [policy]. It counts only on the base branch: a change cannot relax what judges it.
type Policy struct {
	VerdictSigners          []string // keys that must have signed verdict commits; empty: any
	DecisionSigners         []string // keys that must have signed people's decisions; empty: any
	Profiles                []phases.Profile
	RequireDistinctReviewer bool
}

func defaultPolicy() Policy {
	return Policy{Profiles: []phases.Profile{phases.ProfileSpec, phases.ProfileCrew}}
}
