package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// review runs the checks, lets a second agent judge the code, and records its verdict with the evidence.
// ended says that the run is over, r how.
func (i *implementing) review(ctx context.Context, c *changes.Change) (next *changes.Change, ended bool, r ActionResult, err error) {
	next, report, err := i.judgeCode(ctx, c)
	if err != nil {
		return c, true, resultOf(c, ActionImplementing, ""), err
	}
	switch {
	case next.State.Effective == phases.Complete:
		r = i.complete(next, nil)
		r.Findings = report.Findings
		return next, true, r, nil
	case report.Verdict == phases.Unknown:
		d := unreadableDecision(next.ID, "impl", "review")
		r = i.pending(next, d)
		r.Findings = report.Findings
		return next, true, r, &DecisionError{ID: next.ID, Decision: d}
	case report.Verdict == phases.MajorIssues:
		r, err = i.major(ctx, next)
		r.Findings = report.Findings
		return next, true, r, err
	case i.req.Mode == ModeOnce:
		d := changesDecision(next.ID, next.State.LastReview)
		r = i.pending(next, d)
		r.Findings = report.Findings
		return next, true, r, &DecisionError{ID: next.ID, Decision: d}
	}
	return next, false, r, nil
}

// judgeCode lets the code be judged and records the verdict, bound to the code tree that was read.
func (i *implementing) judgeCode(ctx context.Context, c *changes.Change) (*changes.Change, specs.ReviewReport, error) {
	verdict, err := i.codeVerdict(ctx, c, i.work.dir)
	if err != nil {
		return c, specs.ReviewReport{}, err
	}
	return i.recordReview(ctx, c, verdict)
}

// codeVerdict spends tokens last: first the tasks' files, then the project's own checks, then the reviewer.
// place is where the code is checked out, as far as it is.
func (i *implementing) codeVerdict(ctx context.Context, c *changes.Change, place func(context.Context) (string, error)) (judged, error) {
	if err := c.State.Allows(phases.EventReviewApproved); err != nil {
		return judged{}, err
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return judged{}, err
	}
	if err := i.reviewable(ctx, c, docs); err != nil {
		return judged{}, err
	}
	if _, err := i.cast(ctx, config.Reviewer, "", c); err != nil { // before the checks run
		return judged{}, err
	}
	dir, err := place(ctx)
	if err != nil {
		return judged{}, err
	}
	// The reviewer reads what is judged, and not what somebody is writing meanwhile.
	dir, done, err := i.exactly(ctx, dir, c.Tip)
	if err != nil {
		return judged{}, err
	}
	defer done()
	evidence, err := i.checked(ctx, c, c.Tip, dir)
	if err != nil {
		return judged{}, err
	}
	return i.reviewer(ctx, c, docs, dir, evidence)
}

// reviewer lets the second agent look, and reads its verdict.
func (i *implementing) reviewer(ctx context.Context, c *changes.Change, docs specs.ChangeDocs, dir string, evidence []phases.Evidence) (judged, error) {
	fork, err := c.Fork(ctx)
	if err != nil {
		return judged{}, err
	}
	touched, err := c.CodeChanges(ctx)
	if err != nil {
		return judged{}, err
	}
	controls, err := i.quotedControls(ctx, c)
	if err != nil {
		return judged{}, err
	}
	round := c.State.Round
	known := knownFindings(docs, specs.ReviewFile)
	files := changedPaths(touched)
	h, err := i.take(ctx, c.ID, c, dir, turn{
		step: phases.StepReview, role: config.Reviewer, round: round, access: agents.ReadOnly,
		subject: c.State.CodeTree, known: findingIDs(known), changed: files,
		doing: fmt.Sprintf("is reviewing %s (round %d)", c.ID, round),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ReviewPrompt{
				Change: c.ID.String(), Round: round, Base: string(fork), Head: string(c.Tip),
				Evidence: evidenceLines(evidence), ChangedFiles: files, Known: knownOf(known), Controls: controls, Tools: tools, Failure: failure,
			}.Render()
		},
		check: func(h *handover) string {
			// One that was tampered with is nothing to ask again for: the first one stands, or none.
			if verdict, ok, err := h.box.Verdict(); err == nil && (!ok || verdict.Review == nil) {
				return fmt.Sprintf("gave no verdict for %s (round %d)", c.ID, round)
			}
			return ""
		},
	})
	if err != nil {
		return judged{}, err
	}
	j, err := judgedBy(h)
	if err != nil {
		return j, err
	}
	j.evidence = evidence
	report, err := j.reviewReport(ctx, c, known)
	if err != nil {
		return j, err
	}
	i.report(h, fmt.Sprintf("reviewed %s: %s, %s", c.ID, verdictWords(report.Verdict), plural(len(report.Findings), "finding")))
	return j, nil
}

