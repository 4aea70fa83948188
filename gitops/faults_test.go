//go:build unix

package gitops_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestTransition_diskFull_RP12(t *testing.T) {
	t.Parallel()
	t.Run("while objects are written", func(t *testing.T) {
		t.Parallel()
		repo := gitopstest.New(t, hello)
		watch := gitopstest.Watch(t, repo)
		child := start(t, repo, "full object")
		if err := child.cmd.Wait(); err == nil || !strings.Contains(child.said(), "write 6 objects: git unpack-objects: ended by signal") {
			t.Errorf("%v: %s", err, child.said())
		}
		watch.Check()
	})
	t.Run("while the files are made ready", func(t *testing.T) {
		t.Parallel()
		repo := gitopstest.New(t, hello)
		watch := gitopstest.Watch(t, repo)
		child := start(t, repo, "full file")
		if err := child.cmd.Wait(); err == nil || !strings.Contains(child.said(), "moved false left 0") {
			t.Errorf("%v: %s", err, child.said())
		}
		watch.Check() // not even the branch has moved
		lock, err := repo.Open().Lock(t.Context(), "x", "me")
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Unlock()
		if rec, found, err := lock.Recover(t.Context()); found || err != nil {
			t.Errorf("%+v %t %v", rec, found, err)
		}
	})
}

// Root writes everywhere, so an object store that takes nothing is one whose folders are files.
func TestTransition_unwritable_RP13(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	base := repo.Rev("main^{tree}")
	for n := range 256 {
		if fan := fmt.Sprintf(".git/objects/%02x", n); !repo.Exists(fan) {
			repo.Write(fan, "")
		}
	}
	_, err := repo.Open().WriteTree(t.Context(), base, someEdits)
	if git, ok := errors.AsType[*gitops.GitError](err); !ok || !strings.Contains(err.Error(), "write 14 objects") || git.Code != 128 {
		t.Errorf("%v", err)
	}
}

