package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// Publish shows a change on GitHub: its branch, its pull request, and each of its verdicts as a review.
//
// It keeps nothing: what is to be there follows from the history, and what is there already GitHub is asked.
// Each step finds what an earlier run did of it, so that after any failure the same command goes on.
type Publish struct{ Bench *Bench }

// PublishRequest says what goes where.
type PublishRequest struct {
	Change phases.ChangeID
	Repo   string // [HOST/]OWNER/REPO of the pull request; "" finds it as gh does
	Remote string // that the branch is pushed to; "" is origin, or else the first
	Again  bool   // open a new pull request where the last one was closed or merged
	DryRun bool   // look, and send nothing
}

// PublishResult says what is there now, and what this run did for it.
type PublishResult struct {
	Change      string            `json:"change"`
	Action      string            `json:"action"`
	Phase       phases.Phase      `json:"phase"`
	Repository  string            `json:"repository"`
	Remote      string            `json:"remote"`
	Branch      string            `json:"branch"`
	Head        string            `json:"head"`
	Pushed      bool              `json:"pushed"`
	PullRequest *PublishedPull    `json:"pull_request"` // null in a dry run that would open it
	Reviews     []PublishedReview `json:"reviews"`      // one for each verdict and each approval of a person that was not given on GitHub, the oldest first
	Requests    []github.Request  `json:"requests"`     // of a dry run: what would be sent, in order
	Message     string            `json:"message"`
	Next        string            `json:"next,omitempty"`
}

// PublishedPull is the change's pull request.
type PublishedPull struct {
	Number  int    `json:"number"`
	URL     string `json:"url"`
	Draft   bool   `json:"draft"`
	Created bool   `json:"created"`
	Updated bool   `json:"updated"` // our part of its body, or whether it is a draft
}

// PublishedReview is one verdict on GitHub.
type PublishedReview struct {
	Kind    string `json:"kind"` // challenge, or review of code
	Round   int    `json:"round"`
	Verdict string `json:"verdict"`
	Commit  string `json:"commit"`
	Posted  bool   `json:"posted"` // by this run; it was there before otherwise
	URL     string `json:"url"`
	Event   string `json:"event"`   // GitHub's word for what it does
	Inline  int    `json:"inline"`  // findings on lines of the diff
	InBody  int    `json:"in_body"` // findings in its text
}

// The actions of a PublishResult.
const (
	ActionPublished = "published"
	ActionUpToDate  = "up_to_date"
	ActionDryRun    = "dry_run"
)

// publishing is one run of publish.
type publishing struct {
	*Bench
	req    PublishRequest
	result *PublishResult

	remote string // that is pushed to
	owner  string // whose fork that is, "" for the repository of the pull request itself
	target github.Target
	client *github.Client
	change *changes.Change
	there  gitops.ID // the branch on the remote before this run, "" where it was not there
	did    []string  // what was done, or in a dry run would be
}

// Run makes GitHub show what the history says. Running it twice does nothing the second time.
func (p *Publish) Run(ctx context.Context, req PublishRequest) (result PublishResult, err error) {
	result = PublishResult{
		Change: req.Change.String(), Branch: req.Change.Branch(), Reviews: []PublishedReview{}, Requests: []github.Request{},
	}
	err = p.Bench.exclusively(ctx, req.Change, "publish", func(b *Bench) error {
		run := &publishing{Bench: b, req: req, result: &result}
		return run.run(ctx)
	})
	return result, err
}

func (p *publishing) run(ctx context.Context) error {
	if err := p.connect(ctx); err != nil {
		return p.orMissing(ctx, err)
	}
	p.Say.Start(fmt.Sprintf("publishing %s to %s", p.req.Change, p.target))
	if err := p.open(ctx); err != nil {
		return err
	}
	if p.change.Where == changes.InArchive {
		p.end(ActionUpToDate, "it is archived: nothing to publish")
		return nil
	}
	if err := p.legal(ctx); err != nil {
		return err
	}
	if p.req.DryRun {
		return p.preview(ctx)
	}
	return p.send(ctx)
}

// orMissing says that there is no such change where that is so: nobody signs in somewhere for the sake of one.
func (p *publishing) orMissing(ctx context.Context, failed error) error {
	_, err := p.Store.Open(ctx, p.req.Change)
	if missing, ok := errors.AsType[*changes.NotFoundError](err); ok {
		return missing
	}
	return failed
}

// send does everything in the order in which a reader may see it half done:
// the record first, then who speaks about it, and the word that it is ready last.
func (p *publishing) send(ctx context.Context) error {
	if err := p.push(ctx); err != nil {
		return err
	}
	pull, err := p.ensurePull(ctx)
	if err != nil {
		return err
	}
	if err := p.reviews(ctx, pull.PullRequest); err != nil {
		return err
	}
	if err := p.status(ctx); err != nil {
		return err
	}
	if err := p.ready(ctx, pull); err != nil {
		return err
	}
	if len(p.did) == 0 {
		p.end(ActionUpToDate, "nothing new to publish: "+pull.URL)
		return nil
	}
	p.end(ActionPublished, "published: "+pull.URL)
	return nil
}

func (p *publishing) end(action, message string) {
	p.result.Action, p.result.Message = action, message
	p.result.Next = nextCommand(p.change)
}

