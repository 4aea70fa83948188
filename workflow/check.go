package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Check is the one verifier: the pre-push hook, the required check on GitHub and the command line all ask it,
// and get the same words.
//
// It writes nothing, asks no model, and goes to the network only where [CheckRequest.Deepen] lets it.
type Check struct{ Store *changes.Store }

// CheckRequest says what to judge: what a push moves, an event, or names; with none of them every open change.
type CheckRequest struct {
	Push  *Push
	Event *CheckEvent
	Names []string // ids of changes, branches, ranges A..B

	// Base is the short name of the base branch of Names; "" finds it.
	Base string
	// Fetched has every open change include the branches that origin had when it was fetched last.
	Fetched bool
	// Deepen lets a shallow clone fetch what it lacks. Otherwise it is refused.
	Deepen bool
}

// Push is what git is about to move on a remote.
type Push struct {
	Remote    string // its name, or its URL where it has none
	Refs      []PushedRef
	AllowLoss bool // the person knows that approved commits are dropped
}

// PushedRef is one line of what git gives pre-push on standard input.
// The names are as git wrote them: a local one may be "(delete)", "HEAD" or a commit.
type PushedRef struct {
	Local    string
	LocalID  gitops.ID // zero where the remote one is deleted
	Remote   string
	RemoteID gitops.ID // zero where it is new
}

// CheckEvent is what a pull request, a merge queue or a push on GitHub brings to be judged.
type CheckEvent struct {
	Base    string    // short name of the branch that it lands on
	BaseID  gitops.ID // where that stands
	Head    string    // short name of the branch that is proposed; "" in a merge queue and for a push
	HeadID  gitops.ID
	Default string // short name of the default branch, "" where the event does not say
}

// CheckResult counts what was proved and lists what is violated.
type CheckResult struct {
	Checked     []CheckedChange  `json:"checked"`
	Changes     int              `json:"changes"`
	Commits     int              `json:"commits"`
	Transitions int              `json:"transitions"`
	Verdicts    int              `json:"verdicts"`
	Archives    int              `json:"archives"` // records that explained what changed on the base branch
	Violations  []CheckViolation `json:"violations"`
	Notes       []string         `json:"notes"` // what could not be looked at, and why
}

// CheckedChange is one change that was judged, as far as its history could be replayed.
type CheckedChange struct {
	Change      string       `json:"change"`
	Ref         string       `json:"ref"`
	Head        string       `json:"head"`
	Phase       phases.Phase `json:"phase"`
	Recorded    phases.Phase `json:"recorded"`
	Transitions int          `json:"transitions"`
}

// CheckViolation is one broken rule.
type CheckViolation struct {
	Change  string `json:"change,omitempty"`
	Rule    string `json:"rule"` // as docs/checks.md lists them
	Commit  string `json:"commit,omitempty"`
	Path    string `json:"path,omitempty"` // where to show it, from the repository's root
	Message string `json:"message"`
	Hint    string `json:"hint"` // the next command
}

// Nothing reports that nothing was there to be judged.
func (r CheckResult) Nothing() bool {
	return r.Changes == 0 && r.Archives == 0 && len(r.Violations) == 0
}

// Err refuses what is violated; what it is stands in Violations.
func (r CheckResult) Err() error {
	if len(r.Violations) == 0 {
		return nil
	}
	first := r.Violations[0]
	reason := first.Message
	if more := len(r.Violations) - 1; more > 0 {
		reason += fmt.Sprintf(" (and %d more)", more)
	}
	return &GateError{Gate: "check", Reason: reason, Next: first.Hint}
}

// Run judges. What is violated is in the result; the error says that something could not be judged.
func (k *Check) Run(ctx context.Context, req CheckRequest) (CheckResult, error) {
	result := CheckResult{Checked: []CheckedChange{}, Violations: []CheckViolation{}, Notes: []string{}}
	run := checking{store: k.Store, repo: k.Store.Repo, req: req, result: &result}
	err := run.all(ctx)
	return result, err
}

// checking is one run of the verifier.
type checking struct {
	store   *changes.Store
	repo    *gitops.Repo
	req     CheckRequest
	trunk   changes.Trunk
	policy  *phases.Policy // nil until settle has read it
	auditor *changes.Auditor
	result  *CheckResult
}

