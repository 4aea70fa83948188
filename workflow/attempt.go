package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// attemptMark says that an agent was let loose in a worktree for one step on one tip.
// As long as the branch stands there, what differs from Tree was written by that agent.
type attemptMark struct {
	Tip  string `json:"tip"`
	Step string `json:"step"`
	Task string `json:"task,omitempty"`
	Tree string `json:"tree"`           // the worktree before the agent's first attempt
	Left string `json:"left,omitempty"` // the worktree after an attempt that failed; "" when it was killed
}

func (b *Bench) attemptFile(id phases.ChangeID) string {
	return filepath.Join(b.Repo.CommonDir(), "agentd", "attempts", id.String()+".json")
}

// begunAttempt returns the mark of the attempts at this very step.
// A mark of another step or tip is out of date and is replaced: its files were committed or given up.
// Files that appeared after a failed attempt are a person's, and an agent's commit must not sweep them up.
func (i *implementing) begunAttempt(ctx context.Context, c *changes.Change, dir string, want attemptMark) (attemptMark, error) {
	path := i.attemptFile(c.ID)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return want, err
	}
	tree, err := i.at(dir).SnapshotWorktree(ctx)
	if err != nil {
		return want, err
	}
	dirty, err := i.uncommitted(ctx, dir, c.Tree(), tree)
	if err != nil {
		return want, err
	}
	if dirty, err = i.notOfChecks(ctx, c.ID, dir, tree, dirty); err != nil {
		return want, err
	}
	var have attemptMark
	goesOn := json.Unmarshal(data, &have) == nil && have.Tip == want.Tip && have.Step == want.Step && have.Task == want.Task &&
		i.Repo.Exists(ctx, gitops.ID(have.Tree))
	if goesOn && len(dirty) > 0 {
		if have.Left != "" {
			since, err := i.uncommitted(ctx, dir, gitops.ID(have.Left), tree)
			if err != nil {
				return have, err
			}
			since = slices.DeleteFunc(since, func(f gitops.FileChange) bool { return f.NewID.IsZero() }) // cleared away
			if len(since) > 0 {
				return have, i.mixed(dir, since)
			}
		}
		i.Say.Note(fmt.Sprintf("going on from what the interrupted attempt left in %s", dir))
		have.Left = "" // until this attempt ends, what appears is the agent's
		return have, i.writeAttempt(c.ID, have)
	}
	// A refused attempt must leave no mark,
	// or what is in the worktree now would count as its beginning when the person has cleared it away.
	if len(dirty) > 0 && !i.req.Carry {
		return want, i.mixed(dir, dirty)
	}
	want.Tree = string(tree)
	return want, i.writeAttempt(c.ID, want)
}

// notOfChecks leaves out files that the change's own checks left behind and nobody has touched since.
func (i *implementing) notOfChecks(ctx context.Context, id phases.ChangeID, dir string, tree gitops.ID, dirty []gitops.FileChange) ([]gitops.FileChange, error) {
	left, err := os.ReadFile(i.checksFile(id))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !i.Repo.Exists(ctx, gitops.ID(left)) {
		return dirty, nil
	}
	if err != nil {
		return dirty, err
	}
	since, err := i.uncommitted(ctx, dir, gitops.ID(left), tree)
	if err != nil {
		return dirty, err
	}
	same := func(f gitops.FileChange) bool {
		return f.OldID.IsZero() && !slices.ContainsFunc(since, func(s gitops.FileChange) bool { return s.Path == f.Path })
	}
	return slices.DeleteFunc(dirty, same), nil
}

// failedAttempt notes what the agent left, so that it can be told from what a person does next.
// Where that cannot be seen, because the agent broke the worktree itself, the mark stays as it is.
func (i *implementing) failedAttempt(ctx context.Context, id phases.ChangeID, dir string, mark attemptMark, failure error) {
	if _, tampered := errors.AsType[*TamperError](failure); tampered {
		return // git would run what the agent wrote into its configuration
	}
	ctx = context.WithoutCancel(ctx)
	if tree, err := i.at(dir).SnapshotWorktree(ctx); err == nil {
		mark.Left = string(tree)
		_ = i.writeAttempt(id, mark) // as above
	}
}

func (b *Bench) writeAttempt(id phases.ChangeID, mark attemptMark) error {
	data, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	return writeWhole(b.attemptFile(id), append(data, '\n'))
}

// uncommitted are the files of code in which a worktree's tree differs.
func (b *Bench) uncommitted(ctx context.Context, dir string, from, tree gitops.ID) ([]gitops.FileChange, error) {
	all, err := b.at(dir).DiffTrees(ctx, from, tree)
	return slices.DeleteFunc(all, func(f gitops.FileChange) bool { return changes.InRecord(f.Path) }), err
}

// mixed refuses to let an agent write where a person has uncommitted code of their own.
func (b *Bench) mixed(dir string, dirty []gitops.FileChange) error {
	return &GateError{
		Gate:   "worktree",
		Reason: fmt.Sprintf("%s in %s not committed (%s, …), and an agent is about to write there", plural(len(dirty), "file"), dir, dirty[0].Path),
		Next:   fmt.Sprintf("commit or stash them: `git -C %s status`; or say --carry to leave them there, uncommitted", proc.Quote(dir)),
	}
}

// writeWhole replaces a file by rename, so that it is never seen half written.
func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// The name is always the same: what a killed run leaves goes with the next. Two never write, for one holds the lock.
	// It is made anew, for a link of that name may lead anywhere.
	if err := os.Remove(path + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temp.Name()))
	}
	return nil
}
