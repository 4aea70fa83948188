package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Sync takes the reviews of people on a change's pull request into its history.
//
// A request for changes becomes a verdict with findings, an approval of the current head a decision.
// It keeps nothing: which reviews are recorded the commits say, and the rest GitHub is asked.
type Sync struct{ Bench *Bench }

// SyncRequest says whose pull request is read.
type SyncRequest struct {
	Change     phases.ChangeID
	Repo       string // [HOST/]OWNER/REPO of the pull request; "" finds it as gh does
	Remote     string // that the branch is taken from; "" is origin, or else the first
	Confirmed  bool   // record an approval without asking
	DryRun     bool   // look, and record nothing
	RunNothing bool   // an approval of code rests on checks that the history holds; none is run here
}

// SyncResult says what each review came to.
type SyncResult struct {
	Change      string         `json:"change"`
	Action      string         `json:"action"`
	Phase       phases.Phase   `json:"phase"`
	Repository  string         `json:"repository"`
	Remote      string         `json:"remote"`
	Branch      string         `json:"branch"`
	Head        string         `json:"head"`
	PullRequest *SyncedPull    `json:"pull_request"`
	Reviews     []SyncedReview `json:"reviews"` // of people, with an opinion, the oldest first
	Decision    *Decision      `json:"decision"`
	Commits     []string       `json:"commits"` // that this run made
	Message     string         `json:"message"`
	Next        string         `json:"next,omitempty"`
}

// SyncedPull is the pull request that was read.
type SyncedPull struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Head   string `json:"head"`
}

// SyncedReview is one review of a person.
type SyncedReview struct {
	ID       int64  `json:"id"`
	By       string `json:"by"`
	State    string `json:"state"`  // GitHub's word
	Commit   string `json:"commit"` // that it is about, "" where it is gone
	URL      string `json:"url"`
	Outcome  string `json:"outcome"`
	Why      string `json:"why"`      // of what is not recorded
	Findings int    `json:"findings"` // of its own, where this run recorded them, or would
	Recorded string `json:"recorded"` // the commit of ours, "" where there is none
}

// The outcomes of a SyncedReview.
const (
	OutcomeRecorded = "recorded"         // by this run
	OutcomeBefore   = "already_recorded" // by an earlier one
	OutcomePending  = "pending"          // it counts, and is not recorded: Why says what is missing
	OutcomeIgnored  = "ignored"          // it counts for nothing: Why says why
)

// The actions of a SyncResult beside [ActionUpToDate], [ActionDryRun] and [ActionDecisionPending].
const ActionSynced = "synced"

// syncing is one run of sync.
type syncing struct {
	*implementing
	req    SyncRequest
	result *SyncResult

	there  *publishing // the change and its pull request, found as publish finds them
	pull   github.PullRequest
	change *changes.Change
	may    map[string]github.Permission // by login, as far as it was asked
	did    []string                     // what was recorded, or in a dry run would be
}

// Run records what people said since it ran last. Running it twice records nothing the second time.
func (s *Sync) Run(ctx context.Context, req SyncRequest) (result SyncResult, err error) {
	result = SyncResult{
		Change: req.Change.String(), Branch: req.Change.Branch(), Reviews: []SyncedReview{}, Commits: []string{},
	}
	err = s.Bench.exclusively(ctx, req.Change, "sync", func(b *Bench) error {
		run := &syncing{
			implementing: newImplementing(b, ImplementRequest{Change: req.Change}), req: req, result: &result,
			there: &publishing{
				Bench: b, req: PublishRequest{Change: req.Change, Repo: req.Repo, Remote: req.Remote, DryRun: req.DryRun},
				result: &PublishResult{},
			},
			may: map[string]github.Permission{},
		}
		err := run.run(ctx)
		result.Commits = append(result.Commits, run.made...)
		return err
	})
	return result, err
}

