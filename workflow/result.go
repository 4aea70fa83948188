package workflow

import (
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// ActionResult is what plan, impl, archive, the single steps and the decisions answer.
type ActionResult struct {
	Change    string          `json:"change"`
	Action    string          `json:"action"`
	Phase     phases.Phase    `json:"phase"`
	Verdict   phases.Verdict  `json:"verdict,omitempty"`
	Iteration int             `json:"iteration"`
	Findings  []specs.Finding `json:"findings,omitempty"`
	Decision  *Decision       `json:"decision,omitempty"`
	Commits   []string        `json:"commits"`
	Branch    string          `json:"branch"`
	Worktree  string          `json:"worktree,omitempty"`
	Left      []string        `json:"left,omitempty"` // paths that were not committed or not projected, and why they are named
	Usage     UsageTotals     `json:"usage"`
	Message   string          `json:"message"`
	Next      string          `json:"next,omitempty"`
	// PullRequest is the page of the pull request, where the work was published.
	PullRequest string `json:"pull_request,omitempty"`
	// Conflicts are the places of specs that the base and the change both edited.
	Conflicts []specs.Conflict `json:"conflicts,omitempty"`

	// Chosen is the action a person picked at the last decision point: "implement" after an approval.
	Chosen string `json:"-"`
}

// The actions a result can name.
const (
	ActionProposed          = "proposed"
	ActionChallenged        = "challenged"
	ActionRejected          = "rejected"
	ActionRevised           = "revised"
	ActionImplementing      = "implementing"
	ActionComplete          = "complete"
	ActionArchived          = "archived"
	ActionArchivePending    = "archive_pending" // on its branch: a pull request is to bring it to the base
	ActionWithdrawn         = "archive_withdrawn"
	ActionSpecConflict      = "spec_conflict" // nothing is archived: a person has to decide
	ActionGivenUp           = "resolution_given_up"
	ActionAlreadyChallenged = "already_challenged"
	ActionAlreadyComplete   = "already_complete"
	ActionAlreadyArchived   = "already_archived"
	ActionBeyondPlanning    = "beyond_planning"
	ActionDecisionPending   = "decision_pending"
	ActionApproved          = "approved"
	ActionReopened          = "reopened"
	ActionAbandoned         = "abandoned"
)

// Decision is an open question to a person, with the command behind each answer.
type Decision struct {
	Kind     string           `json:"kind"`
	Question string           `json:"question"`
	Options  []DecisionOption `json:"options"`
}

// DecisionOption is one answer; the recommended one stands first.
type DecisionOption struct {
	Action      string `json:"action"`
	Label       string `json:"label"`
	Command     string `json:"command,omitempty"`
	Recommended bool   `json:"recommended"`
}

func revisionDecision(id phases.ChangeID, found phases.Findings) Decision {
	return Decision{
		Kind:     "needs_revision",
		Question: fmt.Sprintf("the challenge asks for revision (%s)", countText(found)),
		Options: []DecisionOption{
			{Action: "revise", Label: "Fix the findings and challenge again", Command: command("plan", id), Recommended: true},
			{Action: "view", Label: "Read the challenge", Command: command("show", id, "challenge")},
			{Action: "stop", Label: "Stop here"},
		},
	}
}

func approvedDecision(id phases.ChangeID) Decision {
	return Decision{
		Kind:     "approved",
		Question: "the plan is approved",
		Options: []DecisionOption{
			{Action: "implement", Label: "Implement it", Command: command("impl", id), Recommended: true},
			{Action: "view", Label: "Read the challenge", Command: command("show", id, "challenge")},
			{Action: "stop", Label: "Stop here"},
		},
	}
}

// limitDecision offers to go on as it is only where nothing serious is open.
func limitDecision(id phases.ChangeID, reason string, found phases.Findings) Decision {
	clear := found.High == 0 && found.Medium == 0
	implement := DecisionOption{Action: "implement", Label: "Approve the plan as it is and implement it", Command: command("approve", id), Recommended: clear}
	more := DecisionOption{Action: "continue", Label: "Go on with more rounds", Command: command("plan", id, "--continue"), Recommended: !clear}
	view := DecisionOption{Action: "view", Label: "Read the challenge", Command: command("show", id, "challenge")}
	options := []DecisionOption{more, implement, view}
	if clear {
		options = []DecisionOption{implement, more, view}
	}
	return Decision{Kind: "limit", Question: reason, Options: options}
}

func reviewLimitDecision(id phases.ChangeID, reason string) Decision {
	return Decision{Kind: "limit", Question: reason, Options: []DecisionOption{
		{Action: "continue", Label: "Go on with more rounds", Command: command("impl", id, "--continue"), Recommended: true},
		{Action: "view", Label: "Read the review", Command: command("show", id, "review")},
		{Action: "approve", Label: "Approve the code as it is", Command: command("approve", id)},
	}}
}

func changesDecision(id phases.ChangeID, review *phases.Applied) Decision {
	question := fmt.Sprintf("the review asks for changes (%s)", countText(findingsOf(review)))
	if review != nil && review.Verdict == phases.Approved {
		question = "a check fails on what the review approved"
	}
	return Decision{
		Kind:     "needs_changes",
		Question: question,
		Options: []DecisionOption{
			{Action: "resolve", Label: "Resolve the findings and review again", Command: command("impl", id), Recommended: true},
			{Action: "view", Label: "Read the review", Command: command("show", id, "review")},
			{Action: "stop", Label: "Stop here"},
		},
	}
}

func majorDecision(id phases.ChangeID) Decision {
	return Decision{Kind: "major_issues", Question: "the review found major issues", Options: []DecisionOption{
		{Action: "continue", Label: "Resolve them and review again", Command: command("impl", id, "--continue"), Recommended: true},
		{Action: "view", Label: "Read the review", Command: command("show", id, "review")},
		{Action: "reopen", Label: "Go back to planning", Command: command("reopen", id)},
		{Action: "abandon", Label: "Give the change up", Command: command("abandon", id)},
	}}
}

func rejectedDecision(id phases.ChangeID) Decision {
	return Decision{Kind: "rejected", Question: "the challenge rejected the plan", Options: []DecisionOption{
		{Action: "view", Label: "Read the challenge", Command: command("show", id, "challenge"), Recommended: true},
		{Action: "reopen", Label: "Edit the plan and reopen it", Command: command("reopen", id)},
		{Action: "abandon", Label: "Give the change up", Command: command("abandon", id)},
	}}
}

func unreadableDecision(id phases.ChangeID, verb, document string) Decision {
	return Decision{Kind: "contradiction", Question: "the verdict contradicts its findings, so it counts as none", Options: []DecisionOption{
		{Action: "again", Label: "Ask for a verdict again", Command: command(verb, id), Recommended: true},
		{Action: "view", Label: "Read what was said", Command: command("show", id, document)},
		{Action: "approve", Label: "Decide yourself", Command: command("approve", id)},
	}}
}

// command is how a person types one of our commands.
func command(verb string, id phases.ChangeID, more ...string) string {
	text := "gh agentd " + verb + " " + id.String()
	for _, m := range more {
		text += " " + m
	}
	return text
}

func countText(f phases.Findings) string {
	return fmt.Sprintf("%d high, %d medium, %d low", f.High, f.Medium, f.Low)
}

// resultOf says how the change stands.
func resultOf(c *changes.Change, action, message string) ActionResult {
	r := ActionResult{
		Change: c.ID.String(), Action: action, Phase: c.Phase(), Iteration: c.State.Round,
		Branch: c.ID.Branch(), Message: message, Usage: totalsOf(c.State.Transitions), Commits: []string{},
	}
	if last := latestVerdict(c); last != nil {
		r.Verdict = last.Verdict
		r.Iteration = last.Round
	}
	return r
}

// latestVerdict is the verdict of the present stage: the review while implementing, else the challenge.
func latestVerdict(c *changes.Change) *phases.Applied {
	if c.State.LastReview != nil {
		return c.State.LastReview
	}
	return c.State.LastChallenge
}
