package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestWorktrees_RP14_RP15(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got, ctx := repo.Open(), t.Context()
	path := repo.Dir + " two\nlines"
	if err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: path, Branch: "agentd/x", Start: "main", Lock: "an agent is at work"}); err != nil {
		t.Fatal(err)
	}
	all, err := got.Worktrees(ctx)
	if err != nil {
		t.Fatal(err)
	}
	main := repo.Rev("main")
	want := []gitops.Worktree{
		{Path: repo.Dir, Head: main, Branch: "refs/heads/main"},
		{Path: path, Head: main, Branch: "refs/heads/agentd/x", Locked: true, Reason: "an agent is at work"},
	}
	if !slices.Equal(all, want) {
		t.Errorf("%+v", all)
	}

	t.Run("RP-15 checked out elsewhere", func(t *testing.T) {
		err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: repo.Dir + "-3", Branch: "agentd/x"})
		wantError(t, err, `branch "agentd/x" is already checked out at`, "cd ")
		err = got.AddWorktree(ctx, gitops.WorktreeRequest{Path: repo.Dir + "-3", Branch: "main"})
		wantError(t, err, `branch "main" is already checked out at "`+repo.Dir, "cd ")
	})
	t.Run("RP-15 branch exists", func(t *testing.T) {
		repo.Git("branch", "there")
		err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: repo.Dir + "-4", Branch: "there", Start: "main"})
		if git, ok := errors.AsType[*gitops.GitError](err); !ok || git.Code == 0 {
			t.Errorf("%v", err)
		}
	})
	t.Run("RP-14 path exists", func(t *testing.T) {
		mine := repo.Dir + "-mine"
		if err := errors.Join(os.Mkdir(mine, 0o755), os.WriteFile(filepath.Join(mine, "file"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: mine, Branch: "y", Start: "main"})
		wantError(t, err, "already exists", "worktree_dir")
	})
	t.Run("RP-14 registered but missing", func(t *testing.T) {
		gone := repo.Dir + "-gone"
		repo.Git("worktree", "add", "--quiet", "-b", "gone", gone)
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: gone, Branch: "gone"})
		wantError(t, err, "registered but missing", "git worktree prune")
		wantError(t, got.RemoveWorktree(ctx, gone), "registered but missing", "git worktree prune")
	})
	t.Run("RP-14 locked", func(t *testing.T) {
		wantError(t, got.RemoveWorktree(ctx, path), "is locked: an agent is at work", "git worktree unlock")
	})
	t.Run("RP-16 over a committed link", func(t *testing.T) {
		if err := os.Symlink(t.TempDir(), filepath.Join(repo.Dir, "link")); err != nil {
			t.Fatal(err)
		}
		err := got.AddWorktree(ctx, gitops.WorktreeRequest{Path: "link/x", Branch: "z", Start: "main"})
		wantError(t, err, "link is a symbolic link", "git rm")
	})
}

func TestRemoveWorktree_keepsWork_RP17(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- .gitignore --\n*.ignored\n")
	linked := repo.LinkedWorktree("agentd/x")
	got, ctx := repo.Open(), t.Context()
	for _, file := range []string{"untracked.txt", "README.md", "deep/x.ignored"} {
		linked.Write(file, "work\n")
		err := got.RemoveWorktree(ctx, linked.Dir)
		wantError(t, err, "is not clean: "+file, "status")
		if linked.Read(file) != "work\n" {
			t.Errorf("%s is gone", file)
		}
		if file != "deep/x.ignored" {
			linked.Git("reset", "--quiet", "--hard")
			linked.Git("clean", "--quiet", "-f")
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.WriteFile(outside, nil, 0o644), os.Symlink(filepath.Dir(outside), filepath.Join(linked.Dir, "l.ignored"))); err != nil {
		t.Fatal(err)
	}
	if err := got.RemoveWorktreeWithIgnored(ctx, linked.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("behind a link: %v", err)
	}
	if _, err := os.Stat(linked.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	if err := got.RemoveWorktree(ctx, linked.Dir); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestDetachedWorktree(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hook("post-checkout", "touch "+repo.Dir+"/hooked")
	got, ctx := repo.Open(), t.Context()
	path := repo.Dir + "-temporary"
	if err := got.AddDetached(ctx, path, repo.Rev("main")); err != nil {
		t.Fatal(err)
	}
	if repo.Exists("hooked") {
		t.Error("a hook ran for a temporary worktree")
	}
	if ref, id, err := got.At(path).Head(ctx); ref != "" || id != repo.Rev("main") || err != nil {
		t.Errorf("%q %q %v", ref, id, err)
	}
	repo.At(path).Write("README.md", "made a mess\n")
	if err := got.RemoveDetached(ctx, path); err != nil {
		t.Fatal(err)
	}
	persons := repo.LinkedWorktree("work")
	if err := got.RemoveDetached(ctx, persons.Dir); err == nil {
		t.Error("removed a person's worktree")
	}
}

func TestBusy_RP06(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"merge", []string{"merge", "side"}},
		{"rebase", []string{"rebase", "side"}},
		{"rebase", []string{"rebase", "--apply", "side"}},
		{"cherry-pick", []string{"cherry-pick", "side"}},
		{"revert", []string{"revert", "--no-edit", "main~1"}},
		{"bisect", []string{"bisect", "start"}},
		{"am", []string{"am", "patch"}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			repo := conflicting(t)
			linked := repo.LinkedWorktree("other")
			got, ctx := repo.Open(), t.Context()
			if err := got.NotBusy(ctx, ""); err != nil {
				t.Fatal(err)
			}
			if out, err := repo.TryGit(tt.args...); err == nil && tt.want != "bisect" {
				t.Fatalf("no conflict: %s", out)
			}
			op, err := got.Busy(ctx, "")
			if op != tt.want || err != nil {
				t.Errorf("%q %v", op, err)
			}
			wantError(t, got.NotBusy(ctx, repo.Dir), tt.want+" is in progress", "git "+tt.want)
			if op, err := got.Busy(ctx, linked.Dir); op != "" || err != nil {
				t.Errorf("the other worktree: %q %v", op, err)
			}
			held, err := linked.Open().RebaseOf(ctx, "main")
			if want := tt.want == "rebase" || tt.want == "bisect"; held != want || err != nil {
				t.Errorf("RebaseOf main: %t %v", held, err)
			}
			if held, err := got.RebaseOf(ctx, "refs/heads/other"); held || err != nil {
				t.Errorf("RebaseOf other: %t %v", held, err)
			}
		})
	}
}

// conflicting has main and side, each with a commit that changes the same line.
func conflicting(t *testing.T) *gitopstest.Repo {
	t.Helper()
	repo := gitopstest.New(t, hello)
	repo.Git("switch", "--quiet", "-c", "side")
	repo.Write("README.md", "side\n")
	repo.Commit("side")
	repo.Write("patch", repo.Git("format-patch", "--stdout", "-1")+"\n\n")
	repo.Git("switch", "--quiet", "main")
	repo.Write("README.md", "main\n")
	repo.Git("commit", "--quiet", "-am", "main 1")
	repo.Write("README.md", "more\n")
	repo.Git("commit", "--quiet", "-am", "main 2")
	return repo
}
