package gitops_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestWriteTree(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	base := repo.Rev("main^{tree}")
	folder := repo.Rev("main:agentd/changes")
	blob := repo.Rev("main:README.md")
	for _, tt := range []struct {
		name  string
		base  gitops.ID
		edits []gitops.Edit
		want  string // ls-tree -r --name-only, "" for the base itself
	}{
		{"nothing", base, nil, "README.md agentd/changes/x/STATE.yaml agentd/changes/x/proposal.md"},
		{"from nothing", "", []gitops.Edit{{Path: "a/b", Content: []byte("x")}}, "a/b"},
		{"delete what is not there", base, []gitops.Edit{{Path: "no/such/file", Delete: true}, {Path: "README.md/x", Delete: true}}, "README.md agentd/changes/x/STATE.yaml agentd/changes/x/proposal.md"},
		{"delete a folder", base, []gitops.Edit{{Path: "agentd/changes", Delete: true}}, "README.md"},
		{"delete the last file of a folder", base, []gitops.Edit{{Path: "agentd/changes/x/STATE.yaml", Delete: true}, {Path: "agentd/changes/x/proposal.md", Delete: true}}, "README.md"},
		{"delete everything", base, []gitops.Edit{{Path: "agentd", Delete: true}, {Path: "README.md", Delete: true}}, ""},
		{"move a folder by name", base, []gitops.Edit{{Path: "agentd/changes", Delete: true}, {Path: "agentd/archive", Mode: gitops.ModeTree, ID: folder}}, "README.md agentd/archive/x/STATE.yaml agentd/archive/x/proposal.md"},
		{"a blob by name", base, []gitops.Edit{{Path: "agentd", Delete: true}, {Path: "copy", ID: blob}}, "README.md copy"},
		{"an empty file", "", []gitops.Edit{{Path: "empty"}}, "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := repo.Open().WriteTree(t.Context(), tt.base, tt.edits)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(repo.Git("ls-tree", "-r", "--name-only", string(tree))), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	repo.Git("fsck", "--strict")
}

// The same edits through git's own index give the same tree.
func TestWriteTree_agreesWithGit_RP27(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789abcdef\n"), 1<<16)
	for _, shape := range []gitopstest.Shape{gitopstest.Plain, gitopstest.SHA256, gitopstest.Alternates, gitopstest.Shallow, gitopstest.Partial} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello)
			tree, err := repo.Open().WriteTree(t.Context(), repo.Rev("main^{tree}"), []gitops.Edit{
				{Path: "agentd/changes/x/STATE.yaml", Content: []byte("phase: challenged\n")},
				{Path: "agentd/changes/x/specs/a.md", Content: []byte("a\n")},
				{Path: "big", Content: big},
				{Path: "README.md", Delete: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			repo.Write("agentd/changes/x/STATE.yaml", "phase: challenged\n")
			repo.Write("agentd/changes/x/specs/a.md", "a\n")
			repo.Write("big", string(big))
			repo.Git("rm", "--quiet", "README.md")
			repo.Git("add", "--all")
			if want := repo.Git("write-tree"); string(tree) != want {
				t.Errorf("tree %s, git makes %s", tree, want)
			}
			repo.Git("fsck", "--full")
		})
	}
}

// What a worktree has become replaces what was committed, whatever kind the two are of.
func TestWriteTree_replacesKinds(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, "\n-- file --\nf\n-- folder/a --\na\n-- folder/deep/b --\nb\n-- kept --\nk\n")
	for _, link := range []string{"link", "way"} {
		repo.Git("update-index", "--add", "--cacheinfo", "120000,"+string(repo.Rev("main:file"))+","+link)
	}
	repo.Git("update-index", "--add", "--cacheinfo", "160000,"+string(repo.Rev("main"))+",module")
	repo.Git("commit", "--quiet", "-m", "kinds")
	gone := func(path string) gitops.Edit { return gitops.Edit{Path: path, Delete: true, Replace: true} }
	is := func(path string) gitops.Edit { return gitops.Edit{Path: path, Content: []byte("x"), Replace: true} }
	edits := []gitops.Edit{
		gone("file"), is("file/below"),
		gone("folder/a"), gone("folder/deep/b"), is("folder"),
		is("link"), gone("way"), is("way/there"), gone("module"), is("module/f"),
	}
	const want = "file/below folder kept link module/f way/there"
	for _, name := range []string{"as git lists them", "backwards"} {
		tree, err := repo.Open().WriteTree(t.Context(), repo.Rev("main^{tree}"), edits)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(strings.Fields(repo.Git("ls-tree", "-r", "--name-only", string(tree))), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got := repo.Git("ls-tree", "-r", "--format=%(objectmode)", string(tree)); strings.ReplaceAll(got, "100644", "") != strings.Repeat("\n", 5) {
			t.Errorf("%s: modes %q", name, got)
		}
		slices.Reverse(edits)
	}
}

// A committed link or a nested repository on the path of a change stops everything before anything is written.
func TestWriteTree_refusals_ID18_ID19(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	repo.Git("update-index", "--add", "--cacheinfo", "120000,"+string(repo.Rev("main:README.md"))+",agentd/changes/link")
	repo.Git("update-index", "--add", "--cacheinfo", "160000,"+string(repo.Rev("main"))+",agentd/changes/x/n")
	repo.Git("commit", "--quiet", "-m", "traps")
	base := repo.Rev("main^{tree}")
	for _, tt := range []struct {
		name, want string
		edits      []gitops.Edit
	}{
		{"ID-18 link on the way", "agentd/changes/link is a symbolic link", []gitops.Edit{{Path: "agentd/changes/link/STATE.yaml"}}},
		{"ID-18 link itself", "agentd/changes/link is a symbolic link", []gitops.Edit{{Path: "agentd/changes/link"}}},
		{"ID-19 submodule on the way", "nested git repository in agentd/changes/x/n", []gitops.Edit{{Path: "agentd/changes/x/n/f"}}},
		{"file on the way", "README.md is a file, not a folder", []gitops.Edit{{Path: "README.md/x"}}},
		{"folder as file", "agentd/changes is a tree, not a blob", []gitops.Edit{{Path: "agentd/changes"}}},
		{"leaves the repository", `".." is not a name`, []gitops.Edit{{Path: "../x"}}},
		{"into .git", `".Git" is not a name`, []gitops.Edit{{Path: ".Git/config"}}},
		{"absolute", `"" is not a name`, []gitops.Edit{{Path: "/etc/passwd"}}},
		{"twice", `more than one edit of "a"`, []gitops.Edit{{Path: "a"}, {Path: "a"}}},
		{"inside each other", "exclude each other", []gitops.Edit{{Path: "a"}, {Path: "a/b"}}},
		{"outside each other", "exclude each other", []gitops.Edit{{Path: "a/b"}, {Path: "a"}}},
		{"an object that is not there", "not found", []gitops.Edit{{Path: "a", ID: gitops.ID(strings.Repeat("1", 40))}}},
		{"an object of another kind", "is a commit", []gitops.Edit{{Path: "a", ID: repo.Rev("main")}}},
		{"a folder without a name", "needs an id", []gitops.Edit{{Path: "a", Mode: gitops.ModeTree}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := repo.Git("count-objects")
			_, err := repo.Open().WriteTree(t.Context(), base, tt.edits)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if after := repo.Git("count-objects"); after != before {
				t.Errorf("objects were written: %s, before %s", after, before)
			}
		})
	}
	_, err := repo.Open().WriteTree(t.Context(), base, []gitops.Edit{{Path: "agentd/changes/link/x"}})
	if link, ok := errors.AsType[*gitops.SymlinkError](err); !ok || link.Path != "agentd/changes/link" {
		t.Errorf("%v", err)
	}
}

func TestDiffTrees_ID20(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	odd := "odd/-dash\nbreak"
	repo.Git("config", "diff.noprefix", "true")
	repo.Git("config", "diff.renames", "copies")
	repo.Write(odd, repo.Read("README.md"))
	repo.Git("mv", "README.md", "READ.md")
	repo.Git("update-index", "--chmod=+x", "agentd/changes/x/STATE.yaml")
	repo.Git("add", "-A")
	repo.Git("update-index", "--chmod=+x", "agentd/changes/x/STATE.yaml")
	repo.Git("commit", "--quiet", "-m", "second")
	got := repo.Open()
	changes, err := got.DiffTrees(t.Context(), repo.Rev("main~1"), repo.Rev("main"))
	if err != nil {
		t.Fatal(err)
	}
	text, state := repo.Rev("main:READ.md"), repo.Rev("main:agentd/changes/x/STATE.yaml")
	want := []gitops.FileChange{
		{Path: "READ.md", NewMode: gitops.ModeFile, NewID: text},
		{Path: "README.md", OldMode: gitops.ModeFile, OldID: text},
		{Path: "agentd/changes/x/STATE.yaml", OldMode: gitops.ModeFile, NewMode: gitops.ModeExecutable, OldID: state, NewID: state},
		{Path: odd, NewMode: gitops.ModeFile, NewID: text},
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	objects, err := got.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	changes, err = objects.DiffCommits(repo.Rev("main~1"), repo.Rev("main"))
	if diff := cmp.Diff(want, changes); diff != "" || err != nil {
		t.Errorf("in process: %v (-want +got):\n%s", err, diff)
	}
	if all, err := got.DiffTrees(t.Context(), "", repo.Rev("main")); err != nil || len(all) != 4 {
		t.Errorf("from nothing: %v %v", all, err)
	}
}

// Files that become folders, submodules, links and modes: both ways of comparing see the same.
func TestDiffTrees_agree(t *testing.T) {
	t.Parallel()
	for _, shape := range []gitopstest.Shape{gitopstest.Plain, gitopstest.SHA256} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := shape.New(t, hello+"-- a --\n-- b/c/d --\n-- b.x --\n-- e/f --\n-- g --\n")
			repo.Sh(`rm -r a b e; mkdir a; echo 1 >a/x; echo 2 >b; ln -s g e; git rm -q g; chmod +x README.md`)
			repo.Git("add", "--all")
			repo.Git("update-index", "--add", "--cacheinfo", "160000,"+string(repo.Rev("main"))+",sub")
			repo.Git("commit", "--quiet", "-m", "second")
			repo.Git("commit", "--quiet", "--allow-empty", "-m", "third")
			got := repo.Open()
			objects, err := got.Objects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer objects.Close()
			for _, pair := range [][2]gitops.ID{
				{repo.Rev("main~2"), repo.Rev("main")}, {repo.Rev("main"), repo.Rev("main~2")}, {repo.Rev("main~1"), repo.Rev("main")},
				{"", repo.Rev("main")}, {repo.Rev("main"), ""}, {"", ""},
			} {
				theirs, errTheirs := got.DiffTrees(t.Context(), pair[0], pair[1])
				ours, errOurs := objects.DiffCommits(pair[0], pair[1])
				if diff := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); diff != "" || errTheirs != nil || errOurs != nil {
					t.Errorf("%v %v (-git +ours):\n%s", errTheirs, errOurs, diff)
				}
			}
		})
	}
}

