package changes

import (
	"context"
	"fmt"
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// UsedSince are the transitions with a usage in commits since a moment, on every branch that this clone knows of:
// its own, those it has fetched, and what was archived. A commit that a rebase made again counts once.
// Nothing is replayed: what an illegal commit cost was paid as well.
func (s *Store) UsedSince(ctx context.Context, since time.Time) ([]phases.Transition, error) {
	ids, err := s.Repo.CommitsSince(ctx, since)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	var all []phases.Transition
	seen := map[string]bool{}
	for _, id := range ids {
		commit, err := objects.Commit(id)
		if err != nil {
			return nil, err
		}
		message, err := phases.ParseMessage(commit.Message)
		if err != nil || message.Transition == nil || message.Transition.Usage == nil || commit.Author.When.Before(since) {
			continue // somebody else's commit, or one that a rebase brought here from another day
		}
		t := *message.Transition
		same := fmt.Sprint(t.Change, t.Step, t.Round, t.Tasks, t.Usage, commit.Author.When.Unix())
		if !seen[same] {
			seen[same] = true
			all = append(all, t)
		}
	}
	return all, nil
}
