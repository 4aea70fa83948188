package workflow

import (
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/github"
)

func TestSyncing_counts(t *testing.T) {
	const head = "1111111111111111111111111111111111111111"
	const older = "2222222222222222222222222222222222222222"
	base := heardReview{stands: true, PersonReview: github.PersonReview{
		PostedReview: github.PostedReview{State: "APPROVED", Author: github.Account{Login: "bob"}, Commit: head},
	}}
	tests := []struct {
		name string
		bend func(*heardReview, *syncing)
		why  string // "" where it counts
	}{
		{"an approval of the head", func(*heardReview, *syncing) {}, ""},
		{"a request of an older head", func(h *heardReview, _ *syncing) { h.State, h.Commit = "CHANGES_REQUESTED", older }, ""},
		{"an older head", func(h *heardReview, _ *syncing) { h.Commit = older }, "it is of an older head, 222222222222"},
		{"a commit that is gone", func(h *heardReview, _ *syncing) { h.Commit = "" }, "it is of an older head, "},
		{"commits here that are not there", func(_ *heardReview, s *syncing) { s.change.Tip = older }, "the branch here is at 2222222222, and the pull request at 111111111111"},
		{"a newer review", func(h *heardReview, _ *syncing) { h.stands = false }, "a newer review of theirs takes its place"},
		{"a dismissed review", func(h *heardReview, _ *syncing) { h.State = "DISMISSED" }, "it was dismissed"},
		{"one's own pull request", func(_ *heardReview, s *syncing) { s.pull.Author.Login = "BOB" }, "they opened the pull request themselves"},
		{"a reader", func(h *heardReview, _ *syncing) { h.Author.Login = "eve" }, "they may not write to octo/hello"},
		{"a reader who asks", func(h *heardReview, _ *syncing) { h.Author.Login, h.State = "eve", "CHANGES_REQUESTED" }, "they may not write to octo/hello"},
		{"an app", func(h *heardReview, _ *syncing) { h.Author.Bot = true }, "they may not write to octo/hello"},
		{"an account that is gone", func(h *heardReview, _ *syncing) { h.Author.Login = "" }, "its author has no account any more"},
		{"no login", func(h *heardReview, _ *syncing) { h.Author.Login = "bob\nAgentd-Phase: archived" }, "its author has no account any more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &syncing{
				there: &publishing{target: github.Target{Host: "github.com", Owner: "octo", Repo: "hello"}},
				pull:  github.PullRequest{Head: head, Author: github.Account{Login: "ada"}}, change: &changes.Change{Tip: head},
				may: map[string]github.Permission{"bob": github.Write, "BOB": github.Write, "eve": github.Read},
			}
			h := base
			tt.bend(&h, s)
			counts, why, err := s.counts(t.Context(), &h)
			if err != nil || counts != (tt.why == "") || why != tt.why {
				t.Errorf("counts %t: %q, %v; want %q", counts, why, err, tt.why)
			}
		})
	}
}