func (k *checking) all(ctx context.Context) (err error) {
	find := k.findTrunk
	if !k.changesOnly() {
		if k.trunk, err = find(ctx); err != nil {
			return err
		}
		find = func(context.Context) (changes.Trunk, error) { return k.trunk, nil }
	}
	targets, err := k.targets(ctx)
	if err != nil || len(targets) == 0 {
		return err
	}
	if err := k.deepen(ctx); err != nil {
		return err
	}
	if k.auditor, err = k.store.Auditor(ctx, tipsOf(targets), find); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.auditor.Close()) }()
	for _, landing := range []bool{true, false} { // the branches of changes stand on what lands with them
		for _, t := range targets {
			if t.change.IsZero() != landing {
				continue
			}
			if err := k.judge(ctx, t); err != nil {
				return err
			}
		}
	}
	if k.result.Changes > 0 && k.result.Transitions == 0 && len(k.result.Violations) == 0 {
		return errors.New("nothing was proved: not one transition was read")
	}
	return nil
}

// changesOnly says that what is judged can be told without the trunk: most pushes are of one change.
func (k *checking) changesOnly() bool {
	return k.req.Push != nil && !slices.ContainsFunc(k.req.Push.Refs, func(ref PushedRef) bool {
		return !strings.HasPrefix(ref.Remote, "refs/heads/agentd/")
	})
}

// target is one thing to judge.
type target struct {
	change phases.ChangeID // zero where commits are judged that land on the trunk
	ref    string          // as the person knows it
	tip    gitops.ID
	old    gitops.ID // what it replaces, or lands on; zero where that is nothing
	whole  bool      // of a landing: how it will be merged is not known, so that only its result counts
	ahead  bool      // of a landing: it is on a branch yet, so that the newest commits are the change's too
}

// inLine says of a landing that its first parents are the base branch's own, where others are yet to be merged.
func (t target) inLine() bool { return !t.whole && !t.ahead }

func tipsOf(targets []target) []gitops.ID {
	tips := make([]gitops.ID, len(targets))
	for i, t := range targets {
		tips[i] = t.tip
	}
	return tips
}

func (k *checking) judge(ctx context.Context, t target) error {
	if t.change.IsZero() {
		if err := k.settle(); err != nil {
			return err
		}
		if err := k.landing(ctx, t); err != nil || !t.inLine() {
			return err
		}
		k.trunk.Tips = append(k.trunk.Tips, t.tip)
		return k.auditor.Trust(t.tip)
	}
	h, err := k.auditor.History(ctx, t.change, t.tip)
	if err != nil {
		return err
	}
	if err := k.settle(); err != nil {
		return err
	}
	at, err := k.archived(ctx, t)
	if err != nil {
		return err
	}
	if at != t.tip {
		if h, err = k.auditor.History(ctx, t.change, at); err != nil {
			return err
		}
	}
	found := phases.Audit(h, *k.policy)
	k.audited(t, found)
	if err := k.lost(ctx, t, h); err != nil {
		return err
	}
	if found.State.Recorded == phases.Archived {
		if err := k.archive(ctx, t, found.State); err != nil {
			return err
		}
	}
	return k.below(ctx, h, found.State.Base.Branch)
}

// below judges the change that this one stands on, as far as it is part of this branch and not on the trunk.
func (k *checking) below(ctx context.Context, h phases.History, branch string) error {
	id, stacked := phases.ChangeIDFromBranch(branch)
	if !stacked || id == h.Change || len(h.Commits) == 0 || len(h.Commits[0].Parents) == 0 {
		return nil
	}
	fork := gitops.ID(h.Commits[0].Parents[0])
	if !k.auditor.Outside(fork) {
		return nil
	}
	return k.judge(ctx, target{change: id, ref: id.Ref(), tip: fork})
}

// archived is the commit that archived exactly what a branch holds, or else the branch's own tip:
// seen from a base that contains it, a branch that landed no longer tells what was approved.
func (k *checking) archived(ctx context.Context, t target) (gitops.ID, error) {
	if k.auditor.Outside(t.tip) {
		return t.tip, nil
	}
	path := t.change.ArchiveDir() + "/" + specs.StateFile
	for _, base := range k.trunk.Tips {
		_, _, src, err := k.auditor.Objects().Lookup(string(base) + ":" + path)
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		if state, _, err := specs.ParseState(path, src); err == nil && state.Archive != nil && state.Archive.Tip == string(t.tip) {
			return k.store.FiledBy(ctx, t.change, base)
		}
	}
	return t.tip, nil
}

