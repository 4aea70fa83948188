package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Intent is the note that a run leaves under its lock before it moves a reference,
// so that the next run can finish or clean up if this one is killed.
type Intent struct {
	Ref   string   `json:"ref"`
	Old   ID       `json:"old"`
	New   ID       `json:"new"`
	Note  string   `json:"note,omitempty"`  // the caller's, for people
	Locks []string `json:"locks,omitempty"` // lock files that git may leave behind, with their full paths
	Also  []ID     `json:"also,omitempty"`  // what other references of the transaction become: their lock files hold it
}

// Recovery is what was done about a run that was killed.
type Recovery struct {
	Intent  Intent
	Moved   bool     // the reference had moved: the run's work is done
	Removed []string // lock files that the dead run had left
	Left    []string // as of [Repo.Project]
}

func (l *Lock) intentPath() string { return l.file.Name() + ".intent" }

// SetIntent writes the note, whole and synced. The lock files of the reference are added to those that it lists.
func (l *Lock) SetIntent(ctx context.Context, in Intent) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	r := l.repo
	for _, name := range []string{filepath.FromSlash(in.Ref), "HEAD"} {
		in.Locks = append(in.Locks, filepath.Join(r.commonDir, name)+".lock")
	}
	if r.gitDir != r.commonDir {
		in.Locks = append(in.Locks, filepath.Join(r.gitDir, "HEAD.lock"))
	}
	text, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return err
	}
	draft := l.intentPath() + ".new"
	file, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(draft, l.intentPath())
}

// ClearIntent says that everything is done.
func (l *Lock) ClearIntent() error { return removeIfThere(l.intentPath()) }

// Pending is the note of a run that was killed under this lock; false if the last one ended well.
func (l *Lock) Pending() (Intent, bool, error) {
	text, err := os.ReadFile(l.intentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return Intent{}, false, nil
	}
	if err != nil {
		return Intent{}, false, err
	}
	var in Intent
	if err := json.Unmarshal(text, &in); err != nil {
		return Intent{}, false, fmt.Errorf("read %s: %w", l.intentPath(), err)
	}
	return in, true, nil
}

// Recover repairs what a killed run left: its lock files go, and where its reference has moved the worktrees follow.
// We hold its lock, so none of its processes is alive. False if there was nothing to do.
//
// A lock file goes only if it is provably the dead run's: an index.lock by our text in it,
// one of a reference if the note lists it, it is not older than the note, holds nothing else than the run's new value,
// and nobody has taken it away for a second.
func (l *Lock) Recover(ctx context.Context) (Recovery, bool, error) {
	in, pending, err := l.Pending()
	if err != nil || !pending {
		return Recovery{}, false, err
	}
	rec := Recovery{Intent: in}
	if rec.Removed, err = l.removeStale(ctx, in); err != nil {
		return rec, true, err
	}
	refs, err := l.repo.Refs(ctx, in.Ref)
	if err != nil {
		return rec, true, err
	}
	for _, ref := range refs {
		rec.Moved = rec.Moved || ref.Name == in.Ref && ref.ID == in.New
	}
	if rec.Moved {
		if rec.Left, err = l.repo.Project(ctx, in.Ref, in.Old, in.New, ProjectOptions{}); err != nil {
			return rec, true, err
		}
	}
	return rec, true, l.ClearIntent()
}

func (l *Lock) removeStale(ctx context.Context, in Intent) (removed []string, err error) {
	note, err := os.Stat(l.intentPath())
	if err != nil {
		return nil, err
	}
	for _, path := range in.Locks {
		stale, err := l.staleRefLock(ctx, path, in, note)
		if err != nil {
			return removed, err
		}
		if !stale {
			continue
		}
		if err := removeIfThere(path); err != nil {
			return removed, err
		}
		removed = append(removed, path)
	}
	places, err := l.repo.placesOf(ctx, in.Ref)
	if err != nil {
		return removed, err
	}
	for _, place := range places {
		path := filepath.Join(place.gitDir, "index.lock")
		text, err := os.ReadFile(path)
		if err != nil || string(text) != place.lockText() {
			continue
		}
		if err := removeIfThere(path); err != nil {
			return removed, err
		}
		removed = append(removed, path)
	}
	return removed, nil
}

const stalePatience = time.Second

func (l *Lock) staleRefLock(ctx context.Context, path string, in Intent, note fs.FileInfo) (bool, error) {
	if !strings.HasPrefix(path, l.repo.commonDir+string(filepath.Separator)) || !strings.HasSuffix(path, ".lock") {
		return false, nil
	}
	deadline := time.Now().Add(stalePatience)
	for {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if info.ModTime().Before(note.ModTime()) {
			return false, nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		if !in.wrote(strings.TrimSpace(string(text))) {
			return false, nil
		}
		if time.Now().After(deadline) || time.Since(info.ModTime()) > 2*stalePatience {
			return true, nil
		}
		if err := pause(ctx, lockPoll); err != nil {
			return false, err
		}
	}
}

// wrote says whether a lock file's text is, or begins, one that the run's transaction writes.
func (in Intent) wrote(text string) bool {
	return slices.ContainsFunc(append([]ID{in.New}, in.Also...), func(id ID) bool { return strings.HasPrefix(string(id), text) })
}
