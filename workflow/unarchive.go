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
	"github.com/agentd/gh-agentd/specs"
)

// Unarchive takes an archived change off the base again, exactly, and takes the change up where it was complete.
//
// It does that in two commits: a revert on the base, and a merge of that into the change's branch.
// Killed between them, or with the revert made by somebody else, the same command does the rest.
type Unarchive struct{ Bench *Bench }

// UnarchiveRequest names the change.
type UnarchiveRequest struct {
	Change phases.ChangeID
	Route  Route // how the revert gets onto the base
}

// The actions of unarchive.
const (
	ActionUnarchived       = "unarchived"
	ActionUnarchivePending = "unarchive_pending" // a pull request is to bring the revert to the base
)

// Run takes the change back, or says that it was done before.
func (u *Unarchive) Run(ctx context.Context, req UnarchiveRequest) (result ActionResult, err error) {
	err = u.Bench.exclusively(ctx, req.Change, "unarchive", func(b *Bench) error {
		run := &unarchiving{archiving: &archiving{
			implementing: newImplementing(b, ImplementRequest{Change: req.Change}),
			req:          ArchiveRequest{Change: req.Change, Route: req.Route},
		}}
		result, err = run.run(ctx)
		run.account(&result)
		return err
	})
	return result, err
}

// unarchiving is one run of unarchive.
type unarchiving struct {
	*archiving
	branch string // that the change landed on
}

func (u *unarchiving) run(ctx context.Context) (ActionResult, error) {
	none := ActionResult{Change: u.req.Change.String()}
	if err := u.ready(ctx, u.req.Change); err != nil {
		return none, err
	}
	c, err := u.Store.Open(ctx, u.req.Change)
	if err != nil {
		return none, err
	}
	stay := resultOf(c, "", "")
	if u.branch, err = u.landedOn(ctx, c); err != nil {
		return stay, err
	}
	base, err := u.base(ctx)
	if err != nil {
		return stay, err
	}
	if u.req.Route != RouteHere { // what was fetched may say more
		if c, err = u.Store.Open(ctx, c.ID); err != nil {
			return stay, err
		}
	}
	held, err := u.Store.FiledBy(ctx, c.ID, base.here)
	if err != nil {
		return stay, err
	}
	if held == "" {
		return u.restore(ctx, c, base.here)
	}
	r, err := u.revert(ctx, c, base)
	if err != nil || r.Action == ActionUnarchivePending {
		return r, err
	}
	if base.here, err = u.Repo.Resolve(ctx, "refs/heads/"+u.branch); err != nil {
		return stay, err
	}
	r, err = u.restore(ctx, c, base.here)
	if u.remote != "" {
		return r, err
	}
	if remotes, failed := u.Repo.Remotes(ctx); err == nil && failed == nil && len(remotes) > 0 {
		r.Next = fmt.Sprintf("git push %s %s", mainRemote(remotes), u.branch)
	}
	return r, err
}

// landedOn is the branch that the change is archived on. A squash may have dropped the commit that names it.
func (u *unarchiving) landedOn(ctx context.Context, c *changes.Change) (string, error) {
	if c.State.Base.Branch == "" {
		return u.Repo.DefaultBranch(ctx)
	}
	return u.landsOn(ctx, c)
}

// tips are the base as it is here, and as the remote has it, "" where that is not asked.
type tips struct{ here, up gitops.ID }

func (u *unarchiving) base(ctx context.Context) (t tips, err error) {
	if t.here, err = u.Repo.Resolve(ctx, "refs/heads/"+u.branch); errors.Is(err, gitops.ErrNotFound) {
		err = &changes.BaseError{Branch: u.branch}
	}
	if err != nil || u.req.Route == RouteHere {
		return t, err
	}
	remotes, err := u.Repo.Remotes(ctx)
	if err != nil {
		return t, err
	}
	if u.remote, err = pushRemote(remotes, ""); err != nil {
		return t, err
	}
	if t.up, err = u.fetchBranch(ctx, u.remote, u.branch); err != nil {
		return t, err
	}
	held, err := u.Store.FiledBy(ctx, u.req.Change, t.up)
	if err != nil {
		return t, err
	}
	if held == "" { // it was taken back there, or never came there: the branch goes on from what is there
		t.here, err = u.newest(ctx, u.branch, t.here, t.up)
	}
	return t, err
}