// audited counts what was read of a change, and takes over what was found.
func (k *checking) audited(t target, found phases.Audited) {
	r := k.result
	r.Changes++
	r.Commits += found.Commits
	r.Transitions += found.Transitions
	r.Verdicts += found.Verdicts
	r.Checked = append(r.Checked, CheckedChange{
		Change: t.change.String(), Ref: t.ref, Head: string(t.tip),
		Phase: found.State.Effective, Recorded: found.State.Recorded, Transitions: found.Transitions,
	})
	for _, v := range found.Violations {
		k.violated(t, v)
	}
}

// archive judges what an archive does to the base: the one that it landed on, or is to land on by a pull request.
func (k *checking) archive(ctx context.Context, t target, s phases.State) error {
	base, tip := gitops.ID(""), t.tip
	var err error
	if k.auditor.Outside(tip) {
		base, err = k.contains(ctx, tip)
	} else {
		tip = gitops.ID(s.Transitions[len(s.Transitions)-1].Commit)
		base, err = k.landedOn(t.change, tip)
	}
	if err != nil {
		return err
	}
	records, err := k.records(ctx, base, tip)
	if err != nil {
		return err
	}
	return k.explainSpecs(base, tip, records)
}

// contains is the newest commit of the base that a branch contains, "" where it has none of it.
func (k *checking) contains(ctx context.Context, tip gitops.ID) (newest gitops.ID, err error) {
	for _, base := range k.trunk.Tips {
		at, related, err := k.repo.MergeBase(ctx, base, tip)
		if err != nil {
			return "", err
		}
		if !related || newest == at {
			continue
		}
		newer := newest == ""
		if !newer {
			if newer, err = k.repo.IsAncestor(ctx, newest, at); err != nil {
				return "", err
			}
		}
		if newer {
			newest = at
		}
	}
	return newest, nil
}

// landedOn is the parent of an archive commit that is not the change's branch: it has neither of the change's folders.
func (k *checking) landedOn(id phases.ChangeID, archive gitops.ID) (gitops.ID, error) {
	commit, err := k.auditor.Objects().Commit(archive)
	if err != nil {
		return "", err
	}
	for _, parent := range commit.Parents {
		open, err := k.treeAt(parent, id.Dir())
		if err != nil {
			return "", err
		}
		filed, err := k.treeAt(parent, id.ArchiveDir())
		if err != nil || open == "" && filed == "" {
			return parent, err
		}
	}
	return "", nil
}

// lost refuses a forced push that drops an approval.
func (k *checking) lost(ctx context.Context, t target, h phases.History) error {
	if k.req.Push == nil || k.req.Push.AllowLoss || t.old.IsZero() ||
		slices.ContainsFunc(h.Commits, func(c phases.Commit) bool { return c.ID == string(t.old) }) {
		return nil
	}
	had, err := k.auditor.Approvals(ctx, t.change, t.old)
	if errors.Is(err, gitops.ErrNotFound) {
		k.result.Notes = append(k.result.Notes, fmt.Sprintf(
			"%s is at %s on the remote, which is not in this clone: whether approved commits are dropped was not looked at", t.ref, short(t.old)))
		return nil
	}
	if err != nil {
		return err
	}
	have := phases.Approvals(h)
	for _, approval := range had {
		if slices.ContainsFunc(have, approval.Same) {
			continue
		}
		k.violated(t, phases.Violation{
			Rule: phases.RuleApprovalLost, Commit: approval.Commit,
			Message: fmt.Sprintf("push drops the approved commit %s", short(gitops.ID(approval.Commit))),
			Hint:    fmt.Sprintf("`git fetch` and build on it, or give it up with `AGENTD_ALLOW=force git push --force-with-lease origin %s`", t.change.Branch()),
		})
	}
	return nil
}

func (k *checking) violated(t target, v phases.Violation) {
	k.result.Violations = append(k.result.Violations, CheckViolation{
		Change: t.change.String(), Rule: v.Rule, Commit: v.Commit, Path: v.Path, Message: v.Message, Hint: v.Hint,
	})
}
