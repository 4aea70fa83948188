package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// takeRequest records a request for changes as the verdict that the change's phase has room for.
// A plan that was approved is reopened first: that is a commit of its own, which does not yet say that the review is
// recorded, so that a run which dies after it is finished by the next one.
func (s *syncing) takeRequest(ctx context.Context, h *heardReview) error {
	if s.change.State.AwaitsDecision {
		d := majorDecision(s.change.ID)
		return s.pending(d)
	}
	reopened := s.change.State.Effective == phases.Challenged
	if reopened && !s.req.DryRun {
		if err := s.reopen(ctx, h); err != nil {
			return err
		}
	}
	record, as, err := s.requestRecord(ctx, h)
	if err != nil {
		return err
	}
	if reopened {
		as = "a reopening and " + as
	}
	if !s.req.DryRun {
		if err := s.record(ctx, h, record); err != nil {
			return err
		}
	}
	s.done("the request for changes of %s as %s: %s", h.row.By, as, plural(h.row.Findings, "finding"))
	return nil
}

// pending ends the run with a question that only a person answers.
func (s *syncing) pending(d Decision) error {
	s.result.Action, s.result.Decision, s.result.Message = ActionDecisionPending, &d, d.Question
	return &DecisionError{ID: s.change.ID, Decision: d}
}

// record commits what a review came to.
func (s *syncing) record(ctx context.Context, h *heardReview, record changes.Record) error {
	next, err := s.append(ctx, s.change, record)
	if err != nil {
		return err
	}
	s.stands(next)
	h.row.Outcome, h.row.Recorded = OutcomeRecorded, string(next.Tip)
	return nil
}

func (s *syncing) reopen(ctx context.Context, h *heardReview) error {
	next, err := s.append(ctx, s.change, changes.Record{
		Subject: h.row.By + " asks for changes of the approved plan on GitHub", Body: reviewURL(h),
		Transition: phases.Transition{Step: phases.StepReopen, Decision: phases.DecisionReopen, Actor: phases.Human},
	})
	if err == nil {
		s.stands(next)
	}
	return err
}

// requestRecord makes the verdict, and says what it is.
// Findings of the verdict before that nobody has worked on since stay open: the report is replaced, and they move into the new one.
func (s *syncing) requestRecord(ctx context.Context, h *heardReview) (record changes.Record, as string, err error) {
	c, st := s.change, s.change.State
	docs, err := c.Docs(ctx)
	if err != nil {
		return record, "", err
	}
	r := request{heardReview: h, exact: s.readNow(ctx, h.Commit), blank: s.there.client.Sanitizer().Redact}
	agent := fromGitHub(h.Author.Login, h.ID)
	t := phases.Transition{Round: st.Round, Agent: agent, Actor: phases.Human}
	record.Subject = h.row.By + " asks for changes on GitHub"
	var found []specs.Finding
	if st.Effective == phases.Proposed || st.Effective == phases.Challenged {
		if st.Need() == phases.NeedReproposal {
			r.open = knownFindings(docs, specs.ChallengeFile)
		}
		if r.exact {
			record.JudgedPlan = st.PlanTree
		}
		report := r.challenge().Report(c.ID.String(), st.Round, record.JudgedPlan, agent, findingIDs(r.open))
		record.Files = map[string][]byte{specs.ChallengeFile: report.Markdown()}
		t.Step, t.Verdict, found = phases.StepChallenge, report.Verdict, report.Findings
		as = fmt.Sprintf("the challenge of round %d", st.Round)
		if st.Effective == phases.Challenged { // a dry run, in which nothing was reopened
			as = "the challenge of round 1"
		}
	} else {
		if st.Need() == phases.NeedResolve {
			r.open, t.Evidence = knownFindings(docs, specs.ReviewFile), st.LastReview.Evidence
		}
		diff := ""
		if r.exact {
			record.JudgedCode = st.CodeTree
			if diff, err = c.Diff(ctx); err != nil {
				return record, "", err
			}
		}
		report := r.review().Report(c.ID.String(), st.Round, record.JudgedCode, diff, agent, findingIDs(r.open))
		report.Evidence = t.Evidence
		record.Files = map[string][]byte{specs.ReviewFile: report.Markdown()}
		t.Step, t.Verdict, found = phases.StepReview, report.Verdict, report.Findings
		as = fmt.Sprintf("the review of round %d", st.Round)
	}
	counted := specs.CountFindings(found)
	t.Findings = &counted
	record.Transition, record.Body = t, r.summary()
	h.row.Findings = len(r.taken)
	return record, as, nil
}

