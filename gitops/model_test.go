package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/google/go-cmp/cmp"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// go-git, reading by itself, must agree with what we read through git, wherever it can open the repository.
func TestObjects_agreeWithSecondReader_RP27(t *testing.T) {
	t.Parallel()
	// Shapes that go-git v5.19 reads wrongly or not at all.
	unreadable := map[gitopstest.Shape]string{
		gitopstest.SHA256:         "names of 20 bytes",
		gitopstest.Sparse:         "extensions.worktreeConfig",
		gitopstest.SparseIndex:    "extensions.worktreeConfig",
		gitopstest.WorktreeConfig: "extensions.worktreeConfig",
		gitopstest.Partial:        "extensions.partialClone",
		gitopstest.Alternates:     "objects of the alternate",
		gitopstest.Reftable:       "extensions.refStorage",
	}
	for _, shape := range gitopstest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			if shape.HasWorktree() {
				oddCommits(repo)
			}
			second, err := gogit.PlainOpenWithOptions(repo.Dir, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
			_, known := unreadable[shape]
			if err != nil {
				if !known {
					t.Errorf("go-git: %v", err)
				}
				return
			}
			agree(t, repo, second, known)
		})
	}
}

// oddCommits makes commits of every form that objects have in the wild.
func oddCommits(repo *gitopstest.Repo) {
	repo.Write("folder/file", "x")
	repo.Write("folder.txt", "sorts between")
	repo.Commit("Ünïcode subject\n\nbody\n\nAgentd-Phase: none")
	repo.Git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "--allow-empty", "-m", "latin")
	repo.Git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", "")
	repo.Git("branch", "side")
	repo.Git("commit", "--quiet", "--allow-empty", "-m", "one")
	repo.Git("merge", "--quiet", "--no-ff", "-m", "merge", "side", "main~1")
	raw := repo.Git("cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(raw, "\n\n")
	signed := head + "\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n \n -----END SSH SIGNATURE-----\nother header\n\n" + message + "\n\n  indented, then nothing"
	path := filepath.Join(repo.Home, "raw")
	if os.WriteFile(path, []byte(signed), 0o644) == nil {
		repo.Git("update-ref", "refs/heads/signed", repo.Git("hash-object", "-t", "commit", "-w", path))
	}
}

func agree(t *testing.T, repo *gitopstest.Repo, second *gogit.Repository, partly bool) {
	t.Helper()
	got := repo.Open()
	refs, err := got.Refs(t.Context(), "refs/heads/")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := got.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	seen := 0
	for _, ref := range refs {
		theirs, err := second.Reference(plumbing.ReferenceName(ref.Name), true)
		if err != nil || theirs.Hash().String() != string(ref.ID) {
			t.Errorf("%s: %s, go-git %v %v", ref.Name, ref.ID, theirs, err)
			continue
		}
		for commit, err := range objects.FirstParents(ref.ID) {
			if errors.Is(err, gitops.ErrNotFound) && repo.Git("rev-parse", "--is-shallow-repository") == "true" {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			other, err := second.CommitObject(plumbing.NewHash(string(commit.ID)))
			if err != nil && partly {
				continue
			}
			if err != nil {
				t.Fatalf("go-git: %v", err)
			}
			seen++
			if diff := cmp.Diff(convert(other), commit); diff != "" {
				t.Errorf("commit (-go-git +ours):\n%s", diff)
			}
			sameTree(t, got, objects, second, commit.Tree)
		}
	}
	if seen == 0 && !partly {
		t.Error("nothing was compared")
	}
}

func convert(c *object.Commit) gitops.Commit {
	out := gitops.Commit{
		ID: gitops.ID(c.Hash.String()), Tree: gitops.ID(c.TreeHash.String()),
		Author: gitops.Signature(c.Author), Committer: gitops.Signature(c.Committer), Message: c.Message,
	}
	for _, parent := range c.ParentHashes {
		out.Parents = append(out.Parents, gitops.ID(parent.String()))
	}
	return out
}

func sameTree(t *testing.T, repo *gitops.Repo, objects *gitops.Objects, second *gogit.Repository, id gitops.ID) {
	t.Helper()
	entries, err := objects.Tree(id)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := second.TreeObject(plumbing.NewHash(string(id)))
	if err != nil {
		t.Fatal(err)
	}
	var theirs []gitops.Entry
	for _, e := range tree.Entries {
		theirs = append(theirs, gitops.Entry{Name: e.Name, Mode: gitops.Mode(e.Mode), ID: gitops.ID(e.Hash.String())})
	}
	if diff := cmp.Diff(theirs, entries); diff != "" {
		t.Errorf("tree %s (-go-git +ours):\n%s", id, diff)
	}
	if name, err := repo.HashTree(entries); name != id || err != nil {
		t.Errorf("HashTree of %s: %s %v", id, name, err)
	}
}

// Names that we compute are those that git gives, in both object formats.
func TestHashTree_agreesWithGit(t *testing.T) {
	t.Parallel()
	for _, shape := range []gitopstest.Shape{gitopstest.Plain, gitopstest.SHA256} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello+"-- a-b --\n-- a/x --\n-- a.b --\n-- a0 --\n")
			oddCommits(repo)
			got := repo.Open()
			objects, err := got.Objects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer objects.Close()
			for commit, err := range objects.FirstParents(repo.Rev("main")) {
				if err != nil {
					t.Fatal(err)
				}
				if want := strings.TrimSpace(repo.Git("log", "-1", "--format=%T %P", string(commit.ID))); want != strings.TrimSpace(string(commit.Tree)+" "+joinIDs(commit.Parents)) {
					t.Errorf("commit %s: %v", commit.ID, commit)
				}
				if commit.Author.Name != gitopstest.Name || commit.Committer.When.UTC().Format("2006-01-02T15:04:05Z") != "2026-01-02T03:04:05Z" {
					t.Errorf("commit %s: %v", commit.ID, commit)
				}
				entries, err := objects.Tree(commit.Tree)
				if err != nil {
					t.Fatal(err)
				}
				var listing strings.Builder
				for _, e := range entries {
					listing.WriteString(e.Mode.String() + " " + map[gitops.Mode]string{gitops.ModeTree: "tree"}[e.Mode] + map[bool]string{true: "blob"}[e.Mode.IsFile()] + " " + string(e.ID) + "\t" + e.Name + "\n")
				}
				if want := repo.Git("ls-tree", string(commit.Tree)) + "\n"; listing.String() != want {
					t.Errorf("ls-tree says\n%swe\n%s", want, listing.String())
				}
				if id, err := got.HashTree(entries); id != commit.Tree || err != nil {
					t.Errorf("HashTree %s %v, want %s", id, err, commit.Tree)
				}
			}
		})
	}
}

