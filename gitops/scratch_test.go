package gitops_test

import (
	"errors"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestRepo_Ignored_RP28(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Write(".gitignore", "agentd/\n")
	for path, want := range map[string]bool{"agentd/config.toml": true, "src/config.toml": false} {
		if got, err := repo.Open().Ignored(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
}

func TestRepo_LastTouch_isTheNewestCommitOfAPath(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Write("a.txt", "one\n")
	want := repo.Commit("touch a")
	repo.Write("b.txt", "two\n")
	tip := repo.Commit("touch b")
	if got, err := repo.Open().LastTouch(t.Context(), tip, "a.txt"); err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if _, err := repo.Open().LastTouch(t.Context(), tip, "never.txt"); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a path that nobody touched: %v", err)
	}
}

func TestRepo_ScratchCommit_movesNothing(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hook("commit-msg", "exit 1")
	got, tip := repo.Open(), repo.Rev("main")
	id, err := got.ScratchCommit(t.Context(), repo.Rev("main^{tree}"), tip)
	if err != nil || !got.Exists(t.Context(), id) {
		t.Fatalf("%s, %v", id, err)
	}
	if repo.Rev("main") != tip {
		t.Error("a branch moved")
	}
	if got.Exists(t.Context(), "") {
		t.Error("the zero id exists")
	}
}

func TestRepo_RestorePaths_putsBackWhatTheTreeHas(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Write("kept.txt", "before\n")
	repo.Commit("before")
	repo.Write("kept.txt", "after\n")
	repo.Write("new.txt", "new\n")
	repo.Write("mine.txt", "mine\n")
	err := repo.Open().RestorePaths(t.Context(), repo.Rev("main^{tree}"), []string{"kept.txt", "new.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if repo.Read("kept.txt") != "before\n" || repo.Exists("new.txt") || repo.Read("mine.txt") != "mine\n" {
		t.Errorf("%q %v %q", repo.Read("kept.txt"), repo.Exists("new.txt"), repo.Read("mine.txt"))
	}
}

func TestRepo_Switch_makesATemporaryWorktreeSomebodysWork_RP17(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got, ctx := repo.Open(), t.Context()
	path := repo.Dir + "-work"
	if err := got.AddDetached(ctx, path, repo.Rev("main")); err != nil {
		t.Fatal(err)
	}
	repo.Git("branch", "agentd/x")
	if err := got.At(path).Switch(ctx, "agentd/x"); err != nil {
		t.Fatal(err)
	}
	repo.At(path).Write("untracked.txt", "work\n")
	if err := got.RemoveDetached(ctx, path); err == nil {
		t.Error("a worktree with work in it was removed as if it were temporary")
	}
	if err := got.RemoveWorktree(ctx, path); err == nil || !repo.At(path).Exists("untracked.txt") {
		t.Errorf("the work is gone: %v", err)
	}
}