// readNow reports whether a review is about what stands here: its commit has the plan and the code that the tip has.
// A commit that is not in this clone is about something else.
func (s *syncing) readNow(ctx context.Context, commit string) bool {
	id, err := gitops.ParseID(commit)
	if err != nil {
		return false
	}
	then, err := s.Store.OpenAt(ctx, s.change.ID, id)
	now := s.change.State
	return err == nil && then.State.PlanTree == now.PlanTree && then.State.CodeTree == now.CodeTree
}

// takeApproval records an approval of the current head as a person's decision, the same that `approve` records.
func (s *syncing) takeApproval(ctx context.Context, approves []*heardReview) error {
	if len(approves) == 0 {
		return nil
	}
	h := approves[0]
	st := s.change.State
	of := map[phases.Phase]string{phases.Proposed: "plan", phases.Implementing: "code"}[st.Effective]
	if of == "" {
		leave(approves, fmt.Sprintf("nothing is to be approved: the change is %s", st.Effective))
		return nil
	}
	if err := st.Allows(phases.EventApprove); err != nil {
		return err
	}
	leave(approves[1:], "one approval is enough")
	if s.req.DryRun {
		s.done("the approval of the %s by %s", of, h.row.By)
		return nil
	}
	if err := s.confirmApproval(ctx, h, of); err != nil {
		return err
	}
	record := changes.Record{Body: reviewURL(h), Transition: phases.Transition{
		Step: phases.StepApprove, Decision: phases.DecisionApprove, Actor: phases.Human, Agent: fromGitHub(h.Author.Login, h.ID),
	}}
	prove := s.evidenceHere
	if s.req.RunNothing {
		prove = s.evidenceRecorded
	}
	record, _, err := s.approval(ctx, s.change, DecideRequest{Change: s.change.ID, Kind: phases.DecisionApprove}, record, prove)
	if err == nil {
		record.Subject = fmt.Sprintf("%s approves the %s on GitHub", h.row.By, of)
		err = s.record(ctx, h, record)
	}
	if err != nil {
		h.row.Why = firstLine(err.Error())
		return err
	}
	s.done("the approval of the %s by %s", of, h.row.By)
	return nil
}

// evidenceRecorded are the checks that the history holds of exactly this code, and that the configuration wants.
func (s *syncing) evidenceRecorded(ctx context.Context, c *changes.Change) ([]phases.Evidence, error) {
	want, err := s.checkCommands(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(c.State.Transitions) {
		if t.CodeTreeAt == c.State.CodeTree && slices.Equal(commandsOf(t.Evidence), want) {
			return t.Evidence, nil
		}
	}
	return nil, &GateError{
		Gate: "evidence", Reason: "the history holds no checks of exactly this code, and none are run here",
		Next: "have it reviewed, which runs them, and approve what came of it; or at home `" + command("sync", c.ID) + "`",
	}
}

// confirmApproval asks the person at the terminal, unless yes was said already.
func (s *syncing) confirmApproval(ctx context.Context, h *heardReview, of string) error {
	if s.req.Confirmed {
		return nil
	}
	d := s.approvalDecision(h, of)
	h.row.Why = "a person must say so here"
	if s.Ask == nil {
		return s.pending(d)
	}
	choice, err := s.ask(ctx, s.change, d)
	if err == nil && choice != "record" {
		err = ErrDeclined
	}
	return err
}

func (s *syncing) approvalDecision(h *heardReview, of string) Decision {
	again := []string{"--yes"}
	if s.req.Repo != "" {
		again = append(again, "--repo", s.req.Repo)
	}
	if s.req.Remote != "" {
		again = append(again, "--remote", s.req.Remote)
	}
	return Decision{
		Kind:     "approval",
		Question: fmt.Sprintf("%s approved the %s on GitHub, at %s: record it?", h.row.By, of, s.change.Tip.Short()),
		Options: []DecisionOption{
			{Action: "record", Label: "Record it as a person's decision", Command: command("sync", s.change.ID, again...), Recommended: true},
			{Action: "stop", Label: "Not now"},
		},
	}
}

// reviewURL is where a review stands, fit for a message.
func reviewURL(h *heardReview) string {
	const most = 300
	return "The review: " + phases.OneLine(github.Words(h.URL, most))
}