func joinIDs(ids []gitops.ID) string {
	var all []string
	for _, id := range ids {
		all = append(all, string(id))
	}
	return strings.Join(all, " ")
}

func TestHashTree_refusals(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello).Open()
	blob, err := repo.HashBlob(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", ".git", ".GIT", "a/b", "a\x00"} {
		if _, err := repo.HashTree([]gitops.Entry{{Name: name, Mode: gitops.ModeFile, ID: blob}}); err == nil {
			t.Errorf("name %q was accepted", name)
		}
	}
	for _, e := range []gitops.Entry{{Name: "a", Mode: 0o100664, ID: blob}, {Name: "a", ID: blob}, {Name: "a", Mode: gitops.ModeFile, ID: "abc"}} {
		if _, err := repo.HashTree([]gitops.Entry{e}); err == nil {
			t.Errorf("entry %v was accepted", e)
		}
	}
	twice := gitops.Entry{Name: "a", Mode: gitops.ModeFile, ID: blob}
	if _, err := repo.HashTree([]gitops.Entry{twice, twice}); err == nil {
		t.Error("the same name twice was accepted")
	}
}

func TestObjects_Lookup_ID20(t *testing.T) {
	t.Parallel()
	odd := "odd/-dash\nbreak \"quoted\" :(glob)*"
	repo := gitopstest.New(t, hello)
	repo.Write(odd, "odd\n")
	repo.Commit("odd")
	objects, err := repo.Open().Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	for range 2 { // an answer must leave the next one in step
		for _, missing := range []string{"main:nothing", "main:" + odd + "\nmore", "nowhere:x", "", "main:\n\n", strings.Repeat("0", 40)} {
			if _, _, _, err := objects.Lookup(missing); !errors.Is(err, gitops.ErrNotFound) {
				t.Errorf("%q: %v", missing, err)
			}
		}
		id, kind, content, err := objects.Lookup("main:" + odd)
		if err != nil || kind != "blob" || string(content) != "odd\n" || id != repo.Rev("main:"+odd) {
			t.Errorf("%q %q %q %v", id, kind, content, err)
		}
		if _, kind, _, err := objects.Lookup("main:agentd"); kind != "tree" || err != nil {
			t.Errorf("%q %v", kind, err)
		}
		if _, err := objects.Commit(id); err == nil || !strings.Contains(err.Error(), "is a blob, not a commit") {
			t.Errorf("a blob as commit: %v", err)
		}
		if _, err := objects.Blob(""); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("no name: %v", err)
		}
	}
}

// What is written after the reader's start is seen, and what a replace ref says is not.
func TestObjects_freshAndReal(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	got := repo.Open()
	objects, err := got.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	first := repo.Rev("main")
	if _, err := objects.Commit(first); err != nil {
		t.Fatal(err)
	}
	forged := repo.Commit("forged")
	repo.Git("replace", string(first), string(forged))
	if c, err := objects.Commit(forged); err != nil || c.Message != "forged\n" {
		t.Errorf("new commit: %v %v", c, err)
	}
	if c, err := objects.Commit(first); err != nil || c.Message != "first\n" {
		t.Errorf("replaced commit: %v %v", c, err)
	}
}
