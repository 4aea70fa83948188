package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestStatus_RP30_ID20(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- old.txt --\nthe same content\n-- .gitignore --\n*.ignored\n")
	repo.Hostile()
	odd := "-odd\nname with \"quotes\" :(glob)*"
	repo.Write(odd, "x\n")
	repo.Write("x.ignored", "x\n")
	repo.Write("README.md", "changed\n")
	repo.Git("mv", "old.txt", "new.txt")
	got := repo.Open()
	entries, err := got.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []gitops.StatusEntry{
		{Path: "README.md", XY: ".M", Unstaged: true},
		{Path: "new.txt", XY: "A.", Staged: true},
		{Path: "old.txt", XY: "D.", Staged: true},
		{Path: odd, XY: "??", Untracked: true},
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	entries, err = got.Status(t.Context(), "agentd", odd)
	if diff := cmp.Diff(want[3:], entries); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if entries, err := got.Status(t.Context(), "*"); err != nil || len(entries) != 0 {
		t.Errorf("a pattern matched: %v %v", entries, err)
	}
}

func TestStatus_conflict(t *testing.T) {
	t.Parallel()
	repo := conflicting(t)
	if _, err := repo.TryGit("merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	entries, err := repo.Open().Status(t.Context(), "README.md")
	if diff := cmp.Diff([]gitops.StatusEntry{{Path: "README.md", XY: "UU", Staged: true, Unstaged: true, Conflicted: true}}, entries); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The snapshot is what `git add --all` would stage, and the user's index does not notice.
func TestSnapshotWorktree_shapes_RP27(t *testing.T) {
	t.Parallel()
	for _, shape := range gitopstest.Shapes(t) {
		if !shape.HasWorktree() {
			continue
		}
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello+"-- gone.txt --\n-- .gitignore --\n*.ignored\n")
			repo.Write("near/untracked.txt", "1\n2\n")
			repo.Write("far/untracked.txt", "1\n2\n")
			repo.Write("near/x.turned", "1\n2\n")
			repo.Write("x.ignored", "x\n")
			repo.Write("agentd/changes/x/STATE.yaml", "edited\r\n")
			if err := os.Remove(filepath.Join(repo.Dir, "gone.txt")); err != nil {
				t.Fatal(err)
			}
			watch := gitopstest.Watch(t, repo)
			tree, err := repo.Open().SnapshotWorktree(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			watch.Check()
			repo.Git("add", "--all", "--sparse")
			if want := repo.Git("write-tree"); string(tree) != want {
				t.Errorf("got\n%s\nwant\n%s", repo.Git("ls-tree", "-r", string(tree)), repo.Git("ls-tree", "-r", want))
			}
		})
	}
}

// A file rewritten in the same instant and with the same size as when it was staged must not be missed.
func TestSnapshotWorktree_sameInstant(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	now := time.Now().Truncate(time.Second)
	path := filepath.Join(repo.Dir, "README.md")
	set := func(content string) {
		repo.Write("README.md", content)
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	repo.Git("config", "core.trustctime", "false")
	set("first\n")
	repo.Git("add", "README.md")
	if err := os.Chtimes(filepath.Join(repo.Dir, ".git", "index"), now, now); err != nil {
		t.Fatal(err)
	}
	set("other\n")
	tree, err := repo.Open().SnapshotWorktree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := repo.Git("show", string(tree)+":README.md"); got != "other" {
		t.Errorf("README.md is %q", got)
	}
}

func TestSnapshotWorktree_nestedRepository_ID19(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with a commit", "without a commit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitopstest.New(t, hello)
			nested := repo.At(filepath.Join(repo.Dir, "agentd", "changes", "x", "n"))
			if err := os.Mkdir(nested.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
			nested.Git("init", "--quiet")
			nested.Write("file", "would be lost\n")
			if name == "with a commit" {
				nested.Commit("nested")
			}
			watch := gitopstest.Watch(t, repo)
			_, err := repo.Open().SnapshotWorktree(t.Context())
			wantError(t, err, "nested git repository in agentd/changes/x/n", "move ")
			watch.Check()
		})
	}
	repo := gitopstest.Submodule.New(t, hello)
	if _, err := repo.Open().SnapshotWorktree(t.Context()); err != nil {
		t.Errorf("a submodule is no nested repository: %v", err)
	}
}

func TestSnapshotWorktree_unborn_RP03(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, "")
	repo.Write("a", "a\n")
	tree, err := repo.Open().SnapshotWorktree(t.Context())
	if err != nil || repo.Git("ls-tree", "--name-only", string(tree)) != "a" {
		t.Errorf("%s %v", tree, err)
	}
}