// revert takes the archive off the base.
func (u *unarchiving) revert(ctx context.Context, c *changes.Change, base tips) (ActionResult, error) {
	stay := resultOf(c, "", "")
	if err := u.needed(ctx, c); err != nil {
		return stay, err
	}
	u.Say.Note(fmt.Sprintf("%s is archived on %s: taking it back", c.ID, u.branch))
	if u.req.Route == RoutePull {
		return u.byPull(ctx, c, base.up)
	}
	from := base.here
	if base.up != "" {
		var err error
		if from, err = u.newest(ctx, u.branch, base.here, base.up); err != nil {
			return stay, err
		}
	}
	commit, err := u.without(ctx, c, from)
	if err != nil {
		return stay, err
	}
	if err := u.baseFree(ctx, u.branch); err != nil {
		return stay, err
	}
	if base.up != "" {
		err := u.push(ctx, u.branch, base.here, base.up, commit)
		if refused, ok := errors.AsType[*gitops.PushError](err); ok && refused.Refused {
			u.Say.Warn(fmt.Sprintf("%s does not take the push (%s)", u.remote, refused.Why()))
			return u.byPull(ctx, c, base.up)
		}
		if err != nil {
			return stay, err
		}
	}
	left, err := u.Store.TakeBack(ctx, c.ID, u.branch, base.here, commit)
	if err != nil {
		return stay, explainLanding(err)
	}
	u.left = append(u.left, left...)
	u.made = append(u.made, string(commit))
	u.Say.Done(fmt.Sprintf("%s no longer holds %s: %s", u.branch, c.ID, commit.Short()))
	return stay, nil
}

// needed refuses to take away what another archived change stands on.
func (u *unarchiving) needed(ctx context.Context, c *changes.Change) error {
	archived, err := u.Store.Archived(ctx)
	if err != nil {
		return err
	}
	for _, other := range archived {
		if other.ID == c.ID {
			continue
		}
		above, err := u.Store.Open(ctx, other.ID)
		if err != nil {
			return err
		}
		for _, id := range above.State.DependsOn {
			if id == c.ID {
				return &GateError{
					Gate: "order", Reason: fmt.Sprintf("%s stands on %s, and is archived too", above.ID, c.ID), Next: command("unarchive", above.ID),
				}
			}
		}
	}
	return nil
}

// without makes the commit of the base that takes the archive back. No reference moves.
func (u *unarchiving) without(ctx context.Context, c *changes.Change, base gitops.ID) (gitops.ID, error) {
	landed, err := u.Store.LandedBy(ctx, c.ID, base)
	if err != nil {
		return "", err
	}
	record, err := u.unedited(ctx, c, base, landed)
	if err != nil {
		return "", err
	}
	tree, conflicts, err := u.Store.Without(ctx, base, landed)
	if err != nil {
		return "", err
	}
	edits, settled, err := u.specsWithout(ctx, c, record, base)
	if err != nil {
		return "", err
	}
	var open []string
	for _, path := range conflicts {
		if !settled[path] {
			open = append(open, path)
		}
	}
	if len(open) > 0 {
		return "", &GateError{
			Gate:   "merge",
			Reason: fmt.Sprintf("what came to %s after %s was archived stands on it, in %s", u.branch, c.ID, strings.Join(open, ", ")),
			Next:   fmt.Sprintf("`git revert -m 1 %s` on %s lets you settle that; then `%s` takes the change up again", landed.Short(), u.branch, command("unarchive", c.ID)),
		}
	}
	return u.Store.TakeBackCommit(ctx, c.ID, base, landed, tree, edits)
}

// unedited is the record as it landed. One that somebody edited since says nothing that could be undone.
func (u *unarchiving) unedited(ctx context.Context, c *changes.Change, base, landed gitops.ID) (*specs.State, error) {
	objects, err := u.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	then, _, err := objects.TreeAt(string(landed) + ":" + c.ID.ArchiveDir())
	if err != nil {
		return nil, err
	}
	now, _, err := objects.TreeAt(string(base) + ":" + c.ID.ArchiveDir())
	if err != nil {
		return nil, err
	}
	record, err := u.Store.RecordAt(ctx, c.ID, landed)
	if err != nil {
		return nil, err
	}
	if then != now || record == nil || record.Archive == nil {
		return nil, &GateError{
			Gate: "archive", Reason: fmt.Sprintf("%s was edited on %s since it was archived in %s", c.ID.ArchiveDir(), u.branch, landed.Short()),
			Next: fmt.Sprintf("`git checkout %s -- %s` puts it back as it was; commit that, then `%s`", landed.Short(), c.ID.ArchiveDir(), command("unarchive", c.ID)),
		}
	}
	return record, nil
}