// done tells of one thing that was done.
func (p *publishing) done(format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	p.did = append(p.did, sentence)
	p.Say.Done(sentence)
}

// open takes what others pushed, and proves the history.
func (p *publishing) open(ctx context.Context) error {
	var err error
	if !p.req.DryRun {
		if err := p.syncWith(ctx, p.req.Change, p.remote); err != nil {
			return err
		}
	}
	if p.there, err = p.Repo.RemoteTip(ctx, p.remote, p.req.Change.Ref()); err != nil {
		return err
	}
	if p.change, err = p.Store.Open(ctx, p.req.Change); err != nil {
		return err
	}
	if p.change.ArchivePending() && !p.req.DryRun { // it may have been merged
		if _, err := p.fetchBranch(ctx, p.remote, p.change.State.Base.Branch); err != nil {
			return err
		}
		if p.change, err = p.Store.Open(ctx, p.req.Change); err != nil {
			return err
		}
	}
	if err := p.change.Forward(); err != nil {
		return err
	}
	p.result.Phase, p.result.Head = p.change.Phase(), string(p.change.Tip)
	return nil
}

// legal refuses what the pre-push hook and the required check refuse, in their words.
func (p *publishing) legal(ctx context.Context) error {
	ref := p.req.Change.Ref()
	check := Check{Store: p.Store}
	found, err := check.Run(ctx, CheckRequest{Push: &Push{
		Remote: p.remote, Refs: []PushedRef{{Local: ref, LocalID: p.change.Tip, Remote: ref, RemoteID: p.there}},
	}})
	if err != nil {
		return fmt.Errorf("the history cannot be judged: %w", err)
	}
	if len(found.Violations) > 1 {
		for _, v := range found.Violations {
			p.Say.Warn(fmt.Sprintf("%s (%s)", v.Message, v.Rule))
		}
	}
	return found.Err()
}

// push moves the branch on the remote forward. A run that died after it finds it done.
func (p *publishing) push(ctx context.Context) error {
	tip := p.change.Tip
	if p.there == tip {
		return nil
	}
	err := p.Repo.Push(ctx, p.remote, tip, p.req.Change.Ref())
	if refused, ok := errors.AsType[*gitops.PushError](err); ok && refused.Behind {
		return p.diverged(ctx, err)
	}
	if err != nil {
		return err
	}
	p.result.Pushed = true
	p.done("pushed %s to %s: %s", p.req.Change.Branch(), p.remote, tip.Short())
	return nil
}

// diverged names both sides of a push that the remote took for no step forward.
func (p *publishing) diverged(ctx context.Context, refused error) error {
	there, err := p.Repo.RemoteTip(ctx, p.remote, p.req.Change.Ref())
	if err != nil || there == "" {
		return refused
	}
	return &DivergedError{ID: p.req.Change, Remote: p.remote, Here: p.change.Tip.Short(), There: there.Short()}
}

// status shows the deterministic rule on the head. It is the same that the required check says;
// an account that may not set it takes nothing away from what was published.
func (p *publishing) status(ctx context.Context) error {
	set, err := p.client.SetStatus(ctx, string(p.change.Tip), p.phaseStatus())
	refused, forbidden := errors.AsType[*github.ForbiddenError](err)
	_, hidden := errors.AsType[*github.NotFoundError](err)
	switch {
	case forbidden:
		p.Say.Warn(refused.Error() + "; " + refused.Hint())
		return nil
	case hidden:
		p.Say.Warn(err.Error())
		return nil
	case err != nil:
		return err
	case set:
		p.done("set the status %q: %s", github.PhaseContext, p.phaseStatus().Description)
	}
	return nil
}

func (p *publishing) phaseStatus() github.Status {
	return github.Status{
		Context: github.PhaseContext, State: github.StateSuccess,
		Description: fmt.Sprintf("%s, proved by %d transitions", phaseWords(p.change), p.change.State.Proved()),
	}
}

// ready marks the pull request ready for review when the change is complete, and makes it a draft before.
func (p *publishing) ready(ctx context.Context, pull github.EnsuredPull) error {
	draft := p.change.Phase() != phases.Complete
	p.result.PullRequest.Draft = pull.Draft
	if draft && pull.NoDraft {
		return nil
	}
	changed, err := p.client.SetDraft(ctx, pull.Number, draft)
	if _, refused := errors.AsType[*github.ValidationError](err); refused && draft {
		p.Say.Warn(err.Error()) // not every plan of GitHub has drafts
		return nil
	}
	if err != nil {
		return err
	}
	p.result.PullRequest.Draft = draft
	if changed {
		p.result.PullRequest.Updated = true
		word := map[bool]string{true: "made pull request #%d a draft", false: "marked pull request #%d ready for review"}[draft]
		p.done(word, pull.Number)
	}
	return nil
}

// phaseWords is where a change stands, with what it waits for.
func phaseWords(c *changes.Change) string {
	if c.ArchivePending() {
		return "complete, its archive waits to be merged"
	}
	return c.State.Effective.String()
}

// verdictWord is a verdict in the words of a sentence.
func verdictWord(v string) string { return strings.ToLower(strings.ReplaceAll(v, "_", " ")) }