func (s *syncing) run(ctx context.Context) error {
	if !s.req.DryRun {
		if err := s.committable(ctx, s.req.Change); err != nil {
			return err
		}
	}
	if err := s.there.connect(ctx); err != nil {
		return s.there.orMissing(ctx, err)
	}
	s.result.Repository, s.result.Remote = s.there.target.String(), s.there.remote
	s.Say.Start(fmt.Sprintf("reading the reviews of %s on %s", s.req.Change, s.there.target))
	if err := s.there.open(ctx); err != nil {
		return err
	}
	s.stands(s.there.change)
	s.workspaceOf(gitops.ID(s.change.State.Base.Commit))
	if err := s.findPull(ctx); err != nil {
		return err
	}
	people, err := s.there.client.PeopleReviews(ctx, s.pull.Number)
	if err != nil {
		return err
	}
	heard, err := s.hear(ctx, people)
	if err == nil {
		err = s.act(ctx, heard)
	}
	for _, h := range heard {
		s.result.Reviews = append(s.result.Reviews, h.row)
		s.tell(h)
	}
	if err == nil {
		s.end()
	}
	return err
}

// stands takes over how the change stands.
func (s *syncing) stands(c *changes.Change) {
	s.change = c
	s.result.Phase, s.result.Head, s.result.Next = c.Phase(), string(c.Tip), nextCommand(c)
}

// findPull finds the open pull request of the change's branch.
func (s *syncing) findPull(ctx context.Context) error {
	pull, err := s.there.client.OpenPull(ctx, s.there.owner, s.req.Change.Branch(), s.change.State.Base.Branch)
	if err != nil {
		return err
	}
	if pull == nil {
		return &GateError{
			Gate: "pull request", Reason: fmt.Sprintf("%s has none on %s", s.req.Change.Branch(), s.there.target),
			Next: command("publish", s.req.Change),
		}
	}
	s.pull = *pull
	s.result.PullRequest = &SyncedPull{Number: pull.Number, URL: pull.URL, Head: pull.Head}
	return nil
}

// act records what counts: requests for changes, the oldest first, or else an approval.
// It sets what comes of each review, also where it fails.
func (s *syncing) act(ctx context.Context, heard []*heardReview) error {
	if s.change.ArchivePending() {
		leave(heard, fmt.Sprintf("its archive is on its branch (`%s` takes it back)", command("archive", s.change.ID, "--abort")))
		return nil
	}
	switch phase := s.change.State.Effective; phase {
	case phases.Rejected, phases.Archived:
		leave(heard, fmt.Sprintf("the change is %s", phase))
		return nil
	}
	var asks, approves []*heardReview
	for _, h := range heard {
		switch {
		case h.counts && h.Opinion() == github.AsksForChanges:
			asks = append(asks, h)
		case h.row.Outcome == OutcomePending:
			approves = append(approves, h)
		}
	}
	for i, h := range asks {
		if h.row.Outcome != OutcomePending {
			continue
		}
		if err := s.takeRequest(ctx, h); err != nil {
			leave(asks[i:], "not recorded: "+firstLine(err.Error()))
			return err
		}
	}
	if len(asks) > 0 {
		leave(approves, asks[0].row.By+" asks for changes, which is not taken back")
		return nil
	}
	return s.takeApproval(ctx, approves)
}

// leave gives all reviews that are still pending the same reason.
func leave(heard []*heardReview, why string) {
	for _, h := range heard {
		if h.row.Outcome == OutcomePending {
			h.row.Why = why
		}
	}
}

// tell says what came of a review that is not recorded. What is recorded was said when that happened.
func (s *syncing) tell(h *heardReview) {
	if h.row.Why == "" || !h.stands {
		return
	}
	verb := map[github.Opinion]string{github.Approves: "approval", github.AsksForChanges: "request for changes"}[h.Opinion()]
	if verb != "" {
		s.Say.Note(fmt.Sprintf("the %s of %s is not recorded: %s", verb, h.row.By, h.row.Why))
	}
}

func (s *syncing) end() {
	r := s.result
	switch {
	case s.req.DryRun && len(s.did) > 0:
		r.Action, r.Message = ActionDryRun, "nothing was recorded; would "+strings.Join(s.did, "; ")
	case s.req.DryRun:
		r.Action, r.Message = ActionDryRun, "nothing new to record: "+s.pull.URL
	case len(s.did) > 0:
		r.Action, r.Message = ActionSynced, strings.Join(s.did, "; ")
	default:
		r.Action, r.Message = ActionUpToDate, "nothing new to record: "+s.pull.URL
	}
}

// done tells of something that was recorded, or in a dry run would be: "record …".
func (s *syncing) done(format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	if s.req.DryRun {
		s.Say.Note("would record " + sentence)
		s.did = append(s.did, "record "+sentence)
		return
	}
	s.Say.Done("recorded " + sentence)
	s.did = append(s.did, "recorded "+sentence)
}