// restore takes the change up again on its branch.
func (u *unarchiving) restore(ctx context.Context, c *changes.Change, base gitops.ID) (ActionResult, error) {
	stay := resultOf(c, "", "")
	tip, gone, err := u.Store.LastTip(ctx, c.ID, c.Document)
	if err != nil {
		return stay, err
	}
	if tip == "" {
		return stay, &GateError{
			Gate: "history", Reason: fmt.Sprintf("the commits of %s are not in this clone, and its branch was deleted", c.ID),
			Next: fmt.Sprintf("`git fetch <remote> '%s*:%s*'` from a clone that has them", c.ID.ArchiveRefPrefix(), c.ID.ArchiveRefPrefix()),
		}
	}
	was, err := u.Store.OpenAt(ctx, c.ID, tip)
	if err != nil {
		return stay, err
	}
	stay = resultOf(was, "", "")
	switch landed, err := u.landedBefore(ctx, was, base); {
	case err != nil:
		return stay, err
	case landed:
	case was.State.Recorded == phases.Complete && was.State.Transitions[len(was.State.Transitions)-1].Step == phases.StepUnarchive:
		r := resultOf(was, ActionUnarchived, fmt.Sprintf("its archive is taken back already: it is %s", was.Phase()))
		r.Next = nextCommand(was)
		return r, nil
	case c.Where == changes.InArchive:
		return stay, &GateError{
			Gate: "base", Reason: fmt.Sprintf("%s is archived on a newer %s than the one here", c.ID, u.branch),
			Next: fmt.Sprintf("`git pull` on %s, or `%s`", u.branch, command("unarchive", c.ID, "--pr")),
		}
	case was.ArchivePending():
		return stay, waits(was)
	default:
		return stay, &GateError{
			Gate: "archive", Reason: fmt.Sprintf("%s is %s, and not archived on %s", c.ID, was.Phase(), u.branch), Next: command("status", c.ID),
		}
	}
	if err := was.Forward(); err != nil {
		return stay, err
	}
	next, left, err := u.Store.Restore(ctx, was, base, gone)
	if err != nil {
		return stay, err
	}
	u.left = append(u.left, left...)
	u.made = append(u.made, string(next.Tip))
	u.Say.Done(fmt.Sprintf("%s goes on on %s: %s", c.ID, c.ID.Branch(), next.Tip.Short()))
	r := resultOf(next, ActionUnarchived, fmt.Sprintf("taken back from %s: it is %s", u.branch, next.Phase()))
	r.Next = nextCommand(next)
	return r, nil
}

