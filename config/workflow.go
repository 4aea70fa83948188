package config

import (
	"path"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// Workplace says where a change's work is done.
type Workplace string

// WorkplaceAuto recommends a branch on a terminal and takes a worktree elsewhere.
const (
	WorkplaceAuto     Workplace = ""
	WorkplaceWorktree Workplace = "worktree" // a linked worktree below Workflow.WorktreeDir
	WorkplaceBranch   Workplace = "branch"   // a branch in this checkout
)

// Workflow is the table [workflow]: how often, in which order, and who is asked.
type Workflow struct {
	PlanningIterations       int // reproposals per plan since the last human decision
	ImplementationIterations int // resolves per impl since the last human decision
	FormatIterations         int // turns to repair what validation found
	SelfReviewIterations     int // per artefact, stops at the first PASS
	SequentialImplementation bool
	HumanInLoop              bool
	ScriptRetries            int // of an agent that is rate limited or unavailable
	RetryDelay               time.Duration
	SessionReuse             bool
	Profile                  phases.Profile
	Worktree                 Workplace
	WorktreeDir              string // {project} stands for the project's name; ask WorktreePath
}

func defaultWorkflow() Workflow {
	return Workflow{
		PlanningIterations:       3,
		ImplementationIterations: 2,
		FormatIterations:         2,
		SelfReviewIterations:     3,
		SequentialImplementation: true,
		HumanInLoop:              true,
		ScriptRetries:            3,
		RetryDelay:               5 * time.Second,
		Profile:                  phases.ProfileSpec,
		WorktreeDir:              "../{project}-agentd",
	}
}

// WorktreePath returns the folder of a change's worktree, relative to the repository's top unless WorktreeDir is absolute.
func (w Workflow) WorktreePath(project, change string) string {
	return path.Join(strings.ReplaceAll(w.WorktreeDir, "{project}", project), change)
}

// Limits is the table [limits]: when a silent or endless agent is stopped.
type Limits struct {
	Idle     time.Duration          // without an event
	IdleTool time.Duration          // without an event while a tool call is open: tests run long
	Wall     map[Role]time.Duration // per call; ask WallOf
}

func defaultLimits() Limits {
	return Limits{
		Idle:     6 * time.Minute,
		IdleTool: 20 * time.Minute,
		Wall: map[Role]time.Duration{
			Proposer:    10 * time.Minute,
			Challenger:  15 * time.Minute,
			Implementer: 60 * time.Minute,
			Reviewer:    15 * time.Minute,
		},
	}
}

// WallOf returns the wall limit of one call of a role:
// its own, or that of the role it stands in for.
func (l Limits) WallOf(role Role) time.Duration {
	if limit, ok := l.Wall[role]; ok {
		return limit
	}
	if stand, ok := understudies()[role]; ok {
		return l.WallOf(stand)
	}
	return defaultLimits().Wall[Implementer]
}
