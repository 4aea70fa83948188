package phases

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Policy is what a team accepts. It is read from the base, never from the branch it judges.
type Policy struct {
	Profiles         []Profile // empty means spec and crew
	VerdictSigners   []string  // fingerprints, one of which has signed each verdict; empty means anybody
	DecisionSigners  []string  // and each decision of a person
	DistinctReviewer bool      // who approves has not written what it approves
}

// Accepts reports whether changes may be worked on in the profile.
func (p Policy) Accepts(profile Profile) bool {
	if len(p.Profiles) == 0 {
		return profile == ProfileSpec || profile == ProfileCrew
	}
	return slices.Contains(p.Profiles, profile)
}

// Violation is one broken rule.
type Violation struct {
	Rule    string
	Commit  string // "" where no single commit is at fault
	Path    string // the file to show it at, "" where no single one is at fault
	Message string
	Hint    string // the next command to type
}

// Audited is what [Audit] looked at, and what it found.
type Audited struct {
	Violations  []Violation // oldest first, those of the tip last
	State       State       // as far as the history could be replayed
	Commits     int
	Transitions int // of the change, replayed or not
	Verdicts    int // among them, decisions of people included
}

// Audit lists every violation that the history shows.
// After the first illegal transition the phase is unknown,
// and only the rules that need none go on.
// It proves consistency; who signed what only where the policy asks for it.
func Audit(h History, p Policy) Audited {
	a := auditor{replayer: replayer{history: h, state: State{Change: h.Change}}, policy: p}
	a.Commits = len(h.Commits)
	lost := false
	for _, c := range h.Commits {
		a.judgeCommit(c)
		if lost {
			continue
		}
		a.judgeCode(c)
		if err := a.replayer.step(c); err != nil {
			a.reportError(c, err)
			lost = true
		}
	}
	if !lost {
		a.judgeTip()
	}
	a.State = a.replayer.state
	return a.Audited
}

type auditor struct {
	Audited
	replayer replayer
	policy   Policy
}

