package workflow

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// preview says what a run would send. It asks GitHub what is there, and changes nothing, there or here.
func (p *publishing) preview(ctx context.Context) error {
	if p.there != p.change.Tip {
		p.would("push %s to %s: %s", p.req.Change.Branch(), p.remote, p.change.Tip.Short())
	}
	draft, err := p.pullDraft(ctx)
	if err != nil {
		return err
	}
	pulls, err := p.client.Pulls(ctx, p.owner, draft.Branch)
	if err != nil {
		return err
	}
	request, pull, err := github.PlanPull(p.client.Sanitizer(), draft, pulls)
	if err != nil {
		return err
	}
	switch {
	case pull == nil:
		p.would("open a pull request onto %s: %s", draft.Base, draft.Title)
		p.result.Requests = append(p.result.Requests, *request)
	case request != nil:
		p.would("bring pull request #%d up to date", pull.Number)
		p.result.Requests = append(p.result.Requests, *request)
	}
	if err := p.previewReviews(ctx, pull); err != nil {
		return err
	}
	has := false
	if p.there == p.change.Tip {
		if has, err = p.client.HasStatus(ctx, string(p.change.Tip), p.phaseStatus()); err != nil {
			return err
		}
	}
	if !has {
		p.would("set the status %q: %s", github.PhaseContext, p.phaseStatus().Description)
		p.result.Requests = append(p.result.Requests, p.phaseStatus().Request(p.target, string(p.change.Tip)))
	}
	p.previewDraft(pull)
	p.end(ActionDryRun, "nothing new to publish")
	if len(p.did) > 0 {
		p.result.Message = "nothing was sent; would " + strings.Join(p.did, "; ")
	}
	return nil
}

func (p *publishing) would(format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	p.did = append(p.did, sentence)
	p.Say.Note("would " + sentence)
}

func (p *publishing) previewDraft(pull *github.PullRequest) {
	complete := p.change.Phase() == phases.Complete
	switch {
	case pull != nil:
		p.result.PullRequest = &PublishedPull{Number: pull.Number, URL: pull.URL, Draft: pull.Draft}
		if pull.Draft == complete {
			p.would("%s", map[bool]string{true: "mark it ready for review", false: "make it a draft"}[complete])
		}
	case complete:
		p.would("mark it ready for review")
	}
}

// previewReviews plans the reviews against the pull request as it will be after the push.
func (p *publishing) previewReviews(ctx context.Context, pull *github.PullRequest) error {
	wanted, err := p.judged(ctx)
	if err != nil {
		return err
	}
	var posted map[string]github.PostedReview
	facts := github.Facts{Sanitizer: p.client.Sanitizer(), Pull: github.PullRequest{Head: string(p.change.Tip)}}
	if facts.Viewer, err = p.client.Viewer(ctx); err != nil {
		return err
	}
	facts.Pull.Author = facts.Viewer
	if pull != nil {
		if posted, err = p.posted(ctx, pull.Number); err != nil {
			return err
		}
		facts.Pull = *pull
		facts.Pull.Head = string(p.change.Tip)
	}
	for _, r := range wanted {
		if have, there := posted[r.review.Key()]; there {
			p.result.Reviews = append(p.result.Reviews, r.published(have))
			continue
		}
		files, err := p.localFiles(ctx, r.review)
		if err != nil {
			return err
		}
		facts.Files = github.Files{Changed: files, Total: len(files)}
		plan := github.PlanReview(facts, r.review)
		result := r.published(github.PostedReview{})
		result.Event, result.Inline, result.InBody = plan.Event.String(), len(plan.Inline), plan.InBody
		p.result.Reviews = append(p.result.Reviews, result)
		p.result.Requests = append(p.result.Requests, plan.Requests()...)
		p.would("post the %s as %s (%d inline, %d in its text)", r.name(), plan.Event, result.Inline, result.InBody)
	}
	return nil
}

// localFiles is the diff of the pull request as git tells it here, as far as the findings name files:
// GitHub knows it only after the push.
func (p *publishing) localFiles(ctx context.Context, r github.Review) ([]github.File, error) {
	fork, err := p.change.Fork(ctx)
	if err != nil {
		return nil, err
	}
	var files []github.File
	seen := map[string]bool{"": true}
	for _, f := range r.Findings {
		if seen[f.Path] {
			continue
		}
		seen[f.Path] = true
		patch, err := p.Repo.Patch(ctx, fork, gitops.ID(r.Head), f.Path)
		if err != nil {
			return files, err
		}
		_, hunks, found := strings.Cut(patch, "\n@@ ")
		if !found {
			continue
		}
		file := github.File{Path: f.Path}
		if file.Hunks, err = github.ParsePatch("@@ " + hunks); err != nil {
			continue // a patch that cannot be read has no lines to comment on
		}
		files = append(files, file)
	}
	return files, nil
}
