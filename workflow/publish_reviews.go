package workflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// gracePeriod is how long a pull request gets to show what was pushed, each time it is asked.
const gracePeriod = 2 * time.Second

// reviews posts what was judged and is not posted yet, the oldest first: a newer one outdates what came before.
func (p *publishing) reviews(ctx context.Context, pull github.PullRequest) error {
	wanted, err := p.judged(ctx)
	if err != nil || len(wanted) == 0 {
		return err
	}
	posted, err := p.posted(ctx, pull.Number)
	if err != nil {
		return err
	}
	newest := map[string]int{}
	for i, r := range wanted {
		newest[r.review.Kind] = i
	}
	for i, r := range wanted {
		have, there := posted[r.review.Key()]
		if there && newest[r.review.Kind] != i {
			p.result.Reviews = append(p.result.Reviews, r.published(have))
			continue
		}
		// The newest of its kind is looked at even where it is there: it may have died before it outdated the others.
		done, err := p.client.PublishReview(ctx, pull.Number, r.review)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
		for _, warning := range done.Warnings {
			p.Say.Warn(warning.Error())
		}
		result := r.published(github.PostedReview{URL: done.URL})
		result.Event, result.Posted = done.Event.String(), !done.Reused
		if result.Posted {
			result.Inline, result.InBody = len(done.Plan.Inline), done.Plan.InBody
			p.done("posted the %s (%d inline, %d in its text): %s", r.name(), result.Inline, result.InBody, done.URL)
		}
		p.result.Reviews = append(p.result.Reviews, result)
	}
	p.lift(ctx, pull)
	return nil
}

