package workflow

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/phases"
)

// heardReview is a review of a person with an opinion, and what comes of it.
type heardReview struct {
	github.PersonReview
	row    SyncedReview
	stands bool            // it is what its author thinks now
	counts bool            // it stands, and its author may write
	thread []threadComment // its comments, each with what was answered
}

// threadComment is a comment on lines, with the answers of people who may write.
type threadComment struct {
	github.ReviewComment
	answers []github.ReviewComment
}

// hear says of every review with an opinion whether it counts, and whether it is recorded.
// One of ours is nobody's word, whoever's account posted it, and takes the place of none.
func (s *syncing) hear(ctx context.Context, people []github.PersonReview) ([]*heardReview, error) {
	recorded := recordedReviews(s.change)
	var heard, said []*heardReview
	var words []github.PersonReview
	for _, r := range people {
		if r.Opinion() == github.NoOpinion {
			continue
		}
		h := &heardReview{PersonReview: r}
		h.row = SyncedReview{
			ID: h.ID, By: cmp.Or(h.Author.String(), "ghost"), State: h.State, Commit: h.Commit, URL: h.URL, Outcome: OutcomePending,
			Recorded: recorded[h.ID],
		}
		heard = append(heard, h)
		if commit, ours := shown(s.change.ID, r.PostedReview); ours {
			h.stands, h.row.Outcome = true, OutcomeIgnored
			h.row.Why = fmt.Sprintf("gh-agentd posted it, to show commit %.12s", commit)
			continue
		}
		if _, marked := github.ParseMarker(r.Body); marked && h.row.Recorded == "" {
			s.Say.Note(fmt.Sprintf("the review of %s bears a marker of gh-agentd, and is none of its own: it is read as theirs", h.row.By))
		}
		said, words = append(said, h), append(words, r)
	}
	for i, stands := range github.Standing(words) {
		h := said[i]
		h.stands = stands
		var why string
		var err error
		if h.counts, why, err = s.counts(ctx, h); err != nil {
			return heard, err
		}
		switch {
		case h.row.Recorded != "":
			h.row.Outcome = OutcomeBefore
		case !h.counts:
			h.row.Outcome, h.row.Why = OutcomeIgnored, why
		default:
			if h.thread, err = s.threads(ctx, h, people); err != nil {
				return heard, err
			}
		}
	}
	return heard, nil
}

// login is what GitHub lets an account be called. What is not that stands in no commit.
var login = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9_])?$`)

// counts says whether a review is somebody's word on what the pull request shows, or why not.
func (s *syncing) counts(ctx context.Context, h *heardReview) (bool, string, error) {
	switch {
	case !login.MatchString(h.Author.Login):
		return false, "its author has no account any more", nil
	case h.Opinion() == github.Dismissed:
		return false, "it was dismissed", nil
	case !h.stands:
		return false, "a newer review of theirs takes its place", nil
	}
	may, err := s.permission(ctx, h.Author)
	switch {
	case err != nil:
		return false, "", err
	case may < github.Write:
		return false, fmt.Sprintf("they may not write to %s", s.there.target), nil
	case h.Opinion() == github.AsksForChanges:
		return true, "", nil
	case h.Author.Is(s.pull.Author):
		return false, "they opened the pull request themselves", nil
	case h.Commit != s.pull.Head:
		return false, fmt.Sprintf("it is of an older head, %.12s", h.Commit), nil
	case h.Commit != string(s.change.Tip):
		return false, fmt.Sprintf("the branch here is at %s, and the pull request at %.12s", s.change.Tip.Short(), s.pull.Head), nil
	}
	return true, "", nil
}

// permission is what an account may do in the repository, asked once.
func (s *syncing) permission(ctx context.Context, a github.Account) (github.Permission, error) {
	if a.Bot || !login.MatchString(a.Login) {
		return github.None, nil
	}
	if may, asked := s.may[a.Login]; asked {
		return may, nil
	}
	may, err := s.there.client.Permission(ctx, a)
	if err == nil {
		s.may[a.Login] = may
	}
	return may, err
}

// threads are the comments of a review, with the answers to them in whatever review they came.
// Answers of those who may not write are left out: their words reach no agent.
func (s *syncing) threads(ctx context.Context, h *heardReview, people []github.PersonReview) ([]threadComment, error) {
	var threads []threadComment
	at := map[int64]int{}
	for _, c := range h.Comments {
		if _, own := at[c.ReplyTo]; !own {
			at[c.ID] = len(threads)
			threads = append(threads, threadComment{ReviewComment: c})
		}
	}
	for _, r := range people {
		for _, c := range r.Comments {
			i, answer := at[c.ReplyTo]
			if !answer {
				continue
			}
			may, err := s.permission(ctx, c.Author)
			if err != nil {
				return nil, err
			}
			if may >= github.Write {
				threads[i].answers = append(threads[i].answers, c)
			}
		}
	}
	return threads, nil
}

// fromGitHub is how the record names who said something in a review on GitHub: "github/ada/4711".
// No agent of that name is taken for a person: it is no actor of ours.
func fromGitHub(login string, review int64) string {
	return "github/" + login + "/" + strconv.FormatInt(review, 10)
}

var fromGitHubForm = regexp.MustCompile(`^github/([A-Za-z0-9_-]{1,100})/([1-9][0-9]{0,18})$`)

// reviewOf is the person and the review on GitHub that a transition records.
func reviewOf(t phases.Transition) (login string, review int64, ok bool) {
	m := fromGitHubForm.FindStringSubmatch(t.Agent)
	if m == nil || t.Actor != phases.Human {
		return "", 0, false
	}
	review, err := strconv.ParseInt(m[2], 10, 64)
	return m[1], review, err == nil
}

// recordedReviews are the reviews that the history holds, with the commit that records each.
func recordedReviews(c *changes.Change) map[int64]string {
	recorded := map[int64]string{}
	for _, t := range c.State.Transitions {
		if _, review, ok := reviewOf(t.Transition); ok {
			recorded[review] = t.Commit
		}
	}
	return recorded
}
