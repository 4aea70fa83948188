package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

const hello = `
-- README.md --
hello
-- agentd/changes/x/STATE.yaml --
phase: proposed
-- agentd/changes/x/proposal.md --
one
two
`

func TestOpen_shapes_RP27(t *testing.T) {
	t.Parallel()
	for _, shape := range gitopstest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			got := repo.Open()
			if want := repo.Git("rev-parse", "--absolute-git-dir"); got.GitDir() != want {
				t.Errorf("GitDir %q, want %q", got.GitDir(), want)
			}
			if want := repo.Git("rev-parse", "--path-format=absolute", "--git-common-dir"); got.CommonDir() != want {
				t.Errorf("CommonDir %q, want %q", got.CommonDir(), want)
			}
			if got.Bare() != (shape == gitopstest.Bare) {
				t.Errorf("Bare is %t", got.Bare())
			}
			if want := map[bool]string{true: repo.Dir}[shape.HasWorktree()]; got.WorkTree() != want {
				t.Errorf("WorkTree %q, want %q", got.WorkTree(), want)
			}
			if want := repo.Git("rev-parse", "--show-object-format"); got.ObjectFormat() != want {
				t.Errorf("ObjectFormat %q, want %q", got.ObjectFormat(), want)
			}
			ref, id, err := got.Head(t.Context())
			if err != nil || ref != "refs/heads/main" || id != repo.Rev("HEAD") {
				t.Errorf("Head %q %q %v", ref, id, err)
			}
			branch, err := got.DefaultBranch(t.Context())
			if err != nil || branch != "main" {
				t.Errorf("DefaultBranch %q %v", branch, err)
			}
		})
	}
}

func TestOpen_subdirectory(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got := repo.At(filepath.Join(repo.Dir, "agentd", "changes")).Open()
	if got.WorkTree() != repo.Dir || got.Prefix() != "agentd/changes/" {
		t.Errorf("WorkTree %q, Prefix %q", got.WorkTree(), got.Prefix())
	}
	if id, err := got.Resolve(t.Context(), "main"); err != nil || id != repo.Rev("main") {
		t.Errorf("Resolve main: %q %v", id, err)
	}
}

func TestOpen_unborn_RP03(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, "")
	got := repo.Open()
	ref, id, err := got.Head(t.Context())
	if err != nil || ref != "refs/heads/main" || !id.IsZero() {
		t.Errorf("Head %q %q %v", ref, id, err)
	}
	if _, err := got.Resolve(t.Context(), "HEAD"); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("Resolve: %v", err)
	}
	err = got.AddWorktree(t.Context(), gitops.WorktreeRequest{Path: repo.Dir + "-x", Branch: "x", Start: "HEAD"})
	wantError(t, err, "repository has no commit yet", `git commit --allow-empty -m "first"`)
}

func TestOpen_notARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := gitops.Open(t.Context(), gitops.Env{Dir: dir, Environ: gitopstest.Environ(t, t.TempDir())})
	if !errors.Is(err, gitops.ErrNotRepository) {
		t.Fatalf("got %v", err)
	}
}

func TestOpen_dubiousOwnership_RP13(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello).With("GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
	_, err := gitops.Open(t.Context(), repo.Env())
	if !errors.Is(err, gitops.ErrDubiousOwnership) {
		t.Fatalf("got %v", err)
	}
	wantError(t, err, "belongs to another user", "git config --global --add safe.directory")
}

// A hook of a linked worktree runs with GIT_DIR and GIT_INDEX_FILE set, and asks about the main worktree.
func TestOpen_fromHook_RP29(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	linked := repo.LinkedWorktree("other")
	linked.Write("README.md", "changed\n")
	hooked := linked.With(
		"GIT_DIR="+linked.Git("rev-parse", "--absolute-git-dir"),
		"GIT_INDEX_FILE="+linked.Git("rev-parse", "--absolute-git-dir")+"/next-index-1.lock",
		"GIT_PREFIX=agentd/",
	)
	got := hooked.Open()
	if got.WorkTree() != linked.Dir {
		t.Errorf("WorkTree %q, want %q", got.WorkTree(), linked.Dir)
	}
	if status, err := got.Status(t.Context()); err != nil || len(status) != 1 {
		t.Errorf("own worktree: %v %v", status, err)
	}
	if status, err := got.At(repo.Dir).Status(t.Context()); err != nil || len(status) != 0 {
		t.Errorf("main worktree: %v %v", status, err)
	}
	if ref, _, err := got.At(repo.Dir).Head(t.Context()); err != nil || ref != "refs/heads/main" {
		t.Errorf("main worktree is on %q, %v", ref, err)
	}
}

