package phases

// The names of the rules. [Rules] says what each of them wants.
const (
	RuleBranchName        = "branch-name"
	RuleNoHistory         = "no-history"
	RuleIllegalTransition = "illegal-transition"
	RuleUnreadable        = "unreadable"
	RuleCodeBeforePlan    = "code-before-approval"
	RuleReviewerPaths     = "reviewer-paths"
	RuleForeignMerge      = "foreign-merge"
	RuleForeignRecord     = "foreign-record"
	RuleReservedTrailer   = "reserved-trailer"
	RuleStateMismatch     = "state-mismatch"
	RuleVerdictContent    = "verdict-content"
	RulePlanStale         = "plan-approval-stale"
	RuleCodeStale         = "code-approval-stale"
	RuleApprovalLost      = "approval-lost"
	RuleProfile           = "profile-not-accepted"
	RuleSameAgent         = "same-agent"
	RuleUnsigned          = "unsigned"
	RuleSpecUnexplained   = "spec-without-archive"
	RuleArchiveEdited     = "archive-edited"
	RuleHistoryLost       = "history-lost"
)

// Rule is one rule of the verifier.
type Rule struct {
	Name  string
	Wants string // a sentence
	On    Place
}

// Place is what a rule is held against.
type Place string

// The places, in the order in which they are judged.
const (
	OnChange Place = "the branch of a change"
	OnPolicy Place = "what [policy] on the base branch asks for"
	OnPush   Place = "a push that replaces commits"
	OnTrunk  Place = "what lands on the base branch"
)

// Rules are the rules of the verifier. [Audit] knows those of a change and of the policy,
// the others need more than one history.
func Rules() []Rule {
	return []Rule{
		{RuleBranchName, "A branch under agentd/ has the id of a change as its name.", OnChange},
		{RuleNoHistory, "One commit on the branch begins the change: it has the trailer Agentd-From: none.", OnChange},
		{RuleIllegalTransition, "Every transition stands in the table of docs/phases.md and comes from the phase in which the change stood.", OnChange},
		{RuleUnreadable, "Every commit and tree that the rules ask for can be read.", OnChange},
		{RuleCodeBeforePlan, "Nothing outside agentd/ changes before the plan is approved, nor before the change begins.", OnChange},
		{RuleReviewerPaths, "The commit of a verdict touches its report and STATE.yaml, and nothing else.", OnChange},
		{RuleForeignMerge, "A merge brings in the base, or a change that this one depends on.", OnChange},
		{RuleForeignRecord, "Under agentd/ the branch changes the folder of its own change only; the rest is as the base has it.", OnChange},
		{RuleReservedTrailer, "People's commits carry Agentd-Change and Agentd-Task and no other key of ours.", OnChange},
		{RuleStateMismatch, "STATE.yaml tells what the trailers tell, phase and journal, and nobody edits it by hand.", OnChange},
		{RuleVerdictContent, "CHALLENGE.md and REVIEW.md bear out the verdict that they were committed with.", OnChange},
		{RulePlanStale, "The plan is the one that was approved.", OnChange},
		{RuleCodeStale, "The code of a complete change is the one that was approved.", OnChange},
		{RuleProfile, "The change is worked on in a profile that `profiles` accepts; without it spec and crew.", OnPolicy},
		{RuleSameAgent, "With `require_distinct_reviewer`, no agent approves what it wrote.", OnPolicy},
		{RuleUnsigned, "Verdicts are signed by a key of `verdict_signers`, people's decisions by one of `decision_signers`, where these are set.", OnPolicy},
		{RuleApprovalLost, "A forced push keeps every approval that the remote has; AGENTD_ALLOW=force lets it pass.", OnPush},
		{RuleSpecUnexplained, "A spec in agentd/specs changes exactly as the record of a change archived with it says.", OnTrunk},
		{RuleArchiveEdited, "A folder in agentd/archive comes whole, with a record that holds, and stays as it is.", OnTrunk},
		{RuleHistoryLost, "A change that is not archived comes with its commits: a squash drops the trailers.", OnTrunk},
	}
}
