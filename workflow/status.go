package workflow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Status proves where one change stands: it replays its history.
type Status struct{ Bench *Bench }

// StatusRequest names the change.
type StatusRequest struct{ Change phases.ChangeID }

// StatusResult is all of it.
type StatusResult struct {
	Change    string       `json:"change"`
	Phase     phases.Phase `json:"phase"` // effective
	Recorded  phases.Phase `json:"recorded"`
	StalePlan bool         `json:"stale_plan"`
	StaleCode bool         `json:"stale_code"`
	Reverify  bool         `json:"reverify"`
	// ArchivePending says that the archive is on the change's branch, and that the base does not hold it.
	ArchivePending bool             `json:"archive_pending"`
	TakenBack      *TakenBack       `json:"archive_taken_back,omitempty"` // of a pending one: the base has had it
	Round          int              `json:"round"`
	Repairs        int              `json:"repairs"`
	Limit          int              `json:"limit"`
	Profile        phases.Profile   `json:"profile"`
	Base           string           `json:"base"`
	Branch         string           `json:"branch"`
	Worktree       string           `json:"worktree,omitempty"`
	Head           string           `json:"head"`
	PlanTree       string           `json:"plan_tree"`
	CodeTree       string           `json:"code_tree"`
	Proved         int              `json:"proved"`
	Approval       *ApprovalInfo    `json:"approval,omitempty"`
	Verdict        phases.Verdict   `json:"verdict,omitempty"`
	Findings       *phases.Findings `json:"findings,omitempty"`
	Artefacts      []ArtefactInfo   `json:"artefacts"`
	Tasks          []TaskInfo       `json:"tasks"`
	Mismatch       string           `json:"mismatch,omitempty"`
	Transitions    []TransitionInfo `json:"transitions"`
	Usage          UsageTotals      `json:"usage"`
	Next           string           `json:"next,omitempty"`
	Decision       *Decision        `json:"decision,omitempty"`
}

// ApprovalInfo says who approved what.
type ApprovalInfo struct {
	Of      string `json:"of"` // "plan" or "code"
	By      string `json:"by"`
	Subject string `json:"subject"`
	Commit  string `json:"commit"`
	Fresh   bool   `json:"fresh"`
}

// ArtefactInfo is one document of the plan.
type ArtefactInfo struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Present bool   `json:"present"`
}

// TaskInfo is one task and whether a commit did it.
type TaskInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// TransitionInfo is one commit of ours.
type TransitionInfo struct {
	Commit  string         `json:"commit"`
	Step    phases.Step    `json:"step"`
	From    phases.Phase   `json:"from"`
	Phase   phases.Phase   `json:"phase"`
	Round   int            `json:"round"`
	Verdict phases.Verdict `json:"verdict,omitempty"`
	Agent   string         `json:"agent,omitempty"`
	By      phases.Actor   `json:"by,omitempty"`
	At      time.Time      `json:"at"`
	Subject string         `json:"subject"`
	USD     *float64       `json:"usd,omitempty"`
}

// Run replays the change. A history that is illegal is returned as an error, with what could be read of it.
func (s *Status) Run(ctx context.Context, req StatusRequest) (StatusResult, error) {
	b := s.Bench
	var worktree string
	var worktreeErr error
	var looking sync.WaitGroup
	defer looking.Wait()
	looking.Go(func() { worktree, worktreeErr = b.checkedOut(ctx, req.Change) })
	c, err := b.Store.Open(ctx, req.Change)
	if c == nil {
		return StatusResult{Change: req.Change.String()}, err
	}
	result := b.statusOf(c)
	if err != nil {
		return result, err
	}
	looking.Wait()
	if result.Worktree = worktree; worktreeErr != nil {
		return result, worktreeErr
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return result, err
	}
	if err := b.tellTakenBack(ctx, c, &result); err != nil {
		return result, err
	}
	result.Artefacts = artefactsOf(docs)
	result.Tasks, err = b.taskInfos(ctx, c, docs)
	return result, err
}

// tellTakenBack finds out why the base does not hold a pending archive: not yet, or not any more.
func (b *Bench) tellTakenBack(ctx context.Context, c *changes.Change, r *StatusResult) error {
	if !c.ArchivePending() {
		return nil
	}
	remotes, err := b.Repo.Remotes(ctx)
	if err != nil {
		return err
	}
	from := []string{""}
	if len(remotes) > 0 {
		from = append(from, mainRemote(remotes))
	}
	for _, remote := range from {
		if r.TakenBack, err = b.takenBack(ctx, c, remote); err != nil {
			return err
		}
		if r.TakenBack != nil {
			r.Next = r.TakenBack.Undo()
			return nil
		}
	}
	return nil
}

