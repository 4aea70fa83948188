package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// attemptMark says that an agent was let loose in a worktree for one step on one tip.
// As long as the branch stands there, what differs from Tree was written by that agent.
type attemptMark struct {
	Tip  string `json:"tip"`
	Step string `json:"step"`
	Task string `json:"task,omitempty"`
	Tree string `json:"tree"` // the worktree before the agent's first attempt
}

// begunAttempt returns the tree of the worktree before the first attempt at this very step.
// A mark of another step or tip is out of date and is replaced: its files were committed or given up.
// Before a new mark is left, permit judges the worktree: a refused attempt must leave none,
// or what is in the worktree now would count as its beginning when the person has cleared it away.
func (b *Bench) begunAttempt(ctx context.Context, id phases.ChangeID, dir string, want attemptMark, permit func(gitops.ID) error) (string, error) {
	path := filepath.Join(b.Repo.CommonDir(), "agentd", "attempts", id.String()+".json")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var have attemptMark
	if json.Unmarshal(data, &have) == nil && have.Tip == want.Tip && have.Step == want.Step && have.Task == want.Task {
		if b.Repo.Exists(ctx, gitops.ID(have.Tree)) {
			return have.Tree, nil
		}
	}
	tree, err := b.at(dir).SnapshotWorktree(ctx)
	if err != nil {
		return "", err
	}
	if err := permit(tree); err != nil {
		return "", err
	}
	want.Tree = string(tree)
	data, err = json.Marshal(want)
	if err != nil {
		return "", err
	}
	return want.Tree, writeWhole(path, append(data, '\n'))
}

// writeWhole replaces a file by rename, so that it is never seen half written.
func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// The name is always the same: what a killed run leaves is overwritten by the next. Two never write, for one holds the lock.
	temp, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
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
