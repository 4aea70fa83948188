package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// RefUpdate moves one reference from Old to New.
// The zero Old means that it must not exist, the zero New deletes it, and equal ones only check.
type RefUpdate struct {
	Name     string
	New, Old ID
}

// referenceHook is the one hook that runs when references move.
const referenceHook = "reference-transaction"

// UpdateRefs moves all references or none, and only if each one is where Old says.
// The reason goes into their reflogs.
//
// Errors: [*MovedError] if somebody else was faster, [*BlockedRefError] if another name is in the way,
// [*LockFileError] if another git holds one of them for longer than 5 s,
// [*HookError] if the reference-transaction hook refuses, [*HookLimitError] if it hangs.
// Once git has been told, cancelling ctx does not interrupt it: the answer is known at the return.
func (r *Repo) UpdateRefs(ctx context.Context, reason string, updates ...RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	script, err := transaction(updates)
	if err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		reason = "agentd"
	}
	c := call{args: []string{"update-ref", "-m", reason, "--create-reflog", "--no-deref", "--stdin", "-z"}, in: script, voice: hooked, holds: true}
	// Git is not put into a group of its own, for it has to outlive a killed run, and it does not end its hook:
	// a hook that hangs stays, and with it our lock, until a person ends it.
	if c.hook, err = r.mayHaveHook(ctx, referenceHook); err != nil {
		return err
	}
	deadline := time.Now().Add(lockPatience)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		_, err := r.git(context.WithoutCancel(ctx), c)
		if err == nil {
			return nil
		}
		retry, err := r.explainUpdate(context.WithoutCancel(ctx), updates, err)
		if !retry || time.Now().After(deadline) {
			return err
		}
		if err := pause(ctx, lockPoll); err != nil {
			return err
		}
	}
}

// transaction writes the updates in the language of `update-ref --stdin -z`.
// All of one input is one transaction. It is not opened and closed in words, for git would answer them,
// and an orphan whose answer nobody reads dies before the end.
func transaction(updates []RefUpdate) ([]byte, error) {
	var script bytes.Buffer
	for _, u := range updates {
		if !strings.HasPrefix(u.Name, "refs/") || strings.ContainsAny(u.Name, "\x00\n ") {
			return nil, fmt.Errorf("%q is not the full name of a reference", u.Name)
		}
		switch {
		case u.New == u.Old:
			fmt.Fprintf(&script, "verify %s\x00%s\x00", u.Name, u.Old)
		case u.Old.IsZero():
			fmt.Fprintf(&script, "create %s\x00%s\x00", u.Name, u.New)
		case u.New.IsZero():
			fmt.Fprintf(&script, "delete %s\x00%s\x00", u.Name, u.Old)
		default:
			fmt.Fprintf(&script, "update %s\x00%s\x00%s\x00", u.Name, u.New, u.Old)
		}
	}
	return script.Bytes(), nil
}

// explainUpdate looks at the references rather than at git's words to say why an update failed.
func (r *Repo) explainUpdate(ctx context.Context, updates []RefUpdate, failure error) (retry bool, err error) {
	at, err := r.refsAround(ctx, updates)
	if err != nil {
		return false, errors.Join(failure, err)
	}
	git, isGit := errors.AsType[*GitError](failure)
	if !isGit || git.Code < 0 {
		if arrived(updates, at) {
			return false, nil // it was killed after the moment that counts
		}
	}
	for _, u := range updates {
		if have := at[u.Name]; have != u.Old {
			return false, &MovedError{Ref: u.Name, Want: u.Old, Have: have}
		}
	}
	for _, u := range updates {
		for name := range at {
			if strings.HasPrefix(u.Name, name+"/") || strings.HasPrefix(name, u.Name+"/") {
				return false, &BlockedRefError{Ref: u.Name, By: name}
			}
		}
	}
	if limit, hangs := errors.AsType[*proc.LimitError](failure); hangs {
		return false, &HookLimitError{Hook: referenceHook, Limit: limit.Limit}
	}
	if !isGit {
		return false, failure
	}
	if strings.Contains(git.Stderr, "aborted by hook") {
		return false, &HookError{Hook: referenceHook, Code: git.Code, Output: git.Stderr}
	}
	for _, u := range updates {
		path := filepath.Join(r.commonDir, filepath.FromSlash(u.Name)) + ".lock"
		if info, err := os.Stat(path); err == nil {
			return true, &LockFileError{Path: path, Age: time.Since(info.ModTime())}
		}
	}
	// Whoever held the lock is gone already and has moved nothing.
	return strings.Contains(git.Stderr, "File exists"), failure
}

// refsAround reads the references of an update, and those whose names could exclude theirs.
func (r *Repo) refsAround(ctx context.Context, updates []RefUpdate) (map[string]ID, error) {
	var patterns []string
	for _, u := range updates {
		name := u.Name
		for strings.Count(name, "/") >= 2 { // refs/heads/x and longer
			patterns = append(patterns, name)
			name = name[:strings.LastIndexByte(name, '/')]
		}
	}
	refs, err := r.Refs(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	at := map[string]ID{}
	for _, ref := range refs {
		at[ref.Name] = ref.ID
	}
	return at, nil
}

func arrived(updates []RefUpdate, at map[string]ID) bool {
	for _, u := range updates {
		if at[u.Name] != u.New {
			return false
		}
	}
	return true
}