func TestMergeBase(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	base := repo.Rev("main")
	repo.Git("switch", "--quiet", "-c", "side")
	side := repo.Commit("side")
	repo.Git("switch", "--quiet", "main")
	main := repo.Commit("main")
	repo.Git("switch", "--quiet", "--orphan", "alone")
	alone := repo.Commit("alone")
	got := repo.Open()
	if id, ok, err := got.MergeBase(t.Context(), side, main); id != base || !ok || err != nil {
		t.Errorf("%s %t %v", id, ok, err)
	}
	if id, ok, err := got.MergeBase(t.Context(), side, alone); id != "" || ok || err != nil {
		t.Errorf("unrelated: %s %t %v", id, ok, err)
	}
	for _, tt := range []struct {
		a, b gitops.ID
		want bool
	}{{base, side, true}, {side, base, false}, {side, main, false}, {main, main, true}} {
		if yes, err := got.IsAncestor(t.Context(), tt.a, tt.b); yes != tt.want || err != nil {
			t.Errorf("IsAncestor(%s, %s): %t %v", tt.a, tt.b, yes, err)
		}
	}
	if _, err := got.IsAncestor(t.Context(), base, gitops.ID(strings.Repeat("1", 40))); err == nil {
		t.Error("a commit that is not there has ancestors")
	}
}