func TestMergeTrees_RP30(t *testing.T) {
	t.Parallel()
	repo := conflicting(t)
	repo.Git("branch", "easy", "main~2")
	repo.Git("switch", "--quiet", "easy")
	repo.Write("odd\nname", "easy\n")
	easy := repo.Commit("easy")
	repo.Hostile()
	watch := gitopstest.Watch(t, repo)
	got := repo.Open()
	tree, conflicts, err := got.MergeTrees(t.Context(), repo.Rev("main"), easy)
	if err != nil || len(conflicts) > 0 || repo.Git("show", string(tree)+":README.md") != "more" || repo.Git("show", string(tree)+":odd\nname") != "easy" {
		t.Errorf("%s %q %v", tree, conflicts, err)
	}
	tree, conflicts, err = got.MergeTrees(t.Context(), repo.Rev("main"), repo.Rev("side"))
	if diff := cmp.Diff([]string{"README.md"}, conflicts); diff != "" || err != nil || tree.IsZero() {
		t.Errorf("%s %v (-want +got):\n%s", tree, err, diff)
	}
	alone := gitops.ID(repo.Git("commit-tree", "-m", "alone", "main^{tree}"))
	if _, _, err := got.MergeTrees(t.Context(), easy, alone); err == nil {
		t.Error("unrelated histories were merged")
	}
	watch.Check()
}

func TestFastForward_RP01(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello+"-- other.txt --\nother\n")
	repo.Git("switch", "--quiet", "-c", "ahead")
	repo.Write("README.md", "ahead\n")
	repo.Write("new.txt", "ahead\n")
	ahead := repo.Commit("ahead")
	repo.Git("switch", "--quiet", "main")
	repo.Hostile()
	got, ctx := repo.Open(), t.Context()

	repo.Write("README.md", "mine\n")
	repo.Write("new.txt", "mine, untracked\n")
	repo.Write("other.txt", "mine\n")
	watch := gitopstest.Watch(t, repo)
	err := got.FastForward(ctx, repo.Dir, ahead)
	overlap, ok := errors.AsType[*gitops.OverlapError](err)
	if !ok {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff([]string{"README.md", "new.txt"}, overlap.Files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	watch.Check()

	repo.Git("checkout", "--quiet", "README.md")
	if err := os.Remove(filepath.Join(repo.Dir, "new.txt")); err != nil {
		t.Fatal(err)
	}
	watch = gitopstest.Watch(t, repo)
	if err := got.FastForward(ctx, repo.Dir, ahead); err != nil {
		t.Fatal(err)
	}
	watch.Check(gitopstest.Moved("refs/heads/main", "ORIG_HEAD"), gitopstest.Written("README.md", "new.txt"))
	if repo.Rev("main") != ahead || repo.Read("other.txt") != "mine\n" || repo.Read("README.md") != "ahead\n" {
		t.Error("not moved as it should")
	}
	side := repo.Git("commit-tree", "-p", "main~1", "-m", "side", "main^{tree}")
	if err := got.FastForward(ctx, repo.Dir, gitops.ID(side)); !errors.Is(err, gitops.ErrNotFastForward) {
		t.Errorf("%v", err)
	}
}

func TestRemotes_Fetch(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	clone := repo.Clone()
	got, ctx := clone.Open(), t.Context()
	if remotes, err := got.Remotes(ctx); err != nil || len(remotes) != 1 || remotes[0] != (gitops.Remote{Name: "origin", URL: "file://" + repo.Dir}) {
		t.Errorf("%v %v", remotes, err)
	}
	clone.Git("config", "url.file://"+repo.Dir+".insteadOf", "gh:me/it")
	clone.Git("remote", "add", "up.stream", "gh:me/it")
	got = clone.Open()
	if remotes, err := got.Remotes(ctx); err != nil || len(remotes) != 2 || remotes[1] != (gitops.Remote{Name: "up.stream", URL: "file://" + repo.Dir}) {
		t.Errorf("%v %v", remotes, err)
	}
	repo.Git("branch", "agentd/x")
	repo.Git("tag", "noise")
	if err := got.Fetch(ctx, "up.stream", "+refs/heads/agentd/*:refs/remotes/up.stream/agentd/*"); err != nil {
		t.Fatal(err)
	}
	if clone.Rev("refs/remotes/up.stream/agentd/x") != repo.Rev("main") || clone.Git("tag") != "" || clone.Exists(".git/FETCH_HEAD") {
		t.Error("fetched too little or too much")
	}
	err := got.Fetch(ctx, "origin", "refs/heads/none:refs/remotes/origin/none")
	if !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("%v", err)
	}
	wantError(t, got.Fetch(ctx, "--upload-pack=touch pwned"), "fetch from", "git fetch")
}