func (a *auditor) report(rule, commit, hint, format string, args ...any) {
	a.Violations = append(a.Violations, Violation{Rule: rule, Commit: commit, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (a *auditor) change() ChangeID { return a.replayer.history.Change }

func (a *auditor) reportError(c Commit, err error) {
	rule := RuleUnreadable
	if _, ok := errors.AsType[*ReplayError](err); ok {
		rule = RuleIllegalTransition
	}
	a.report(rule, c.ID, a.command("doctor"), "%v", err)
}

func (a *auditor) command(name string) string {
	return fmt.Sprintf("run `gh agentd %s %s`", name, a.change())
}

// judgeAuthor holds the policy's rules on who may say what.
func (a *auditor) judgeAuthor(c Commit, t Transition) {
	switch {
	case t.Decision != "":
		a.judgeSigner(c, fmt.Sprintf("the decision %q", t.Decision), "decision_signers", a.policy.DecisionSigners)
	case t.Verdict != "" || t.Step == StepReverify:
		a.judgeSigner(c, fmt.Sprintf("the %s", t.Step), "verdict_signers", a.policy.VerdictSigners)
	}
	if a.policy.DistinctReviewer && t.Verdict == Approved && a.wrote(t) {
		a.report(RuleSameAgent, c.ID, "give the role to another agent under [roles], then "+a.again(t.Step),
			"%s approves in commit %s what it wrote itself", agentName(t.Agent), shortID(c.ID))
	}
}

func (a *auditor) judgeSigner(c Commit, what, list string, signers []string) {
	if len(signers) == 0 {
		return
	}
	var keys []string
	if signed := a.replayer.history.SignedBy; signed != nil {
		var err error
		if keys, err = signed(c.ID); err != nil {
			a.report(RuleUnsigned, c.ID, a.command("doctor"), "the signature of commit %s cannot be read: %v", shortID(c.ID), err)
			return
		}
	}
	if slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(signers, key) }) {
		return
	}
	by := "is not signed"
	if len(keys) > 0 {
		by = "is signed by " + keys[0]
	}
	a.report(RuleUnsigned, c.ID, fmt.Sprintf("sign it with a key of [policy] %s on the base: whoever has one runs `git rebase --exec 'git commit --amend --no-edit -S' %s^ %s`", list, shortID(c.ID), a.change().Branch()),
		"%s in commit %s %s, and the policy accepts only who is named in %s", what, shortID(c.ID), by, list)
}

// wrote reports whether the agent of a verdict has written what it is about.
func (a *auditor) wrote(verdict Transition) bool {
	return slices.ContainsFunc(a.replayer.state.Transitions, func(t Applied) bool {
		_, gen, spec := t.Step.Spec()
		plan := spec && gen || t.Step == StepProposalGen || t.Step == StepTasksGen
		code := t.Step == StepImplement || t.Step == StepResolve
		ours := verdict.Step == StepChallenge && plan || verdict.Step == StepReview && code
		return ours && t.Agent != "" && agentName(t.Agent) == agentName(verdict.Agent)
	})
}

// agentName is the first word of "codex/gpt-5.2-codex/medium".
func agentName(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	return name
}

// again is the command that takes a verdict's step once more.
func (a *auditor) again(s Step) string {
	if s == StepReview {
		return fmt.Sprintf("`gh agentd impl %s --again`", a.change())
	}
	return fmt.Sprintf("`gh agentd reopen %[1]s` and `gh agentd plan %[1]s`", a.change())
}

// takeOut is the way out where a commit can only go.
func (a *auditor) takeOut(c Commit) string {
	commit := shortID(c.ID)
	return fmt.Sprintf("take it out with `git rebase --onto %[1]s^ %[1]s %[2]s`, then go on from there", commit, a.change().Branch())
}

// judgeCommit holds what needs no phase.
func (a *auditor) judgeCommit(c Commit) {
	ok := a.replayer.history.OtherMergeParentsOK
	if len(c.Parents) > 1 && ok != nil && !ok(c) {
		a.report(RuleForeignMerge, c.ID, "merge the base alone, or plan the change on the other one: `gh agentd plan <id> --base agentd/<other>`",
			"commit %s merges commits that are neither on the base nor in a change that %s depends on", shortID(c.ID), a.change())
	}
	m, err := ParseMessage(c.Message)
	if err != nil || !m.ChangeHint.IsZero() && m.ChangeHint != a.change() {
		return
	}
	if m.Transition != nil {
		a.Transitions++
		if m.Transition.Verdict != "" || m.Transition.Decision != "" {
			a.Verdicts++
		}
		a.judgeReviewer(c, m.Transition.Step)
		a.judgeVerdict(c, *m.Transition)
		a.judgeAuthor(c, *m.Transition)
		return
	}
	trailers, _ := ParseTrailers(c.Message)
	if key := reservedKey(trailers); key != "" {
		a.report(RuleReservedTrailer, c.ID, "reword the commit without it",
			"commit %s is a person's and carries %s", shortID(c.ID), key)
	}
}

// judgeReviewer lets a verdict's commit touch the verdict's files and nothing else.
func (a *auditor) judgeReviewer(c Commit, step Step) {
	var report string
	switch step {
	case StepChallenge:
		report = a.change().Dir() + "/CHALLENGE.md"
	case StepReview:
		report = a.change().Dir() + "/REVIEW.md"
	default:
		return
	}
	for _, path := range c.TouchedPaths {
		if path != report && path != a.change().Dir()+"/STATE.yaml" {
			a.report(RuleReviewerPaths, c.ID, a.command("doctor"), "commit %s is a %s and touches %q", shortID(c.ID), step, path)
			return
		}
	}
	if c.TouchesCode {
		a.report(RuleReviewerPaths, c.ID, a.command("doctor"), "commit %s is a %s and touches code", shortID(c.ID), step)
	}
}

// judgeVerdict holds a verdict against what was written with it.
func (a *auditor) judgeVerdict(c Commit, t Transition) {
	fault := c.ReportFault
	if t.Verdict == Approved && t.Findings != nil && t.Findings.High > 0 {
		fault = fmt.Sprintf("it approves with %d HIGH findings", t.Findings.High)
	}
	if fault != "" {
		a.report(RuleVerdictContent, c.ID, a.takeOut(c),
			"the content of commit %s does not bear out its verdict %s: %s", shortID(c.ID), t.Verdict, fault)
	}
}

// judgeCode lets code in only once a plan has been approved, or where the profile has none.
func (a *auditor) judgeCode(c Commit) {
	if !c.TouchesCode {
		return
	}
	before := a.replayer.state.standing()
	step := a.stepOf(c)
	switch before {
	case Implementing, Complete, Archived:
		return
	case Challenged:
		if step == StepImplement {
			return
		}
	case None:
		if step == StepPair {
			return
		}
		a.report(RuleCodeBeforePlan, c.ID, "move the commit to a branch of its own",
			"commit %s changes code before %s begins", shortID(c.ID), a.change())
		return
	}
	next := map[Phase]string{Proposed: "plan", Challenged: "impl", Rejected: "reopen"}
	a.report(RuleCodeBeforePlan, c.ID, a.command(next[before]), "commit %s changes code while %s is %s", shortID(c.ID), a.change(), before)
}

// stepOf is the step of a commit that is this change's record, "" for any other.
func (a *auditor) stepOf(c Commit) Step {
	m, err := ParseMessage(c.Message)
	if err != nil || m.Transition == nil || m.Transition.Change != a.change() {
		return ""
	}
	return m.Transition.Step
}

// judgeTip holds what is true of the change now.
func (a *auditor) judgeTip() {
	r := &a.replayer
	s := &r.state
	if s.Recorded == None {
		a.report(RuleNoHistory, "", a.command("doctor"), "no commit begins %s", a.change())
		return
	}
	if err := r.settle(); err != nil {
		a.report(RuleUnreadable, s.Tip, a.command("doctor"), "%v", err)
		return
	}
	if !a.policy.Accepts(s.Profile) {
		a.report(RuleProfile, s.Transitions[0].Commit, "plan the change, or let [policy] profiles on the base accept it",
			"%s is worked on in profile %s, which the policy does not accept", a.change(), s.Profile)
	}
	if s.Mismatch != "" {
		a.report(RuleStateMismatch, s.Tip, a.command("doctor --fix"), "%s", s.Mismatch)
	}
	if path := r.history.ForeignPath; path != "" {
		a.report(RuleForeignRecord, r.history.ForeignCommit, fmt.Sprintf("put it back on %s as it is on %s, and bring it to %[2]s by itself", a.change().Branch(), s.Base.Branch),
			"commit %s changes %s, which is no part of %s", shortID(r.history.ForeignCommit), path, a.change())
	}
	if s.StalePlan {
		a.report(RulePlanStale, s.PlanApproval.Commit, a.command("plan"),
			"the plan approved in %s was edited: %s is %s, not %s", shortID(s.PlanApproval.Commit), a.change(), s.Effective, s.Recorded)
		return
	}
	if s.StaleCode {
		a.report(RuleCodeStale, s.CodeApproval.Commit, a.command("impl"), "%s", a.staleCode())
	}
	if s.Recorded == Archived && s.CodeApproval != nil {
		a.judgeArchived()
	}
}

// judgeArchived wants an archive, and what follows it on its branch until it lands, to do to the base what was approved.
func (a *auditor) judgeArchived() {
	s := &a.replayer.state
	if a.replayer.history.Diff == nil {
		return
	}
	// Never by the tree: the approved tree on a base that has moved on would take back what the base has got since.
	diff, err := a.replayer.history.Diff(s.Tip)
	switch {
	case err != nil:
		a.report(RuleUnreadable, s.Tip, a.command("doctor"), "%v", err)
	case diff != s.CodeApproval.Diff:
		a.report(RuleCodeStale, s.Tip, fmt.Sprintf("`gh agentd archive %s --abort` makes it a change that can be reviewed", a.change()),
			"%s is archived with other code than was approved in %s", a.change(), shortID(s.CodeApproval.Commit))
	}
}

func (a *auditor) staleCode() string {
	s := &a.replayer.state
	approved := shortID(s.CodeApproval.Commit)
	switch {
	case s.Reverify:
		return fmt.Sprintf("the code approved in %s stands on another tree: the evidence must run again", approved)
	case s.CodeApproval.Unbound:
		return fmt.Sprintf("the approval in %s is of other code than its own commit has", approved)
	}
	return fmt.Sprintf("the code approved in %s was changed", approved)
}