// reviewSubject says when an approval does not pass because a check failed.
func reviewSubject(report specs.ReviewReport) string {
	text := fmt.Sprintf("review %s in round %d", verdictWords(report.Verdict), report.Round)
	if report.Verdict == phases.Approved && !phases.EvidencePassed(report.Evidence) {
		text += ", but a check fails"
	}
	return text
}

// reviewable refuses what no approval could make complete, before anything is spent on it.
func (i *implementing) reviewable(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) error {
	fork, err := c.Fork(ctx)
	if err != nil {
		return err
	}
	if err := i.onlyOwnRecord(ctx, c, fork, c.Tip); err != nil {
		return err
	}
	return i.tasksTouched(ctx, c, docs)
}

// onlyOwnRecord refuses what the branch does under agentd/ outside the change's folder: no reviewer is shown it,
// because the code's tree and diff leave agentd/ out, and it may decide how the change is checked.
func (i *implementing) onlyOwnRecord(ctx context.Context, c *changes.Change, base, head gitops.ID) error {
	all, err := i.Repo.DiffTrees(ctx, base, head)
	if err != nil {
		return err
	}
	branch := c.State.Base.Branch
	for _, change := range all {
		if !changes.InRecord(change.Path) || strings.HasPrefix(change.Path, c.ID.Dir()+"/") {
			continue
		}
		return &GateError{
			Gate: "record", Reason: fmt.Sprintf("%s also changes %s, which is no part of the change and which no reviewer is shown", c.ID.Branch(), change.Path),
			Next: fmt.Sprintf("put it back on %s as it is on %s and commit that; bring it to %s by itself", c.ID.Branch(), branch, branch),
		}
	}
	return nil
}

// tasksTouched is the gate that a task is more than a tick: its files were changed.
func (i *implementing) tasksTouched(ctx context.Context, c *changes.Change, docs specs.ChangeDocs) error {
	tasks, err := orderedTasks(docs)
	if err != nil {
		return err
	}
	untouched, err := untouchedFiles(ctx, c, tasks)
	if err != nil || len(untouched) == 0 {
		return err
	}
	return &GateError{
		Gate:   "tasks",
		Reason: "never touched: " + strings.Join(untouched, ", "),
		Next:   fmt.Sprintf("write them on %s, or take them out of tasks.md and plan again", c.ID.Branch()),
	}
}

// reverify proves again, without a model, code that a rebase or a merge of the base only moved.
// same is false when a check fails now: then the code must be reviewed.
func (i *implementing) reverify(ctx context.Context, c *changes.Change) (next *changes.Change, same bool, err error) {
	dir, err := i.work.dir(ctx)
	if err != nil {
		return c, false, err
	}
	evidence, err := i.evidence(ctx, c, c.Tip, dir)
	if err != nil {
		return c, false, err
	}
	if !phases.EvidencePassed(evidence) {
		return c, false, &GateError{
			Gate: "evidence", Reason: "the approved code was moved onto another base, and there a check fails",
			Next: command("impl", c.ID, "--again"),
		}
	}
	next, err = i.append(ctx, c, changes.Record{
		Subject: "the approved diff holds on its new base", JudgedCode: c.State.CodeTree,
		Transition: phases.Transition{Step: phases.StepReverify, Evidence: evidence, Actor: phases.ByAgent("agentd")},
	})
	if err == nil {
		i.Say.Done(fmt.Sprintf("%s: same diff, checks passed again", c.ID))
	}
	return next, true, err
}

func changedPaths(changed []gitops.FileChange) []string {
	paths := make([]string, 0, len(changed))
	for _, c := range changed {
		paths = append(paths, c.Path)
	}
	return paths
}
