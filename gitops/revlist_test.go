package gitops_test

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestRepo_Between(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	base := repo.Commit("base")
	repo.Git("switch", "--quiet", "--create", "side")
	a, b := repo.Commit("a"), repo.Commit("b")
	repo.Git("switch", "--quiet", "main")
	other := repo.Commit("other")

	opened := repo.Open()
	for _, row := range []struct {
		name             string
		tips, bases, all []gitops.ID
	}{
		{"a branch", []gitops.ID{b}, []gitops.ID{other}, []gitops.ID{b, a}},
		{"two", []gitops.ID{b, other}, []gitops.ID{base}, []gitops.ID{other, b, a}},
		{"contained", []gitops.ID{a}, []gitops.ID{b}, nil},
		{"nothing asked", nil, []gitops.ID{b}, nil},
	} {
		got, err := opened.Between(t.Context(), row.tips, row.bases)
		slices.Sort(got)
		slices.Sort(row.all)
		if err != nil || !slices.Equal(got, row.all) {
			t.Errorf("%s: got %v, %v, want %v", row.name, got, err, row.all)
		}
	}
}

// A merge touches what it brings to its first parent, and nothing that its branch alone had touched before.
func TestRepo_FirstParentsTouching(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	base := repo.Commit("base")
	repo.Git("switch", "--quiet", "--create", "side")
	repo.Write("folder/a.txt", "a\n")
	repo.Commit("a")
	repo.Git("switch", "--quiet", "main")
	repo.Write("elsewhere.txt", "x\n")
	repo.Commit("elsewhere")
	repo.Git("merge", "--quiet", "--no-edit", "side")
	merge := gitops.ID(repo.Git("rev-parse", "HEAD"))
	repo.Write("folder/b.txt", "b\n")
	tip := repo.Commit("b")
	opened := repo.Open()
	for _, row := range []struct {
		name string
		base gitops.ID
		want []gitops.ID
	}{
		{"since the base", base, []gitops.ID{tip, merge}},
		{"since ever", "", []gitops.ID{tip, merge}},
		{"since the merge", merge, []gitops.ID{tip}},
	} {
		got, err := opened.FirstParentsTouching(t.Context(), tip, row.base, "folder")
		if err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, %v, want %v", row.name, got, err, row.want)
		}
	}
}

// What a merge did is what it brought to its first parent; the first commit brought everything.
func TestRepo_FirstParentChanges(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	root := gitops.ID(repo.Git("rev-list", "--max-parents=0", "HEAD"))
	repo.Git("switch", "--quiet", "--create", "side")
	repo.Write("folder/a b.txt", "a\n")
	repo.Write("elsewhere.txt", "x\n")
	repo.Commit("a")
	repo.Write("folder/c.txt", "c\n")
	repo.Commit("c")
	repo.Git("switch", "--quiet", "main")
	repo.Write("folder/d.txt", "d\n")
	repo.Commit("d")
	repo.Git("merge", "--quiet", "--no-edit", "side")
	merge := gitops.ID(repo.Git("rev-parse", "HEAD"))
	repo.Write("elsewhere.txt", "y\n")
	outside := repo.Commit("outside")
	blob := func(rev string) gitops.ID { return gitops.ID(repo.Git("rev-parse", rev)) }
	got, err := repo.Open().FirstParentChanges(t.Context(), []gitops.ID{outside, merge, root}, "folder", "README.md")
	if err != nil {
		t.Fatal(err)
	}
	added := func(path string, at gitops.ID) gitops.FileChange {
		return gitops.FileChange{Path: path, NewMode: gitops.ModeFile, NewID: blob(string(at) + ":" + path)}
	}
	want := map[gitops.ID][]gitops.FileChange{
		merge: {added("folder/a b.txt", merge), added("folder/c.txt", merge)},
		root:  {added("README.md", root)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Only a signature that holds tells a key; the person's list of allowed signers has no say in it.
func TestRepo_Signers(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Fatal("git signs with ssh-keygen, and it is not here")
	}
	repo := gitopstest.New(t, hello)
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	plain := repo.Commit("plain")
	repo.Git("-c", "gpg.format=ssh", "-c", "user.signingKey="+key, "commit", "--quiet", "--allow-empty", "-S", "-m", "signed")
	signed := gitops.ID(repo.Git("rev-parse", "HEAD"))
	// The same signature under another message.
	forgery := filepath.Join(t.TempDir(), "commit")
	repo.Git("config", "alias.forge", "!git cat-file commit "+string(signed)+" | sed s/signed/forged/ > "+forgery+" && git hash-object -t commit -w "+forgery)
	forged := gitops.ID(repo.Git("forge"))

	got, err := repo.Open().Signers(t.Context(), []gitops.ID{plain, signed, forged})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[signed]) != 1 || len(got[signed][0]) != len("SHA256:")+43 || got[signed][0][:7] != "SHA256:" {
		t.Errorf("got %v, want the fingerprint of the key for %s alone", got, signed)
	}
	if none, err := repo.Open().Signers(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("nothing asked: %v, %v", none, err)
	}
}
