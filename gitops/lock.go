package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lock is the right of one run, in this clone, to move what the name stands for.
//
// The kernel holds it on a file in the common git dir, and forgets it when the last process that inherited it is gone,
// however it died. The commands that [Lock.Repo] starts to move references and indexes inherit it:
// while a killed run's last git is still at work, nobody else begins.
type Lock struct {
	name string
	file *os.File
	repo *Repo
}

// orphanPatience is how long the last git of a killed run may still be at work.
const orphanPatience = 500 * time.Millisecond

// Lock takes the lock of that name, or returns a [*LockedError] with what its holder said of itself.
// The name is a plain file name; the holder is a line for people, such as "plan, process 4711 since 10:32".
// After taking it, ask [Lock.Recover] whether the run before was killed.
func (r *Repo) Lock(ctx context.Context, name, holder string) (*Lock, error) {
	if name == "" || name[0] == '.' || strings.ContainsAny(name, `/\:`+"\x00\n") || len(name) > 200 {
		return nil, fmt.Errorf("%q is not a name for a lock", name)
	}
	dir := r.LockFolder()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := acquire(ctx, file, name); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(strings.TrimSpace(holder)+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	repo := *r
	repo.held, repo.holdName, repo.spare = file, name, &spare{}
	return &Lock{name: name, file: file, repo: &repo}, nil
}

// LockFolder is where the files of all locks are.
func (r *Repo) LockFolder() string { return filepath.Join(r.commonDir, scratchDir, "locks") }

func acquire(ctx context.Context, file *os.File, name string) error {
	deadline := time.Now().Add(orphanPatience)
	for {
		taken, err := tryLock(file)
		if taken || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			holder, err := io.ReadAll(io.LimitReader(io.NewSectionReader(file, 0, 1<<12), 1<<12))
			if err != nil {
				holder = nil
			}
			return &LockedError{Name: name, Holder: strings.TrimSpace(string(holder))}
		}
		if err := pause(ctx, lockPoll); err != nil {
			return err
		}
	}
}

// Repo is the repository under this lock: what it starts to move something holds the lock too.
func (l *Lock) Repo() *Repo { return l.repo }

// Unlock gives the lock back. A git command that is still running keeps it until its own end.
func (l *Lock) Unlock() error {
	return errors.Join(l.repo.spare.close(), l.file.Truncate(0), l.file.Close())
}
