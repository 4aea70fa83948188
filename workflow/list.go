package workflow

import (
	"context"
	"errors"
	"slices"
	"sync"
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
	// ArchivePending says that the archive is on the change's branch, and that the base does not hold it.
	ArchivePending bool   `json:"archive_pending"`
	Problem        string `json:"problem,omitempty"`
}

// Run lists changes in the order of their ids; those on branches first, then the archive.
func (l *List) Run(ctx context.Context, req ListRequest) ([]ListItem, error) {
	var archive []changes.Summary
	var archiveErr error
	var reading sync.WaitGroup
	reading.Go(func() { archive, archiveErr = l.Bench.Store.Archived(ctx) })
	open, err := l.Bench.Store.List(ctx)
	reading.Wait()
	if err := errors.Join(err, archiveErr); err != nil {
		return nil, err
	}
	gone := make(map[phases.ChangeID]bool, len(archive))
	for _, s := range archive {
		gone[s.ID] = true
	}
	items := make([]ListItem, 0, len(open))
	for _, s := range open {
		if gone[s.ID] {
			continue
		}
		item := itemOf(s)
		if item.Phase == phases.Archived {
			item.Phase, item.ArchivePending = phases.Complete, true
		}
		items = append(items, item)
	}
	if req.All || req.Phase == phases.Archived {
		for _, s := range archive {
			items = append(items, itemOf(s))
		}
	}
	if req.Phase != phases.None {
		items = slices.DeleteFunc(items, func(item ListItem) bool { return item.Phase != req.Phase })
	}
	return items, nil
}

func itemOf(s changes.Summary) ListItem {
	item := ListItem{
		Change: s.ID.String(), Phase: s.Last.Phase, Recorded: s.Last.Phase, Stale: s.StalePlan || s.StaleCode, Round: s.Last.Round,
		Verdict: s.Last.Verdict, Step: s.Last.Step, UpdatedAt: s.Updated.UTC(),
		Branch: s.ID.Branch(), Commit: string(s.Tip), Unproved: true,
	}
	switch {
	case s.StalePlan:
		item.Phase = phases.Proposed
	case s.StaleCode:
		item.Phase = phases.Implementing
	}
	if s.Err != nil {
		item.Problem = s.Err.Error()
	}
	return item
}
