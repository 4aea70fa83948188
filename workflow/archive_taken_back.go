package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// TakenBack says that the base has had a change's archive, and which commit took it away.
type TakenBack struct {
	Remote string `json:"remote,omitempty"` // whose branch that is, "" for the one of this clone
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Merge  bool   `json:"merge"` // the commit is a merge
}

// Where is the branch as git names it.
func (t TakenBack) Where() string {
	if t.Remote == "" {
		return t.Branch
	}
	return t.Remote + "/" + t.Branch
}

// Undo is what brings the archive back.
func (t TakenBack) Undo() string {
	steps := "git switch " + t.Branch + " && "
	if t.Remote != "" {
		steps += "git pull --ff-only && "
	}
	steps += "git revert "
	if t.Merge {
		steps += "-m 1 "
	}
	return steps + gitops.ID(t.Commit).Short()
}

// takenBack looks whether the base, of a remote or with "" of this clone, has had the archive that is on the change's own branch,
// and holds it no more. It is nil where the base never had it, or does not exist.
func (b *Bench) takenBack(ctx context.Context, c *changes.Change, remote string) (*TakenBack, error) {
	back := TakenBack{Remote: remote, Branch: c.State.Base.Branch}
	space := "refs/heads/"
	if remote != "" {
		space = "refs/remotes/"
	}
	tip, err := b.Repo.Resolve(ctx, space+back.Where())
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	if _, _, _, err := objects.Lookup(string(tip) + ":" + c.ID.ArchiveDir()); !errors.Is(err, gitops.ErrNotFound) {
		return nil, err
	}
	madeOn, err := archivedOn(objects, c)
	if err != nil {
		return nil, err
	}
	// What touched the archive's folder since then brought it, and the newest of them took it away.
	touched, err := b.Repo.FirstParentsTouching(ctx, tip, madeOn, c.ID.ArchiveDir())
	if err != nil || len(touched) == 0 {
		return nil, err
	}
	taker, err := objects.Commit(touched[0])
	back.Commit, back.Merge = string(touched[0]), err == nil && len(taker.Parents) > 1
	return &back, err
}

// archivedOn is the base that the newest archive of a change was made on: the last parent of its commit.
func archivedOn(objects *gitops.Objects, c *changes.Change) (gitops.ID, error) {
	all := c.State.Transitions
	last := len(all) - 1
	for all[last].Step != phases.StepArchive {
		last--
	}
	commit, err := objects.Commit(gitops.ID(all[last].Commit))
	if err != nil {
		return "", err
	}
	return commit.Parents[len(commit.Parents)-1], nil
}

// notTakenBack refuses to archive again what the base has had, and does not hold any more.
func (a *archiving) notTakenBack(ctx context.Context, c *changes.Change, remote string) error {
	back, err := a.takenBack(ctx, c, remote)
	if back == nil || err != nil {
		return err
	}
	return &GateError{
		Gate:   "archive",
		Reason: fmt.Sprintf("%s was archived, and %s took that back in %s", c.ID, back.Where(), gitops.ID(back.Commit).Short()),
		Next:   fmt.Sprintf("`%s` brings it back", back.Undo()),
	}
}