// landedBefore says that the base held the very archive that the branch ends with, and has let go of it.
func (u *unarchiving) landedBefore(ctx context.Context, was *changes.Change, base gitops.ID) (bool, error) {
	landed, err := u.Store.LandedBy(ctx, was.ID, base)
	if errors.Is(err, gitops.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	record, err := u.Store.RecordAt(ctx, was.ID, landed)
	if err != nil || record == nil || record.Archive == nil {
		return false, err
	}
	last := gitops.ID(was.State.Transitions[len(was.State.Transitions)-1].Commit)
	if was.State.Recorded != phases.Archived {
		return u.Repo.IsAncestor(ctx, last, gitops.ID(record.Archive.Tip))
	}
	if was.Document == nil || was.Document.Archive == nil || was.Document.Archive.Tip != record.Archive.Tip {
		return false, was.DocumentErr
	}
	return true, u.nothingAfter(ctx, was, last, base)
}

// nothingAfter refuses to go on from an archive on the branch that somebody has committed something after:
// it would be left behind.
func (u *unarchiving) nothingAfter(ctx context.Context, was *changes.Change, archive, base gitops.ID) error {
	after, err := u.Repo.Between(ctx, []gitops.ID{was.Tip}, []gitops.ID{archive, base})
	if err != nil {
		return err
	}
	objects, err := u.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	for _, id := range after {
		if commit, err := objects.Commit(id); err != nil {
			return err
		} else if len(commit.Parents) < 2 { // merges of the base bring nothing of their own
			return &GateError{
				Gate: "branch", Reason: fmt.Sprintf("%s has commits after its archive, as %s", was.ID.Branch(), id.Short()),
				Next: fmt.Sprintf("keep them on another branch: `git branch <name> %[1]s`, then `git branch -f %[1]s %[2]s`", was.ID.Branch(), archive.Short()),
			}
		}
	}
	return nil
}

// byPull has a pull request bring the revert to the base. What an earlier run made of it is found.
func (u *unarchiving) byPull(ctx context.Context, c *changes.Change, up gitops.ID) (ActionResult, error) {
	stay := resultOf(c, "", "")
	there := publishing{Bench: u.Bench, req: PublishRequest{Change: c.ID}, result: &PublishResult{}}
	if err := there.connect(ctx); err != nil {
		return stay, err
	}
	branch := "unarchive-" + c.ID.String()
	pushed, err := u.Repo.RemoteTip(ctx, u.remote, "refs/heads/"+branch)
	if err != nil {
		return stay, err
	}
	if pushed == "" {
		commit, err := u.without(ctx, c, up)
		if err != nil {
			return stay, err
		}
		if err := u.Repo.Push(ctx, u.remote, commit, "refs/heads/"+branch); err != nil {
			return stay, err
		}
		u.Say.Done(fmt.Sprintf("pushed %s to %s: %s", branch, u.remote, commit.Short()))
	}
	pull, err := there.client.EnsurePull(ctx, github.PullDraft{
		Branch: branch, Owner: there.owner, Base: u.branch, Title: "Take " + c.ID.String() + " back",
		Body: fmt.Sprintf("Reverts the archive of %s. Once this is merged, `%s` takes the change up again.", c.ID, command("unarchive", c.ID, "--pr")),
	})
	if err != nil {
		return stay, err
	}
	r := resultOf(c, ActionUnarchivePending, fmt.Sprintf("pull request #%d is to take it back from %s", pull.Number, u.branch))
	r.PullRequest, r.Next = pull.URL, fmt.Sprintf("gh pr merge %d", pull.Number)
	return r, nil
}

// specsWithout are the specs of the base without what the archive made of them, and their paths.
// What came to them since is kept: it is merged with what was there before.
func (u *unarchiving) specsWithout(ctx context.Context, c *changes.Change, record *specs.State, base gitops.ID) (edits []gitops.Edit, settled map[string]bool, err error) {
	objects, err := u.Repo.Objects(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer objects.Close()
	settled = map[string]bool{}
	for _, s := range record.Archive.Specs {
		undo := specMerge{id: s.ID, base: gitops.ID(s.After)}
		if undo.ours, undo.oursText, err = textAt(objects, base, undo.path()); err != nil {
			return nil, nil, err
		}
		merged, err := undo.back(objects, gitops.ID(s.Before))
		if err != nil {
			return nil, nil, err
		}
		if len(merged.Conflicts) > 0 {
			return nil, nil, &GateError{
				Gate: "specs", Reason: fmt.Sprintf("what came to %s after %s was archived stands on it: %s", undo.path(), c.ID, merged.Conflicts[0]),
				Next: fmt.Sprintf("change it back by a change of its own: `%s`", command("plan", c.ID)+"-back"),
			}
		}
		edit := gitops.Edit{Path: undo.path(), Delete: merged.Gone}
		if !merged.Gone {
			edit.Mode, edit.Content = gitops.ModeFile, merged.Text
		}
		settled[edit.Path] = true
		if !edit.Delete || undo.ours != "" {
			edits = append(edits, edit)
		}
	}
	return edits, settled, nil
}

// back merges what was there before an archive into the spec as it is now: the archive's own text is the base.
func (s *specMerge) back(objects *gitops.Objects, before gitops.ID) (*specs.Merged, error) {
	var err error
	if s.baseText, err = blobText(objects, s.base); err != nil {
		return nil, err
	}
	if s.theirs, err = blobText(objects, before); err != nil {
		return nil, err
	}
	if s.ours == s.base { // exactly, whatever could be said about its parts
		return &specs.Merged{Text: s.theirs, Gone: s.theirs == nil}, nil
	}
	return s.merge()
}
