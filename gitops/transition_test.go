package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// advance makes one transition: read the tip, write edits, commit, move, project.
func advance(t testing.TB, repo *gitops.Repo, ref string, edits ...gitops.Edit) (old, new gitops.ID, left []string) {
	t.Helper()
	old, new, left, err := tryAdvance(t, repo, ref, "agentd(x): step\n", edits...)
	if err != nil {
		t.Fatal(err)
	}
	return old, new, left
}

func tryAdvance(t testing.TB, repo *gitops.Repo, ref, message string, edits ...gitops.Edit) (old, new gitops.ID, left []string, err error) {
	t.Helper()
	ctx := t.Context()
	lock, err := repo.Lock(ctx, "x", "a test")
	if err != nil {
		return "", "", nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	under := lock.Repo()
	objects, err := under.Objects(ctx)
	if err != nil {
		return "", "", nil, err
	}
	defer objects.Close()
	tip, err := objects.CommitAt(ref)
	if err != nil {
		return "", "", nil, err
	}
	old = tip.ID
	tree, err := objects.WriteTree(ctx, tip.Tree, edits)
	if err != nil {
		return "", "", nil, err
	}
	new, err = under.CommitTree(ctx, gitops.CommitRequest{Tree: tree, Parents: []gitops.ID{old}, Message: message})
	if err != nil {
		return "", "", nil, err
	}
	left, moved, err := lock.Advance(ctx, gitops.Advance{Ref: ref, Old: old, New: new, Reason: "agentd: step"})
	if err == nil && !moved {
		t.Error("no error and not moved")
	}
	return old, new, left, err
}

var someEdits = []gitops.Edit{
	{Path: "agentd/changes/x/STATE.yaml", Content: []byte("phase: challenged\n")},
	{Path: "agentd/changes/x/specs/auth.md", Content: []byte("# Auth\n")},
	{Path: "agentd/changes/x/proposal.md", Delete: true},
	{Path: "far/new.txt", Content: []byte("new\n")},
	{Path: "odd/-dash\nbreak \"quoted\" :(glob)*", Content: []byte("odd\n")},
	{Path: "run.sh", Content: []byte("#!/bin/sh\n"), Mode: gitops.ModeExecutable},
	{Path: "link", Content: []byte("README.md"), Mode: gitops.ModeSymlink},
	{Path: "list.turned", Content: []byte("1\n2\n3\n")},
}

// RP-01 in every shape: a person's staged, edited, untracked and ignored files are as they were,
// the transition is there, and the worktree follows it.
func TestTransition_shapes_RP01_RP27_ID20(t *testing.T) {
	t.Parallel()
	for _, shape := range gitopstest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello+"-- near/staged.txt --\na\n-- near/edited.txt --\na\n-- .gitignore --\n*.ignored\n")
			if shape.HasWorktree() {
				repo.Write("near/staged.txt", "staged\n")
				repo.Git("add", "near/staged.txt")
				repo.Write("near/edited.txt", "edited\n")
				repo.Write("near/untracked.txt", "untracked\n")
				repo.Write("near/x.ignored", "ignored\n")
			}
			watch := gitopstest.Watch(t, repo)
			var paths []string
			for _, edit := range someEdits {
				paths = append(paths, edit.Path)
			}

			got := repo.Open()
			old, tip, left := advance(t, got, "refs/heads/main", someEdits...)

			watch.Check(gitopstest.Moved("refs/heads/main"), gitopstest.Written(paths...))
			if len(left) > 0 {
				t.Errorf("left %q", left)
			}
			if parent := repo.Rev("main^"); parent != old || repo.Rev("main") != tip {
				t.Errorf("main is at %s on %s, want %s on %s", repo.Rev("main"), parent, tip, old)
			}
			if reason := repo.Git("reflog", "-1", "--format=%gs", "main"); reason != "agentd: step" {
				t.Errorf("reflog says %q", reason)
			}
			if content := repo.Git("show", "main:agentd/changes/x/STATE.yaml"); content != "phase: challenged" {
				t.Errorf("STATE.yaml is %q", content)
			}
			if !shape.HasWorktree() {
				return
			}
			want := []string{"M  near/staged.txt", " M near/edited.txt", "?? near/untracked.txt"}
			status := strings.Split(strings.TrimSuffix(repo.Git("status", "--porcelain=v1", "-z"), "\x00"), "\x00")
			slices.Sort(want)
			slices.Sort(status)
			if diff := cmp.Diff(want, status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			sparse := shape == gitopstest.Sparse || shape == gitopstest.SparseIndex
			if repo.Exists("far/new.txt") == sparse {
				t.Errorf("far/new.txt exists: %t", !sparse)
			}
			text := map[bool]string{true: "phase: challenged\r\n", false: "phase: challenged\n"}[shape == gitopstest.AutoCRLF]
			if content := repo.Read("agentd/changes/x/STATE.yaml"); content != text {
				t.Errorf("STATE.yaml on disk is %q", content)
			}
			turned := map[bool]string{true: "3\n2\n1\n", false: strings.ReplaceAll("1\n2\n3\n", "\n", text[len(text)-1:])}[shape == gitopstest.Filtered]
			if shape == gitopstest.AutoCRLF {
				turned = "1\r\n2\r\n3\r\n"
			}
			if content := repo.Read("list.turned"); content != turned {
				t.Errorf("list.turned on disk is %q", content)
			}
			if target, err := os.Readlink(filepath.Join(repo.Dir, "link")); target != "README.md" {
				t.Errorf("link points to %q, %v", target, err)
			}
			if info, err := os.Stat(filepath.Join(repo.Dir, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
				t.Errorf("run.sh: %v %v", info, err)
			}
		})
	}
}