// A work tree kept apart from its repository is found by variables only.
func TestOpen_apart_RP29(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	if err := os.Rename(filepath.Join(repo.Dir, ".git"), repo.Dir+".git"); err != nil {
		t.Fatal(err)
	}
	apart := repo.With("GIT_DIR="+repo.Dir+".git", "GIT_WORK_TREE="+repo.Dir)
	got := apart.Open()
	if got.WorkTree() != repo.Dir || got.GitDir() != repo.Dir+".git" {
		t.Errorf("WorkTree %q, GitDir %q", got.WorkTree(), got.GitDir())
	}
	if status, err := got.Status(t.Context()); err != nil || len(status) != 0 {
		t.Errorf("%v %v", status, err)
	}
}

func TestOpen_oldGit_RP31(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	bin := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = version ] && echo git version 2.30.0 && exit\nPATH=" + os.Getenv("PATH") + " exec git \"$@\"\n"
	gitopstest.WriteProgram(t, filepath.Join(bin, "git"), script)
	_, err := gitops.Open(t.Context(), repo.With("PATH="+bin).Env())
	wantError(t, err, "git 2.30.0 found, 2.38 or newer needed", "git-scm.com")
	_, err = gitops.Open(t.Context(), repo.With("PATH="+t.TempDir()).Env())
	wantError(t, err, "git not found, 2.38 or newer needed", "git-scm.com")
}

func TestIdentity_missing_RP08(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	name, email, err := repo.Open().Identity(t.Context())
	if err != nil || name != gitopstest.Name || email != gitopstest.Email {
		t.Errorf("%q %q %v", name, email, err)
	}
	repo.Git("config", "--global", "--unset", "user.email")
	repo.Git("config", "--global", "user.useConfigOnly", "true")
	_, _, err = repo.Open().Identity(t.Context())
	wantError(t, err, "git does not know who you are", "git config --global user.name")
	_, err = repo.Open().CommitTree(t.Context(), gitops.CommitRequest{Tree: repo.Rev("HEAD^{tree}"), Message: "x"})
	if _, ok := errors.AsType[*gitops.IdentityError](err); !ok {
		t.Errorf("CommitTree: %v", err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	include := filepath.Join(t.TempDir(), "more")
	if err := os.WriteFile(include, []byte("[agentd \"Sub\"]\n\tKey = one\n\tKey = two\n\tflag\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	repo.Git("config", "include.path", include)
	repo.Git("config", "a.no", "off")
	repo.Git("config", "a.number", "2")
	repo.Git("config", "a.bad", "perhaps")
	repo.Git("config", "a.lines", "x\ny")
	got := repo.Open()
	for key, want := range map[string]string{"agentd.Sub.key": "two", "AGENTD.Sub.KEY": "two", "a.lines": "x\ny", "user.NAME": gitopstest.Name} {
		if value, ok, err := got.Config(t.Context(), key); value != want || !ok || err != nil {
			t.Errorf("%s: %q %t %v", key, value, ok, err)
		}
	}
	if _, ok, _ := got.Config(t.Context(), "agentd.sub.key"); ok {
		t.Error("the middle of a key was compared without case")
	}
	for key, want := range map[string]bool{"agentd.Sub.flag": true, "a.no": false, "a.number": true, "a.missing": false} {
		if value, err := got.ConfigBool(t.Context(), key); value != want || err != nil {
			t.Errorf("%s: %t %v", key, value, err)
		}
	}
	if _, err := got.ConfigBool(t.Context(), "a.bad"); err == nil {
		t.Error("perhaps is not a boolean")
	}
}

func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Git("branch", "trunk")
	repo.Git("config", "init.defaultBranch", "trunk")
	if branch, err := repo.Open().DefaultBranch(t.Context()); branch != "trunk" || err != nil {
		t.Errorf("configured: %q %v", branch, err)
	}
	clone := repo.Clone()
	clone.Git("switch", "--quiet", "-c", "work")
	clone.Git("branch", "-D", "main")
	if branch, err := clone.Open().DefaultBranch(t.Context()); branch != "main" || err != nil {
		t.Errorf("of the remote: %q %v", branch, err)
	}
	repo.Git("branch", "-m", "trunk", "one")
	repo.Git("branch", "-m", "main", "two")
	if branch, err := repo.Open().DefaultBranch(t.Context()); branch != "two" || err != nil {
		t.Errorf("checked out: %q %v", branch, err)
	}
}

func wantError(t *testing.T, err error, text, hint string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("error %v, want one with %q", err, text)
	}
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), hint) {
		t.Fatalf("error %v has no hint with %q", err, hint)
	}
}
