package workflow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// commitEdits takes a person's uncommitted edits of the plan into the history, as step edit, after asking.
// Without a yes nothing goes on: an agent would work on a plan that nobody can see in the history.
func (b *Bench) commitEdits(ctx context.Context, c *changes.Change, yes bool) (*changes.Change, error) {
	dir, err := b.checkedOut(ctx, c.ID)
	if err != nil || dir == "" {
		return c, err
	}
	entries, err := b.at(dir).Status(ctx, c.ID.Dir())
	if err != nil || len(entries) == 0 {
		return c, err
	}
	files := map[string][]byte{}
	var names, foreign []string
	for _, e := range entries {
		name := strings.TrimPrefix(e.Path, c.ID.Dir()+"/")
		if !specs.PlanPaths(name) {
			foreign = append(foreign, name)
			continue
		}
		content, err := readEdit(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if err != nil {
			return c, err
		}
		files[name] = content
		names = append(names, name)
	}
	if len(foreign) > 0 {
		return c, &GateError{
			Gate:   "edits",
			Reason: fmt.Sprintf("%s in %s was edited by hand, and only the tool writes it", strings.Join(foreign, ", "), c.ID.Dir()),
			Next:   fmt.Sprintf("git -C %s restore -- %s", proc.Quote(dir), c.ID.Dir()+"/"+foreign[0]),
		}
	}
	slices.Sort(names)
	if !yes {
		if yes, err = b.confirmEdits(ctx, names); err != nil {
			return c, err
		}
	}
	if !yes {
		return c, &GateError{
			Gate:   "edits",
			Reason: fmt.Sprintf("%s of %q is edited and not committed", strings.Join(names, ", "), c.ID),
			Next:   "say --commit-edits to take the edits into the history, or undo them with `git restore`",
		}
	}
	next, _, err := c.Append(ctx, changes.Record{
		Subject:    "edited " + strings.Join(names, ", "),
		Files:      files,
		Transition: phases.Transition{Step: phases.StepEdit, Actor: phases.Human},
	})
	if err != nil {
		return c, err
	}
	b.Say.Done("your edits of " + strings.Join(names, ", ") + " are in the history")
	return next, nil
}

func (b *Bench) confirmEdits(ctx context.Context, names []string) (bool, error) {
	if b.Ask == nil {
		return false, nil
	}
	pick, err := b.Ask.Choose(ctx, Question{
		Title: "You edited " + strings.Join(names, ", ") + " and did not commit it.",
		Options: []Option{
			{Label: "Take the edits into the history", Recommended: true},
			{Label: "Stop, I will look at them"},
		},
	})
	if err != nil {
		return false, err
	}
	if pick != 0 {
		return false, ErrDeclined
	}
	return true, nil
}

// checkedOut is the worktree that has the change's branch, "" if none has.
func (b *Bench) checkedOut(ctx context.Context, id phases.ChangeID) (string, error) {
	trees, err := b.Repo.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range trees {
		// One that a killed git left half made is nobody's work; it is made anew before anyone works in it.
		if t.Branch == id.Ref() && !t.Prunable && !t.Unfinished() {
			return t.Path, nil
		}
	}
	return "", nil
}

// readEdit returns nil for a file that is not there. A link is not followed, and a pipe not waited for.
func readEdit(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &changes.OddFileError{Path: path, Kind: kindOf(info.Mode())}
	}
	return os.ReadFile(path)
}

// kindOf names what is no ordinary file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode.IsDir():
		return "folder"
	}
	return "special file (" + mode.Type().String() + ")"
}