// lift outdates our reviews of a kind in which a person had the last word, on GitHub:
// there is nothing to post then that would do it.
func (p *publishing) lift(ctx context.Context, pull github.PullRequest) {
	last := map[string]string{} // the commit that records the last word of a kind, where that was said on GitHub
	for _, t := range p.change.State.Transitions {
		if j, ok := judgementOf(t); ok && j.there {
			last[j.kind] = t.Commit
		} else if ok {
			delete(last, j.kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(last)) {
		for _, warning := range p.client.OutdateReviews(ctx, pull.Number, kind, p.req.Change.String(), p.commitURL(last[kind])) {
			p.Say.Warn(warning.Error())
		}
	}
}

// posted are the reviews that are ours by what is in them, by key.
// Those of other people who may write count too: the marker says only that it need not be posted again.
// For that the client learns their names.
func (p *publishing) posted(ctx context.Context, number int) (map[string]github.PostedReview, error) {
	all, err := p.client.Reviews(ctx, number)
	if err != nil {
		return nil, err
	}
	viewer, err := p.client.Viewer(ctx)
	if err != nil {
		return nil, err
	}
	accounts, trusted := []string{actionsAccount}, map[string]bool{viewer.String(): true, actionsAccount: true}
	keys := map[string]github.PostedReview{}
	for _, r := range all {
		marker, _ := github.ParseMarker(r.Body)
		if _, ours := shown(p.req.Change, r); !ours || r.Submitted.IsZero() {
			continue
		}
		name := r.Author.String()
		if _, asked := trusted[name]; !asked {
			may, err := p.client.Permission(ctx, r.Author)
			if _, hidden := errors.AsType[*github.ForbiddenError](err); err != nil && !hidden { // who may not write is not told who may
				return nil, err
			}
			if trusted[name] = may >= github.Write; trusted[name] {
				accounts = append(accounts, name)
			}
		}
		if trusted[name] {
			keys[marker.Key] = r
		}
	}
	if len(accounts) > 1 {
		p.client, err = p.newClient(accounts...)
	}
	return keys, err
}

// judgedReview is a judgement of the history as a review.
type judgedReview struct {
	judgement
	review github.Review
}

func (r judgedReview) name() string {
	if r.round == 0 {
		return "approval of the " + r.of + " by a person"
	}
	return fmt.Sprintf("%s of round %d: %s", r.kind, r.round, verdictWord(r.verdict))
}

func (r judgedReview) published(have github.PostedReview) PublishedReview {
	return PublishedReview{Kind: r.kind, Round: r.round, Verdict: r.verdict, Commit: r.review.Head, URL: have.URL, Event: eventOfState(have.State)}
}

// eventOfState is the event that leads to a state; what was dismissed later is a comment since.
func eventOfState(state string) string {
	switch state {
	case "CHANGES_REQUESTED":
		return github.RequestChanges.String()
	case "APPROVED":
		return github.Approve.String()
	}
	return github.Comment.String()
}

// judged reads every judgement with the words of its own commit, the oldest first.
// What people said on GitHub stands there already.
func (p *publishing) judged(ctx context.Context) (reviews []judgedReview, err error) {
	objects, err := p.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	for _, t := range p.change.State.Transitions {
		j, ok := judgementOf(t)
		if !ok || j.there {
			continue
		}
		r := judgedReview{judgement: j, review: github.Review{
			Kind: j.kind, Change: p.req.Change.String(), Round: j.round, Head: t.Commit,
			Event: eventFor(t), Heading: p.reviewHead(t, j), Summary: t.Body,
		}}
		if t.Commit != string(p.change.Tip) {
			r.review.Moved = github.MovedComment
		}
		if j.file != "" {
			if err := p.addReport(objects, t, j.file, &r.review); err != nil {
				return nil, err
			}
		}
		reviews = append(reviews, r)
	}
	return reviews, nil
}

// eventFor asks for changes where the verdict does. It never approves:
// an approval on GitHub counts toward the protection of a branch, and is for people to give.
func eventFor(t phases.Applied) github.Event {
	switch t.Verdict {
	case phases.NeedsRevision, phases.VerdictRejected, phases.NeedsChanges, phases.MajorIssues:
		return github.RequestChanges
	}
	return github.Comment
}

func (p *publishing) reviewHead(t phases.Applied, j judgement) string {
	title := map[string]string{"challenge": "Challenge", "review": "Review"}[j.kind]
	if j.round == 0 {
		title = map[string]string{"plan": "The plan", "code": "The code"}[j.of]
	}
	return templates.ReviewHead{
		Title: title, Round: j.round, Verdict: j.verdict, Findings: j.findings,
		By: p.client.Sanitizer().Line(j.by, mostName), Subject: t.Transition.Subject, Commit: t.Commit, URL: p.commitURL(t.Commit),
	}.Render()
}

// addReport takes summary and findings from the report as it was committed with the verdict.
func (p *publishing) addReport(objects *gitops.Objects, t phases.Applied, file string, into *github.Review) error {
	at := t.Commit + ":" + p.req.Change.Dir() + "/"
	_, _, report, err := objects.Lookup(at + file)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil // the verdict stands in the trailers; check says what it thinks of that
	}
	if err != nil {
		return err
	}
	into.Report = path.Join(p.req.Change.Dir(), file)
	if summary := specs.ReadSummary(report); summary != "" {
		into.Summary = summary
	}
	for _, f := range specs.ReadFindings(report) {
		finding := github.Finding{
			ID: f.ID, Severity: severityOf(f.Severity), Text: f.Description, Suggestion: f.Suggestion, Path: f.File, Last: f.Line,
		}
		if f.Title != "" && !strings.HasPrefix(f.Description, f.Title) {
			finding.Text = f.Title + "\n\n" + f.Description
		}
		if f.SpecRef != "" {
			if err := p.placeInSpec(objects, at, f.SpecRef, &finding); err != nil {
				return err
			}
		}
		into.Findings = append(into.Findings, finding)
	}
	return nil
}

// placeInSpec puts a finding about a requirement onto the line where that begins, unless it has a place of its own.
func (p *publishing) placeInSpec(objects *gitops.Objects, at, text string, finding *github.Finding) error {
	finding.Text += "\n\n" + text
	ref, err := specs.ParseSpecRef(text)
	if err != nil || finding.Path != "" {
		return nil
	}
	_, _, src, err := objects.Lookup(at + ref.Spec.Path())
	if errors.Is(err, gitops.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	finding.Path = path.Join(p.req.Change.Dir(), ref.Spec.Path())
	spec, _, err := specs.ParseSpec(ref.Spec.Path(), src)
	if err != nil {
		return nil // the file is the place; its lines cannot be told
	}
	if requirement, ok := spec.Resolve(ref.Requirement); ok {
		finding.Last = requirement.Line
	}
	return nil
}

func severityOf(s specs.Severity) github.Severity {
	switch s {
	case specs.High:
		return github.High
	case specs.Medium:
		return github.Medium
	}
	return github.Low
}
