package gitopstest

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
)

// Checker remembers a repository as it was, to show afterwards that nothing of the user's is gone.
// Its invariants are I1 to I3 of the fault list: the repository is whole and references are where they may be;
// every byte that was reachable, staged or on disk still is; branch, index and stash are as before.
type Checker struct {
	t       testing.TB
	repo    *Repo
	refs    map[string]string
	objects []string          // blobs that were reachable or staged
	files   map[string]string // of the worktree, with untracked and ignored ones
	index   map[string]string
	head    string
	stash   string
}

// Allow is a change that the command under test is meant to make.
type Allow struct {
	refs  []string
	paths []string
}

// Moved allows references to be elsewhere, new, or gone.
func Moved(refs ...string) Allow { return Allow{refs: refs} }

// Written allows files, and all below folders, to differ in worktree and index.
func Written(paths ...string) Allow { return Allow{paths: paths} }

// Watch remembers the repository.
func Watch(t testing.TB, repo *Repo) *Checker {
	t.Helper()
	c := &Checker{t: t, repo: repo.For(t)}
	c.refs, c.index, c.files = c.readRefs(), c.readIndex(), c.readFiles()
	c.head, c.stash = c.readHead(), c.readStash()
	c.objects = c.readObjects()
	return c
}

// Check fails the test where an invariant is broken.
func (c *Checker) Check(allowed ...Allow) {
	c.t.Helper()
	var allow Allow
	for _, a := range allowed {
		allow.refs = append(allow.refs, a.refs...)
		allow.paths = append(allow.paths, a.paths...)
	}
	if out, err := c.repo.TryGit("fsck", "--full", "--no-dangling", "--no-progress"); err != nil {
		c.t.Errorf("I1: fsck: %v\n%s", err, out)
	}
	if c.hasWorktree() {
		if out, err := c.repo.TryGit("status"); err != nil {
			c.t.Errorf("I1: status: %v\n%s", err, out)
		}
	}
	c.same("I1: reference", c.refs, c.readRefs(), func(name string) bool { return slices.Contains(allow.refs, name) })
	known := c.repo.Feed(strings.Join(c.objects, "\n"), "cat-file", "--batch-check")
	for text := range strings.Lines(known) {
		if id, gone := strings.CutSuffix(strings.TrimSpace(text), " missing"); gone {
			c.t.Errorf("I2: object %s is gone", id)
		}
	}
	inside := func(path string) bool {
		return slices.ContainsFunc(allow.paths, func(p string) bool { return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/") })
	}
	c.same("I2: file", c.files, c.readFiles(), inside)
	c.same("I3: index entry", c.index, c.readIndex(), inside)
	if head := c.readHead(); head != c.head {
		c.t.Errorf("I3: HEAD is %q, was %q", head, c.head)
	}
	if stash := c.readStash(); stash != c.stash {
		c.t.Errorf("I3: stash is %q, was %q", stash, c.stash)
	}
}

func (c *Checker) same(what string, before, after map[string]string, allowed func(string) bool) {
	c.t.Helper()
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] && !allowed(name) {
			c.t.Errorf("%s %q is %q, was %q", what, name, after[name], before[name])
		}
	}
}

func (c *Checker) hasWorktree() bool {
	return c.repo.Git("rev-parse", "--is-inside-work-tree") == "true"
}

func (c *Checker) readRefs() map[string]string {
	refs := map[string]string{}
	for text := range strings.Lines(c.repo.Git("for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(text), " ")
		refs[name] = id
	}
	return refs
}

func (c *Checker) readIndex() map[string]string {
	entries := map[string]string{}
	if !c.hasWorktree() {
		return entries
	}
	for text := range strings.SplitSeq(c.repo.Git("ls-files", "-s", "-v", "-z"), "\x00") {
		if entry, path, ok := strings.Cut(text, "\t"); ok {
			entries[path] += entry + ";"
		}
	}
	return entries
}

// readObjects lists the blobs that are reachable or staged. What a partial clone has not fetched is not its to lose.
func (c *Checker) readObjects() []string {
	var ids []string
	for text := range strings.Lines(c.repo.Git("rev-list", "--objects", "--all", "--missing=allow-promisor")) {
		id, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		ids = append(ids, id)
	}
	for _, entries := range c.index {
		for entry := range strings.SplitSeq(strings.TrimSuffix(entries, ";"), ";") {
			if words := strings.Fields(entry); len(words) == 4 && words[1] != gitops.ModeGitlink.String() {
				ids = append(ids, words[2])
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (c *Checker) readFiles() map[string]string {
	files := map[string]string{}
	if !c.hasWorktree() {
		return files
	}
	err := filepath.WalkDir(c.repo.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".git" {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(c.repo.Dir, path)
		files[filepath.ToSlash(rel)] = describe(path, entry)
		return err
	})
	if err != nil {
		c.t.Errorf("I2: %v", err)
	}
	return files
}

func describe(path string, entry fs.DirEntry) string {
	if entry.Type()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return err.Error()
		}
		return "-> " + target
	}
	if !entry.Type().IsRegular() {
		return entry.Type().String()
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (c *Checker) readHead() string {
	head, err := c.repo.TryGit("symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return c.repo.Git("rev-parse", "HEAD")
	}
	return head
}

func (c *Checker) readStash() string {
	return c.repo.Git("log", "--format=%H %gd", "--walk-reflogs", "--ignore-missing", "refs/stash", "--")
}
