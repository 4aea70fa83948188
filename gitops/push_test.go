package gitops_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// shared is a repository with a branch of a change, and an empty remote "origin".
func shared(t *testing.T) (*gitopstest.Repo, string) {
	t.Helper()
	repo := gitopstest.New(t, hello)
	bare := t.TempDir()
	repo.Git("init", "--quiet", "--bare", bare)
	repo.Git("remote", "add", "origin", bare)
	repo.Git("branch", "agentd/a", "main")
	return repo, bare
}

const changeRef = "refs/heads/agentd/a"

func TestPush_movesForwardAndNeverForces(t *testing.T) {
	t.Parallel()
	repo, bare := shared(t)
	got := repo.Open()
	if tip, err := got.RemoteTip(t.Context(), "origin", changeRef); tip != "" || err != nil {
		t.Errorf("before the push: %q, %v", tip, err)
	}
	first := repo.Rev("agentd/a")
	if err := got.Push(t.Context(), "origin", first, changeRef); err != nil {
		t.Fatal(err)
	}
	// A name that only ends like it is another one.
	repo.Git("-C", bare, "update-ref", "refs/other/"+changeRef, string(first))
	if tip, err := got.RemoteTip(t.Context(), "origin", changeRef); tip != first || err != nil {
		t.Errorf("after the push: %q, %v", tip, err)
	}
	repo.Git("tag", "--annotate", "--message", "v1", "v1", string(first))
	repo.Git("config", "push.followTags", "true")
	if err := got.Push(t.Context(), "origin", first, changeRef); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if tags := repo.Git("-C", bare, "tag"); tags != "" {
		t.Errorf("tags went along: %s", tags)
	}
	theirs := gitops.ID(repo.Git("-C", bare, "commit-tree", "-p", string(first), "-m", "theirs", string(first)+"^{tree}"))
	repo.Git("-C", bare, "update-ref", changeRef, string(theirs))
	ours := gitops.ID(repo.Git("commit-tree", "-p", string(first), "-m", "ours", string(first)+"^{tree}"))
	err := got.Push(t.Context(), "origin", ours, changeRef)
	refused, ok := errors.AsType[*gitops.PushError](err)
	if !ok || !refused.Behind || !strings.Contains(err.Error(), "[rejected]") {
		t.Errorf("over another history: %v", err)
	}
	if tip, _ := got.RemoteTip(t.Context(), "origin", changeRef); tip != theirs {
		t.Errorf("the remote was moved to %s", tip)
	}
}

func TestPush_saysWhoRefused(t *testing.T) {
	t.Parallel()
	repo, bare := shared(t)
	tip := repo.Rev("agentd/a")
	gitopstest.WriteProgram(t, bare+"/hooks/pre-receive", "#!/bin/sh\necho 'GH006: Protected branch update' >&2\nexit 1\n")
	err := repo.Open().Push(t.Context(), "origin", tip, changeRef)
	refused, ok := errors.AsType[*gitops.PushError](err)
	if !ok || refused.Behind || !strings.Contains(err.Error(), "pre-receive hook declined") || !strings.Contains(err.Error(), "\nGH006: Protected branch update") {
		t.Errorf("the remote's hook: %v", err)
	}
	repo.Hook("pre-push", "#!/bin/sh\nread -r line\necho \"not today: $line\" >&2\nexit 1\n")
	err = repo.Open().Push(t.Context(), "origin", tip, changeRef)
	if _, ok := errors.AsType[*gitops.PushError](err); !ok || !strings.Contains(err.Error(), "not today: "+string(tip)) {
		t.Errorf("the person's hook: %v", err)
	}
	_, err = repo.Open().RemoteTip(t.Context(), bare+"/nowhere", changeRef)
	if _, ok := errors.AsType[*gitops.FetchError](err); !ok {
		t.Errorf("a remote that is not there: %v", err)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	before := repo.Rev("main")
	repo.Write("odd [name].txt", "one\n")
	repo.Git("add", "--all")
	repo.Git("commit", "--quiet", "--message", "odd")
	got := repo.Open()
	patch, err := got.Patch(t.Context(), before, repo.Rev("main"), "odd [name].txt")
	if err != nil || !strings.HasSuffix(patch, "\n@@ -0,0 +1 @@\n+one\n") {
		t.Errorf("%v:\n%s", err, patch)
	}
	if patch, err := got.Patch(t.Context(), before, repo.Rev("main"), "other.txt"); patch != "" || err != nil {
		t.Errorf("a file that did not change: %q, %v", patch, err)
	}
}