// A program that nobody trusts changes what git obeys, and every way of it is seen.
func TestFingerprint_AG12_AG14(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script string   // what the agent does; what comes before "--" in it, the person has done
		want   []string // kind, path from the top, detail
	}{
		{"AG-12 config", "git config core.hooksPath /tmp/evil", []string{"config .git/config core.hookspath"}},
		{"AG-12 config that leaves no key", "echo '# hi' >>.git/config", []string{"config .git/config "}},
		{"AG-12 global config", "git config --global alias.status '!evil'", []string{"config ~/.gitconfig alias.status"}},
		{"AG-12 included config", "echo '[core]\n\tpager = evil' >>$HOME/included", []string{"config ~/included core.pager"}},
		{"AG-12 config.worktree", "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil", []string{
			"config .git/config extensions.worktreeconfig", "config .git/config.worktree new",
		}},
		{"AG-12 hook", "echo evil >.git/hooks/pre-commit", []string{"hook .git/hooks/pre-commit new"}},
		{"AG-12 hook made executable", "chmod +x .git/hooks/there", []string{"hook .git/hooks/there "}},
		{"AG-12 hook in another folder", "echo evil >.git/hooks/deep/x", []string{"hook .git/hooks/deep/x "}},
		{"AG-12 a hook that others call", "mkdir -p .git/agentd/hooks; echo evil >.git/agentd/hooks/pre-push", []string{"hook .git/agentd/hooks/pre-push new"}},
		{"AG-12 hooks behind a link", "mv .git/hooks ~/hooks; ln -s ~/hooks .git/hooks --\necho evil >.git/hooks/pre-commit", []string{"hook ~/hooks/pre-commit new"}},
		{"AG-12 hooks at home", "mkdir ~/hooks; git config core.hooksPath '~/hooks' --\necho evil >~/hooks/pre-commit", []string{"hook ~/hooks/pre-commit new"}},
		{"AG-12 attributes", "echo '* filter=evil' >.git/info/attributes", []string{"info .git/info/attributes new"}},
		{"AG-12 exclude", "echo secret >>.git/info/exclude", []string{"info .git/info/exclude "}},
		{"AG-12 grafts", "git rev-parse HEAD >.git/info/grafts", []string{"info .git/info/grafts new"}},
		{"AG-12 alternates", "echo /tmp >.git/objects/info/alternates", []string{"info .git/objects/info/alternates new"}},
		{"AG-12 .gitattributes", "echo '* filter=evil' >.gitattributes", []string{"attributes .gitattributes new"}},
		{"AG-12 .gitmodules", "echo x >.gitmodules", []string{"attributes .gitmodules new"}},
		{"AG-12 another worktree's hooks", "git config extensions.worktreeConfig true; git -C ../linked config --worktree core.hooksPath evil", []string{
			"config .git/config extensions.worktreeconfig", "config .git/worktrees/linked/config.worktree new",
		}},
		{"AG-12 a worktree", "git worktree add -q ../evil -b evil", []string{
			"worktree .git/worktrees/evil/HEAD new", "worktree .git/worktrees/evil/commondir new", "worktree .git/worktrees/evil/gitdir new", "ref refs/heads/evil ",
		}},
		{"AG-12 packed references", "git pack-refs --all", nil},
		{"AG-14 switches branch", "git switch -q other", []string{"HEAD .git/HEAD "}},
		{"AG-14 detaches", "git checkout -q --detach", []string{"HEAD .git/HEAD "}},
		{"AG-14 switches in a linked worktree", "git -C ../linked checkout -q --detach", []string{"HEAD .git/worktrees/linked/HEAD "}},
		{"AG-14 moves another branch", "git branch -f other HEAD~1", []string{"ref refs/heads/other "}},
		{"AG-14 deletes a branch", "git branch -q -D other", []string{"ref refs/heads/other "}},
		{"commits on its own branch", "git commit -q --allow-empty -m mine", nil},
		{"writes files", "echo x >file; git add file; git status", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			repo := gitopstest.New(t, hello)
			repo.Commit("second")
			repo.Git("branch", "other")
			repo.Git("worktree", "add", "--quiet", "-b", "linked", filepath.Join(filepath.Dir(repo.Dir), "linked"))
			repo.Git("config", "include.path", filepath.Join(repo.Home, "included"))
			repo.Write("../home/included", "[a]\n\tb = c\n")
			repo.Write(".git/hooks/there", "x")
			repo.Write(".git/hooks/deep/x", "x")
			setup, script, prepared := strings.Cut(tt.script, " --\n")
			if prepared {
				repo.Sh(setup)
			} else {
				script = setup
			}
			got, ctx := repo.Open(), t.Context()
			before, err := got.Fingerprint(ctx)
			if err != nil {
				t.Fatal(err)
			}
			repo.Sh(script)
			after, err := got.Fingerprint(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, tamper := range before.Diff(after, "refs/heads/main") {
				path := strings.TrimPrefix(strings.ReplaceAll(tamper.Path, repo.Home, "~"), repo.Dir+"/")
				detail := tamper.Detail
				if tamper.Kind == gitops.TamperRef {
					detail = ""
				}
				if tamper.Kind == gitops.TamperHead && strings.Contains(path, "evil") {
					tamper.Kind = gitops.TamperWorktree
				}
				found = append(found, string(tamper.Kind)+" "+path+" "+detail)
			}
			slices.Sort(found)
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if same := after.Diff(after); same != nil {
				t.Errorf("differs from itself: %v", same)
			}
		})
	}
}

func TestTampering_String_AG12(t *testing.T) {
	t.Parallel()
	tamper := gitops.Tampering{Kind: gitops.TamperConfig, Path: ".git/config", Detail: "core.hooksPath"}
	if got := tamper.String(); got != "changed .git/config (core.hooksPath)" {
		t.Error(got)
	}
}
