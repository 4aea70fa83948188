package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// Archive makes a complete change part of the base: its specs become the project's, its folder goes to the archive.
// It is deterministic and asks no model.
type Archive struct{ Bench *Bench }

// ArchiveRequest names the change.
type ArchiveRequest struct {
	Change       phases.ChangeID
	Route        Route
	Continue     bool // with the specs that a person has resolved
	Abort        bool // give up a resolution, or take back an archive that waits for its pull request
	DeleteBranch bool // afterwards remove the branch and its worktree, if that is clean
}

// Run archives, or says that it was done before. Archiving twice is one archive.
func (a *Archive) Run(ctx context.Context, req ArchiveRequest) (result ActionResult, err error) {
	if req.Route == RouteConfigured && !req.Abort {
		if req.Route, err = a.Bench.route(ctx, req.Change); err != nil {
			return ActionResult{Change: req.Change.String()}, err
		}
	}
	err = a.Bench.exclusively(ctx, req.Change, "archive", func(b *Bench) error {
		run := &archiving{implementing: newImplementing(b, ImplementRequest{Change: req.Change}), req: req}
		if run.resolution, err = b.openResolution(ctx, req); err != nil {
			return err
		}
		if req.Abort {
			result, err = run.abort(ctx)
		} else {
			result, err = run.archive(ctx)
		}
		run.account(&result)
		return err
	})
	if err == nil && result.Action == ActionArchivePending {
		err = a.propose(ctx, req.Change, &result)
	}
	return result, err
}

// archiving is one run of archive.
type archiving struct {
	*implementing
	req    ArchiveRequest
	remote string // that shares the change, where the route leads over one

	resolution *resolution
}

func (a *archiving) archive(ctx context.Context) (ActionResult, error) {
	none := ActionResult{Change: a.req.Change.String()}
	if err := a.ready(ctx, a.req.Change); err != nil {
		return none, err
	}
	// The base may move while the merge is built. Then it is built anew on the new base, never forced.
	const attempts = 5
	for range attempts {
		c, err := a.Store.Open(ctx, a.req.Change)
		if err != nil {
			return none, err
		}
		r, err := a.attempt(ctx, c)
		if conflict, ok := errors.AsType[*SpecConflictError](err); ok {
			r.Action, r.Conflicts, r.Next = ActionSpecConflict, conflict.Conflicts, command("archive", c.ID, "--continue")
		}
		if err == nil {
			err = a.resolution.done(ctx)
		}
		if !moved(err) {
			return r, err
		}
	}
	return none, fmt.Errorf("archive %q: the base branch keeps moving", a.req.Change)
}

// moved says that somebody else moved a branch at the same moment.
func moved(err error) bool {
	_, here := errors.AsType[*gitops.MovedError](err)
	push, there := errors.AsType[*gitops.PushError](err)
	return here || there && push.Behind || errors.Is(err, gitops.ErrNotFastForward)
}

func (a *archiving) attempt(ctx context.Context, c *changes.Change) (ActionResult, error) {
	stay := resultOf(c, "", "")
	if c.ArchivePending() {
		if err := a.notTakenBack(ctx, c, ""); err != nil {
			return stay, err
		}
	}
	up, err := a.upstream(ctx, c)
	if err != nil {
		return stay, err
	}
	if up != "" { // what was fetched may say more
		if c, err = a.Store.Open(ctx, c.ID); err != nil {
			return stay, err
		}
		stay = resultOf(c, "", "")
	}
	switch {
	case c.Where == changes.InArchive:
		if err := a.filedUpstream(ctx, c, up); err != nil {
			return stay, err
		}
		r := resultOf(c, ActionAlreadyArchived, "the change is archived already")
		return r, a.tidy(ctx, c, &r)
	case c.ArchivePending():
		return a.again(ctx, c, up)
	case c.State.Effective != phases.Complete:
		stale := c.State.Recorded == phases.Complete
		return stay, &NotCompleteError{ID: c.ID, Phase: c.State.Effective, Stale: stale}
	}
	if err := a.resolution.begun(); err != nil {
		return stay, err
	}
	if err := c.Forward(); err != nil {
		return stay, err
	}
	if err := a.committed(ctx, c); err != nil {
		return stay, err
	}
	if a.req.Route == RoutePull {
		return a.onBranch(ctx, c, c, up)
	}
	r, err := a.land(ctx, c, up)
	if refused, ok := errors.AsType[*gitops.PushError](err); ok && refused.Refused {
		a.Say.Warn(fmt.Sprintf("%s does not take the push (%s)", a.remote, refused.Why()))
		a.req.Route = RoutePull
		return a.onBranch(ctx, c, c, up)
	}
	if err != nil {
		return r, err
	}
	return r, a.tidy(ctx, c, &r)
}

// committed refuses uncommitted edits of the change: archiving would leave them behind.
func (a *archiving) committed(ctx context.Context, c *changes.Change) error {
	dir, err := a.checkedOut(ctx, c.ID)
	if err != nil || dir == "" {
		return err
	}
	dirty, err := a.at(dir).Status(ctx, c.ID.Dir())
	if err != nil || len(dirty) == 0 {
		return err
	}
	return &GateError{
		Gate: "edits", Reason: fmt.Sprintf("%s is edited and not committed", dirty[0].Path),
		Next: fmt.Sprintf("`%s` takes it into the history, `git -C %s restore %s` undoes it", command("plan", c.ID), proc.Quote(dir), c.ID.Dir()),
	}
}
