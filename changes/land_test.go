package changes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

const (
	mainRef   = "refs/heads/main"
	firstKept = "refs/agentd/archive/add-oauth/1"
)

// archived builds the commit that archives a complete change on main as it is now. No ref moves.
func (w *world) archived(store *changes.Store, c *changes.Change) gitops.ID {
	w.t.Helper()
	tree, conflicts, err := store.Repo.MergeTrees(w.t.Context(), w.Rev("main"), c.Tip)
	if err != nil || len(conflicts) > 0 {
		w.t.Fatal(conflicts, err)
	}
	files, err := c.Files(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	l := changes.Landing{Base: w.Rev("main"), Tree: tree, Entry: "## add-oauth\n\nWhy it is wanted.\n"}
	for name, content := range files {
		l.Edits = append(l.Edits, gitops.Edit{Path: c.ID.Dir() + "/" + name, Delete: true})
		if name != specs.StateFile {
			l.Edits = append(l.Edits, gitops.Edit{Path: c.ID.ArchiveDir() + "/" + name, Content: content})
		}
	}
	const spec = "agentd/specs/greeting.md"
	l.Edits = append(l.Edits, gitops.Edit{Path: spec, Content: files["specs/greeting.md"]})
	after, err := store.Repo.HashBlob(files["specs/greeting.md"])
	if err != nil {
		w.t.Fatal(err)
	}
	l.Specs = []specs.ArchivedSpec{{ID: "greeting", After: string(after)}}
	commit, err := store.ArchiveCommit(w.t.Context(), c, l)
	if err != nil {
		w.t.Fatal(err)
	}
	return commit
}

func TestStore_Land_movesMainAndKeepsTheBranchsTip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phases.Complete)
	w.Sh("echo dirty >> README.md; echo staged > staged.txt; git add staged.txt; echo mine > untracked.txt")
	base := w.Rev("main")
	watch := gitopstest.Watch(t, w.Repo)
	commit := w.archived(store, c)
	watch.Check()
	left, err := store.Land(t.Context(), c, "main", base, commit)
	if err != nil || len(left) > 0 {
		t.Fatalf("left %q, %v", left, err)
	}
	watch.Check(gitopstest.Moved(mainRef, firstKept), gitopstest.Written("src/greeting.txt", "agentd"))
	if w.Rev("main") != commit || w.Rev(firstKept) != c.Tip {
		t.Errorf("main is at %s, the tip is kept as %s", w.Rev("main"), w.Rev(firstKept))
	}
	if got := w.Git("log", "-1", "--format=%P", "main"); got != string(base)+" "+string(c.Tip) {
		t.Errorf("parents %s", got)
	}
	if w.trailer(commit, "Agentd-Phase") != "archived" || w.trailer(commit, "Agentd-From") != "complete" || w.Read("src/greeting.txt") != "hello\n" {
		t.Error("main does not hold the archived change")
	}
	if body := w.Git("log", "-1", "--format=%b", "main"); !strings.Contains(body, "Why it is wanted.") {
		t.Errorf("main's log tells:\n%s", body)
	}
	if got := w.Git("ls-tree", "-r", "--name-only", "main", "agentd/changes"); got != "" {
		t.Errorf("the folder is still among the changes: %s", got)
	}
	for _, delete := range []bool{false, true} {
		if delete {
			w.Git("branch", "-D", "agentd/add-oauth")
		}
		found := w.open(w.store, "add-oauth")
		if found.State.Effective != phases.Archived || found.Where != changes.InArchive || found.State.Proved() != 6 || found.Archived != commit {
			t.Errorf("branch deleted %t: %s, %d transitions, archived in %s", delete, found.State.Effective, found.State.Proved(), found.Archived)
		}
	}
}

// A second attempt keeps its tip beside the first one's, whatever numbers are in use; the same tip is kept once.
func TestStore_Land_numbersWhatItKeeps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, setup, want string }{
		{"the first is another tip", "git update-ref refs/agentd/archive/add-oauth/1 main", "1 2"},
		{"the first was removed", "git update-ref refs/agentd/archive/add-oauth/2 main", "2 3"},
		{"more than nine", "git update-ref refs/agentd/archive/add-oauth/9 main; git update-ref refs/agentd/archive/add-oauth/10 main^{tree}", "9 10 11"},
		{"the tip is kept already", "git update-ref refs/agentd/archive/add-oauth/4 agentd/add-oauth", "4"},
		{"somebody keeps a name of his own", "git update-ref refs/agentd/archive/add-oauth/mine main", "1 mine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := w.lock("add-oauth")
			c := w.at(store, "add-oauth", phases.Complete)
			w.Sh(tt.setup)
			if _, err := store.Land(t.Context(), c, "main", w.Rev("main"), w.archived(store, c)); err != nil {
				t.Fatal(err)
			}
			kept := strings.Fields(w.Git("for-each-ref", "--sort=version:refname", "--format=%(refname:lstrip=4)", "refs/agentd/archive/add-oauth"))
			if !slices.Equal(kept, strings.Fields(tt.want)) {
				t.Errorf("kept %q, want %q", kept, tt.want)
			}
			if !strings.Contains(w.Git("for-each-ref", "--format=%(objectname)", "refs/agentd/archive/add-oauth"), string(c.Tip)) {
				t.Error("the tip is not kept")
			}
		})
	}
}

