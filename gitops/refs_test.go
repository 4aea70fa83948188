package gitops_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestRefs(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	main := repo.Rev("main")
	repo.Git("branch", "agentd/b")
	repo.Git("branch", "agentd/a")
	repo.Git("branch", "agentdx")
	repo.Git("symbolic-ref", "refs/heads/agentd/alias", "refs/heads/main")
	refs, err := repo.Open().Refs(t.Context(), "refs/heads/agentd/")
	want := []gitops.Ref{{Name: "refs/heads/agentd/a", ID: main}, {Name: "refs/heads/agentd/b", ID: main}}
	if diff := cmp.Diff(want, refs); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if all, err := repo.Open().Refs(t.Context()); err != nil || len(all) != 4 {
		t.Errorf("all: %v %v", all, err)
	}
}

// One process, whatever the user has configured, in every shape: messages are raw.
func TestRefMessages_shapes_RP27_RP30(t *testing.T) {
	t.Parallel()
	for _, shape := range gitopstest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			repo.Hostile()
			got := repo.Open()
			want := map[string]string{}
			for i := range 3 {
				req := request(repo)
				req.Message = fmt.Sprintf("%d\n\n%s", i, message)
				id, err := got.CommitTree(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("refs/heads/agentd/c%d", i)
				repo.Git("update-ref", name, string(id))
				want[name] = req.Message
			}
			repo.Git("symbolic-ref", "refs/heads/agentd/alias", "refs/heads/main")
			repo.Git("tag", "-a", "-m", "tag", "t", "main")
			repo.Git("update-ref", "refs/agentd/tag", repo.Git("rev-parse", "t"))
			have := map[string]string{}
			for ref, err := range got.RefMessages(t.Context(), "refs/heads/agentd/", "refs/agentd/") {
				if err != nil {
					t.Fatal(err)
				}
				have[ref.Name] = ref.Commit.Message
				if ref.ID != repo.Rev(ref.Name) || ref.Commit.ID != ref.ID || len(ref.Commit.Parents) != 1 || ref.Commit.Tree != repo.Rev("main^{tree}") {
					t.Errorf("%+v", ref)
				}
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for range got.RefMessages(t.Context()) {
				break // leaving early must not hang
			}
		})
	}
}

func TestRefMessages_broken(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Write(".git/refs/heads/agentd/lost", strings.Repeat("1", 40)+"\n")
	var failed error
	for _, err := range repo.Open().RefMessages(t.Context(), "refs/heads/") {
		failed = errors.Join(failed, err)
	}
	if failed == nil || !strings.Contains(failed.Error(), "refs/heads/agentd/lost") {
		t.Errorf("a reference to a lost commit: %v", failed)
	}
}

func TestUpdateRefs(t *testing.T) {
	t.Parallel()
	for _, shape := range []gitopstest.Shape{gitopstest.Plain, gitopstest.Bare, gitopstest.SHA256, gitopstest.Packed, gitopstest.Linked} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			got, ctx := repo.Open(), t.Context()
			one := repo.Rev("main")
			two, err := got.CommitTree(ctx, request(repo))
			if err != nil {
				t.Fatal(err)
			}
			const a, b = "refs/heads/agentd/a", "refs/agentd/archive/a/1"
			if err := got.UpdateRefs(ctx, "make\nboth", gitops.RefUpdate{Name: a, New: one}, gitops.RefUpdate{Name: b, New: one}); err != nil {
				t.Fatal(err)
			}
			if log := repo.Git("reflog", "--format=%gs", b); log != "make both" {
				t.Errorf("reflog %q", log)
			}
			// One stale value stops all.
			err = got.UpdateRefs(ctx, "", gitops.RefUpdate{Name: a, Old: one, New: two}, gitops.RefUpdate{Name: b, Old: two, New: one})
			moved, ok := errors.AsType[*gitops.MovedError](err)
			if !ok || *moved != (gitops.MovedError{Ref: b, Want: two, Have: one}) {
				t.Errorf("%v", err)
			}
			if _, ok := errors.AsType[*gitops.MovedError](got.UpdateRefs(ctx, "", gitops.RefUpdate{Name: a, New: two})); !ok {
				t.Error("made although it exists")
			}
			if _, ok := errors.AsType[*gitops.MovedError](got.UpdateRefs(ctx, "", gitops.RefUpdate{Name: a, Old: two, New: two})); !ok {
				t.Error("a check passed that should not")
			}
			if _, ok := errors.AsType[*gitops.MovedError](got.UpdateRefs(ctx, "", gitops.RefUpdate{Name: "refs/heads/none", Old: one})); !ok {
				t.Error("deleted what is not there")
			}
			if repo.Rev(a) != one || repo.Rev(b) != one {
				t.Error("something has moved")
			}
			if err := got.UpdateRefs(ctx, "", gitops.RefUpdate{Name: a, Old: one, New: two}, gitops.RefUpdate{Name: b, Old: one}); err != nil {
				t.Fatal(err)
			}
			refs, err := got.Refs(ctx, "refs/heads/agentd/", "refs/agentd/")
			if diff := cmp.Diff([]gitops.Ref{{Name: a, ID: two}}, refs); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestUpdateRefs_names_ID20(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	for _, name := range []string{"", "main", "HEAD", "refs/heads/a b", "refs/heads/a\x00", "refs/heads/a\ndelete refs/heads/main", "refs/heads/../x", "refs/heads/x.lock"} {
		if err := repo.Open().UpdateRefs(t.Context(), "", gitops.RefUpdate{Name: name, New: repo.Rev("main")}); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

func TestUpdateRefs_blockingBranch_ID10(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	main := repo.Rev("main")
	repo.Git("branch", "agentd")
	err := repo.Open().UpdateRefs(t.Context(), "", gitops.RefUpdate{Name: "refs/heads/agentd/x", New: main})
	wantError(t, err, `branch "agentd" blocks branches under agentd/`, "git branch -m agentd")
	repo.Git("branch", "-m", "agentd", "other/x")
	err = repo.Open().UpdateRefs(t.Context(), "", gitops.RefUpdate{Name: "refs/heads/other", New: main})
	wantError(t, err, `branch "other/x" blocks a branch named "other"`, "git branch -m other/x")
}

func TestUpdateRefs_locked_RP07(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	lock := ".git/refs/heads/agentd/x.lock"
	repo.Write(lock, "")
	err := repo.Open().UpdateRefs(t.Context(), "", gitops.RefUpdate{Name: "refs/heads/agentd/x", New: repo.Rev("main")})
	wantError(t, err, lock+" exists and is", "rm ")
	if !repo.Exists(lock) {
		t.Error("the lock was removed")
	}
}

func TestUpdateRefs_hookRefuses_RP10(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Hook("reference-transaction", "echo frozen >&2; exit 1")
	err := repo.Open().UpdateRefs(t.Context(), "", gitops.RefUpdate{Name: "refs/heads/agentd/x", New: repo.Rev("main")})
	wantError(t, err, "the reference-transaction hook refused", "satisfy the hook")
}
