package workflow

import (
	"context"
	"time"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/phases"
)

// List sums up all changes from one bulk read. It proves nothing; status does.
type List struct{ Bench *Bench }

// ListRequest narrows the list.
type ListRequest struct {
	All   bool         // archived changes too
	Phase phases.Phase // only this effective phase; None for all
}

// ListItem is one change.
type ListItem struct {
	Change    string         `json:"change"`
	Phase     phases.Phase   `json:"phase"` // lowered by staleness, as far as one read can tell
	Recorded  phases.Phase   `json:"recorded"`
	Stale     bool           `json:"stale"`
	Round     int            `json:"round"`
	Verdict   phases.Verdict `json:"verdict"`
	Step      phases.Step    `json:"step"`
	UpdatedAt time.Time      `json:"updated_at"`
	Branch    string         `json:"branch"`
	Commit    string         `json:"commit"`
	Unproved  bool           `json:"unproved"`
	Problem   string         `json:"problem,omitempty"`
}

// Run lists changes in the order of their ids; those on branches first, then the archive.
func (l *List) Run(ctx context.Context, req ListRequest) ([]ListItem, error) {
	all, err := l.Bench.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]ListItem, 0, len(all))
	for _, s := range all {
		items = append(items, itemOf(s))
	}
	if items, err = l.archived(ctx, items, req.All || req.Phase == phases.Archived); err != nil {
		return nil, err
	}
	if req.Phase == phases.None {
		return items, nil
	}
	kept := items[:0]
	for _, item := range items {
		if item.Phase == req.Phase {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

func itemOf(s changes.Summary) ListItem {
	item := ListItem{
		Change: s.ID.String(), Phase: s.Last.Phase, Recorded: s.Last.Phase, Stale: s.Stale, Round: s.Last.Round,
		Verdict: s.Last.Verdict, Step: s.Last.Step, UpdatedAt: s.Updated.UTC(),
		Branch: s.ID.Branch(), Commit: string(s.Tip), Unproved: true,
	}
	if s.Stale {
		item.Phase = phases.Proposed
	}
	if s.Err != nil {
		item.Problem = s.Err.Error()
	}
	return item
}

// archived hides branches of changes that the base's archive holds, and lists them as archived where that is wanted.
func (l *List) archived(ctx context.Context, items []ListItem, show bool) ([]ListItem, error) {
	archive, err := l.Bench.Store.Archived(ctx)
	if err != nil || len(archive) == 0 {
		return items, err
	}
	gone := map[string]bool{}
	for _, s := range archive {
		gone[s.ID.String()] = true
	}
	kept := items[:0]
	for _, item := range items {
		if !gone[item.Change] {
			kept = append(kept, item)
		}
	}
	if !show {
		return kept, nil
	}
	for _, s := range archive {
		kept = append(kept, itemOf(s))
	}
	return kept, nil
}