// A whole transition under a configuration that changes everything that git says to people.
func TestTransition_hostile_RP30(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hostile()
	repo.Git("config", "index.skipHash", "true")
	repo.Git("config", "feature.manyFiles", "true")
	repo.Hook("post-index-change", "exit 1")
	watch := gitopstest.Watch(t, repo)
	_, _, left := advance(t, repo.Open(), "refs/heads/main", someEdits[:4]...)
	watch.Check(gitopstest.Moved("refs/heads/main"), gitopstest.Written("agentd/changes/x", "far/new.txt"))
	if status := repo.Git("-c", "status.branch=false", "status", "--porcelain=v1", "--untracked-files=all"); status != "" || len(left) > 0 {
		t.Errorf("status %q, left %q", status, left)
	}
}

// What a person has made of our files stays, and is named.
func TestProject_leavesEdits_RP01(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- agentd/changes/x/a.md --\na\n-- agentd/changes/x/b.md --\nb\n-- agentd/changes/x/c.md --\nc\n-- agentd/changes/x/d.md --\nd\n")
	dir := "agentd/changes/x/"
	repo.Write(dir+"a.md", "edited\n")
	repo.Write(dir+"b.md", "staged\n")
	repo.Git("add", dir+"b.md")
	repo.Git("rm", "--quiet", "--cached", dir+"c.md")
	if err := os.Remove(filepath.Join(repo.Dir, dir+"d.md")); err != nil {
		t.Fatal(err)
	}
	repo.Write(dir+"new.md", "mine, untracked\n")
	repo.Write(dir+"same.md", "the same\n")
	watch := gitopstest.Watch(t, repo)

	_, _, left := advance(t, repo.Open(), "refs/heads/main",
		gitops.Edit{Path: dir + "a.md", Content: []byte("ours\n")},
		gitops.Edit{Path: dir + "b.md", Content: []byte("ours\n")},
		gitops.Edit{Path: dir + "c.md", Content: []byte("ours\n")},
		gitops.Edit{Path: dir + "d.md", Content: []byte("ours\n")},
		gitops.Edit{Path: dir + "new.md", Content: []byte("ours\n")},
		gitops.Edit{Path: dir + "same.md", Content: []byte("the same\n")},
		gitops.Edit{Path: dir + "STATE.yaml", Content: []byte("phase: challenged\n")},
	)

	watch.Check(gitopstest.Moved("refs/heads/main"), gitopstest.Written("agentd/changes/x"))
	var want []string
	for _, name := range []string{"a.md", "b.md", "c.md", "d.md", "new.md"} {
		want = append(want, filepath.Join(repo.Dir, dir+name))
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{"a.md": "edited\n", "b.md": "staged\n", "c.md": "c\n", "new.md": "mine, untracked\n", "STATE.yaml": "phase: challenged\n"} {
		if got := repo.Read(dir + name); got != text {
			t.Errorf("%s is %q", name, got)
		}
	}
	want = []string{" D " + dir + "d.md", " M " + dir + "a.md", " M " + dir + "new.md", "D  " + dir + "c.md", "MM " + dir + "b.md", "?? " + dir + "c.md"}
	status := strings.Split(repo.Git("status", "--porcelain=v1"), "\n")
	slices.Sort(status)
	for i := range want {
		if want[i] == "MM "+dir+"b.md" {
			want[i] = "M  " + dir + "b.md"
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

// Line ends written by a person in a repository that converts them are not an edit.
func TestProject_lineEnds_RP01(t *testing.T) {
	t.Parallel()
	repo := gitopstest.AutoCRLF.New(t, hello)
	repo.Write("agentd/changes/x/STATE.yaml", "phase: proposed\n") // LF, where git would write CRLF
	_, _, left := advance(t, repo.Open(), "refs/heads/main", someEdits[0])
	if len(left) > 0 || repo.Read("agentd/changes/x/STATE.yaml") != "phase: challenged\r\n" {
		t.Errorf("left %q, file %q", left, repo.Read("agentd/changes/x/STATE.yaml"))
	}
}

// A folder of the worktree that was replaced by a link is not written through.
func TestProject_link_ID18(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	outside := t.TempDir()
	folder := filepath.Join(repo.Dir, "agentd", "changes", "x")
	if err := errors.Join(os.RemoveAll(folder), os.Symlink(outside, folder)); err != nil {
		t.Fatal(err)
	}
	_, _, left := advance(t, repo.Open(), "refs/heads/main", someEdits[0], someEdits[1])
	if len(left) != 2 {
		t.Errorf("left %q", left)
	}
	if files, err := os.ReadDir(outside); err != nil || len(files) > 0 {
		t.Errorf("written outside: %v %v", files, err)
	}
}

func TestProject_otherWorktrees(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	linked := repo.LinkedWorktree("agentd/x")
	gone := repo.LinkedWorktree("gone")
	if err := os.RemoveAll(gone.Dir); err != nil {
		t.Fatal(err)
	}
	main := gitopstest.Watch(t, repo)
	advance(t, repo.Open(), "refs/heads/agentd/x", someEdits...)
	main.Check(gitopstest.Moved("refs/heads/agentd/x"))
	if status := linked.Git("status", "--porcelain"); status != "" {
		t.Errorf("linked worktree: %q", status)
	}
	if got := linked.Read("agentd/changes/x/STATE.yaml"); got != "phase: challenged\n" {
		t.Errorf("linked worktree: %q", got)
	}
}

// Files become folders and folders files.
func TestProject_fileToFolder(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- a --\nfile\n-- b/c/d --\nfolder\n")
	got := repo.Open()
	advance(t, got, "refs/heads/main", gitops.Edit{Path: "a", Delete: true}, gitops.Edit{Path: "b", Delete: true})
	if repo.Exists("a") || repo.Exists("b") {
		t.Fatal("not removed")
	}
	advance(t, got, "refs/heads/main", gitops.Edit{Path: "a/x", Content: []byte("x")}, gitops.Edit{Path: "b", Content: []byte("b")})
	// Now in one step.
	first, last := repo.Rev("main~2"), repo.Rev("main")
	repo.Git("reset", "--quiet", "--hard", string(first))
	repo.Git("update-ref", "refs/heads/main", string(last))
	left, err := got.Project(t.Context(), "refs/heads/main", first, last, gitops.ProjectOptions{})
	if err != nil || len(left) > 0 || repo.Read("a/x") != "x" || repo.Read("b") != "b" {
		t.Errorf("left %q, %v", left, err)
	}
}

func TestAdvance_lockedIndex_RP07(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	lock := filepath.Join(repo.Dir, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	watch := gitopstest.Watch(t, repo)
	var notices []string
	env := repo.Env()
	env.Notice = func(text string) { notices = append(notices, text) }
	got, err := gitops.Open(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = tryAdvance(t, got, "refs/heads/main", "x", someEdits...)
	wantError(t, err, lock+" exists and is ", "rm ")
	if file, ok := errors.AsType[*gitops.LockFileError](err); !ok || file.Age < 5*time.Second {
		t.Errorf("waited for %s only", file.Age)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], lock) {
		t.Errorf("notices %q", notices)
	}
	watch.Check() // main has not moved either
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("the lock was removed: %v", err)
	}
}

// git moves the references of a transaction one after the other and can be killed in between:
// whoever sees the branch at its new place must find the others there too.
func TestAdvance_movesTheBranchLast_RP19(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	order := filepath.Join(repo.Home, "order")
	repo.Hook("reference-transaction", fmt.Sprintf(`[ "$1" = prepared ] || exit 0; while read -r _ _ name; do echo "$name"; done >>%s`, order))
	old := repo.Rev("main")
	new := gitops.ID(repo.Git("commit-tree", "-m", "next", "-p", string(old), string(old)+"^{tree}"))
	lock, err := repo.Open().Lock(t.Context(), "x", "a test")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	_, moved, err := lock.Advance(t.Context(), gitops.Advance{
		Ref: "refs/heads/main", Old: old, New: new,
		Also: []gitops.RefUpdate{{Name: "refs/agentd/archive/x/1", New: old}, {Name: "refs/agentd/archive/x/2", New: old}},
	})
	if err != nil || !moved {
		t.Fatalf("moved %t: %v", moved, err)
	}
	text, err := os.ReadFile(order)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.DeleteFunc(strings.Fields(string(text)), func(name string) bool { return name == "HEAD" })
	if want := []string{"refs/agentd/archive/x/1", "refs/agentd/archive/x/2", "refs/heads/main"}; !slices.Equal(names, want) {
		t.Errorf("moved in the order %q, want %q", names, want)
	}
}