func (b *Bench) statusOf(c *changes.Change) StatusResult {
	st := c.State
	r := StatusResult{
		Change: c.ID.String(), Phase: c.Phase(), Recorded: st.Recorded, ArchivePending: c.ArchivePending(), StalePlan: st.StalePlan, StaleCode: st.StaleCode,
		Reverify: st.Reverify, Round: st.Round, Repairs: st.Repairs, Profile: st.Profile, Branch: c.ID.Branch(),
		Head: string(c.Tip), PlanTree: st.PlanTree, CodeTree: st.CodeTree, Proved: st.Proved(), Usage: totalsOf(st.Transitions),
		Limit: b.Config.Workflow.PlanningIterations, Next: nextCommand(c), Artefacts: []ArtefactInfo{}, Tasks: []TaskInfo{},
	}
	if st.Base.Branch != "" {
		r.Base = st.Base.Branch + "@" + st.Base.Commit
	}
	if st.Effective == phases.Implementing {
		r.Limit = b.Config.Workflow.ImplementationIterations
	}
	if last := latestVerdict(c); last != nil {
		r.Verdict, r.Findings = last.Verdict, last.Findings
	}
	if err, ok := errors.AsType[*phases.MismatchError](c.Forward()); ok && c.Where != changes.InArchive {
		r.Mismatch, r.Next = err.Detail, command("doctor", c.ID, "--fix")
	}
	r.Approval = approvalOf(st)
	r.Decision = b.openDecision(c)
	r.Transitions = make([]TransitionInfo, 0, len(st.Transitions))
	for _, t := range st.Transitions {
		info := TransitionInfo{
			Commit: t.Commit, Step: t.Step, From: t.From, Phase: t.Phase, Round: t.Round, Verdict: t.Verdict,
			Agent: t.Agent, By: t.Actor, At: time.Unix(t.Time, 0).UTC(), Subject: t.Subject,
		}
		if t.Usage != nil {
			info.USD = t.Usage.USD
		}
		r.Transitions = append(r.Transitions, info)
	}
	return r
}

func approvalOf(st phases.State) *ApprovalInfo {
	a, of, fresh := st.PlanApproval, "plan", !st.StalePlan
	if st.CodeApproval != nil {
		a, of, fresh = st.CodeApproval, "code", !st.StaleCode
	}
	if a == nil {
		return nil
	}
	by := a.Agent
	if a.Actor == phases.Human || by == "" {
		by = string(a.Actor)
	}
	return &ApprovalInfo{Of: of, By: by, Subject: a.Transition.Subject, Commit: a.Commit, Fresh: fresh}
}

// openDecision is the decision that plan or impl would stop for now.
func (b *Bench) openDecision(c *changes.Change) *Decision {
	st := c.State
	var d Decision
	switch {
	case st.Effective == phases.Rejected:
		d = rejectedDecision(c.ID)
	case st.AwaitsDecision:
		d = majorDecision(c.ID)
	case st.Need() == phases.NeedReproposal:
		d = revisionDecision(c.ID, findingsOf(st.LastChallenge))
		if st.Repairs >= b.Config.Workflow.PlanningIterations {
			d = limitDecision(c.ID, "the revisions are used up", findingsOf(st.LastChallenge))
		}
	case st.Need() == phases.NeedResolve:
		d = changesDecision(c.ID, st.LastReview)
		if st.Repairs >= b.Config.Workflow.ImplementationIterations {
			d = reviewLimitDecision(c.ID, "the repairs are used up")
		}
	default:
		return nil
	}
	return &d
}

func artefactsOf(docs specs.ChangeDocs) []ArtefactInfo {
	has := func(path string) bool { _, ok := docs.Files[path]; return ok }
	all := []ArtefactInfo{
		{Name: "clarifications", Path: specs.ClarificationsPath, Present: has(specs.ClarificationsPath)},
		{Name: "proposal", Path: specs.ProposalPath, Present: has(specs.ProposalPath)},
	}
	named := map[string]bool{}
	if src, ok := docs.Files[specs.ProposalPath]; ok {
		if proposal, _, err := specs.ParseProposal(specs.ProposalPath, src); err == nil {
			for _, affected := range proposal.AffectedSpecs {
				path := affected.ID.Path()
				named[path] = true
				all = append(all, ArtefactInfo{Name: "spec " + string(affected.ID), Path: path, Present: has(path)})
			}
		}
	}
	for _, path := range specPaths(docs) {
		if !named[path] {
			all = append(all, ArtefactInfo{Name: "spec", Path: path, Present: true})
		}
	}
	return append(all, ArtefactInfo{Name: "tasks", Path: specs.TasksPath, Present: has(specs.TasksPath)})
}

func (b *Bench) taskInfos(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) ([]TaskInfo, error) {
	infos := []TaskInfo{}
	all, err := orderedTasks(docs)
	if err != nil {
		return infos, nil //nolint:nilerr // validate says what is wrong with tasks.md
	}
	open, err := b.openTasks(ctx, c)
	if err != nil {
		return infos, err
	}
	isOpen := map[string]bool{}
	for _, t := range open {
		isOpen[t.ID] = true
	}
	for _, t := range all {
		infos = append(infos, TaskInfo{ID: t.ID, Title: t.Title, Done: !isOpen[t.ID]})
	}
	return infos, nil
}