func TestStore_Land_overlappingWorkLeavesEverything(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]string{
		"untracked": "mkdir -p src; echo mine > src/greeting.txt",
		"staged":    "mkdir -p agentd/specs; echo mine > agentd/specs/greeting.md; git add agentd",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			store := w.lock("add-oauth")
			c := w.at(store, "add-oauth", phases.Complete)
			commit := w.archived(store, c)
			w.Sh(setup)
			watch := gitopstest.Watch(t, w.Repo)
			_, err := store.Land(t.Context(), c, "main", w.Rev("main"), commit)
			found := wantError[*gitops.OverlapError](t, err, "uncommitted changes in "+w.Dir+" are in the way: ", "stash push")
			if len(found.Files) != 1 {
				t.Errorf("files %q", found.Files)
			}
			watch.Check()
		})
	}
}

// A base that somebody moved is never forced: neither what they did nor the ref beside it is touched.
func TestStore_Land_aBaseThatMovedIsLeftAlone_RP18(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "in the last moment"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Git("switch", "--quiet", "-c", "elsewhere")
			store := w.lock("add-oauth")
			c := w.at(store, "add-oauth", phases.Complete)
			base, commit := w.Rev("main"), w.archived(store, c)
			var theirs gitops.ID
			push := func() { theirs = w.commits("main", person("src/theirs.txt", "theirs")) }
			if when == "before" {
				push()
			} else {
				store.AtCommit = func(point string) {
					if point == "before-land" && theirs == "" {
						push()
					}
				}
			}
			watch := gitopstest.Watch(t, w.Repo)
			_, err := store.Land(t.Context(), c, "main", base, commit)
			wantError[*gitops.MovedError](t, err, "refs/heads/main is at", "run the same command again")
			watch.Check(gitopstest.Moved(mainRef))
			if got := w.Rev("main"); got != theirs {
				t.Errorf("main is at %s, they pushed %s", got, theirs)
			}
			again := w.archived(store, c)
			if _, err := store.Land(t.Context(), c, "main", theirs, again); err != nil {
				t.Fatal(err)
			}
			if got := w.Git("show", "main:src/theirs.txt"); got != "theirs" {
				t.Errorf("their file holds %q", got)
			}
		})
	}
}

// The button that squashes drops our commits: the record in the archive's folder is what is left, and is enough.
func TestStore_Open_squashedArchiveIsReadFromItsJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phases.Complete)
	base, commit := w.Rev("main"), w.archived(store, c)
	begun := ours("Agentd-Step: proposal-gen", "Agentd-From: none", "Agentd-Phase: proposed")
	for name, message := range map[string]string{
		"with a message of its own":  "Add OAuth (#12)",
		"with all our messages":      "Add OAuth (#12)\n\n* " + begun + "\n* " + ours("Agentd-Step: archive", "Agentd-From: complete", "Agentd-Phase: archived"),
		"that ends in our beginning": "Add OAuth (#12)\n\n* " + begun,
	} {
		for _, branch := range []string{string(c.Tip), ""} {
			t.Run(fmt.Sprintf("%s, branch kept %t", name, branch != ""), func(t *testing.T) {
				squashed := w.Git("commit-tree", "-p", string(base), "-m", message, string(commit)+"^{tree}")
				w.Git("update-ref", "refs/heads/main", squashed)
				w.Git("update-ref", "-d", oauthRef)
				if branch != "" {
					w.Git("update-ref", oauthRef, branch)
				}
				found := w.open(store, "add-oauth")
				if found.State.Effective != phases.Archived || found.State.Recorded != phases.Archived || found.Where != changes.InArchive {
					t.Errorf("%s, %v", found.State.Effective, found.Where)
				}
				var steps []string
				for _, e := range found.Document.Transitions {
					steps = append(steps, string(e.Step))
				}
				want := []string{"proposal-gen", "tasks-gen", "challenge", "implement", "review", "archive"}
				if !slices.Equal(steps, want) {
					t.Errorf("the journal tells %q", steps)
				}
				all, err := store.Archived(t.Context())
				if err != nil || len(all) != 1 || all[0].ID != c.ID || all[0].Last.Phase != phases.Archived || all[0].Err != nil {
					t.Errorf("%+v %v", all, err)
				}
				_, err = store.Begin(t.Context(), w.beginning("add-oauth"))
				wantError[*changes.TakenError](t, err, "is taken", "choose another id")
			})
		}
	}
}

// Only the base decides: a folder on the branch that says "archived" archives nothing.
func TestStore_Open_isArchivedOnlyOnTheBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("remote", "add", "origin", "elsewhere")
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phases.Complete)
	commit := w.archived(store, c)
	w.Git("update-ref", "refs/heads/elsewhere", string(commit))
	if found := w.open(store, "add-oauth"); found.State.Effective != phases.Complete || found.Where != changes.OnBranch {
		t.Errorf("%s", found.State.Effective)
	}
	if all, err := store.Archived(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
	// Another clone landed it, and it was fetched.
	w.Git("update-ref", "refs/remotes/origin/main", string(commit))
	if found := w.open(store, "add-oauth"); found.State.Effective != phases.Archived {
		t.Errorf("%s", found.State.Effective)
	}
}

func TestStore_ArchiveCommit_refusesWhatIsNotComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.lock("add-oauth")
	c := w.at(store, "add-oauth", phases.Implementing)
	before := w.objects()
	_, err := store.ArchiveCommit(t.Context(), c, changes.Landing{Base: w.Rev("main"), Tree: w.Rev(string(c.Tip) + "^{tree}")})
	wantError[*phases.IllegalTransitionError](t, err, "archive at implementing", "gh agentd impl")
	if after := w.objects(); after != before {
		t.Errorf("objects were written:\n%s\n%s", before, after)
	}
}
