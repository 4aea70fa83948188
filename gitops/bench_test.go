package gitops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

// durable undoes the tests' own setting: times count with git's usual syncing.
func durable(repo *gitopstest.Repo) *gitopstest.Repo {
	repo.Git("config", "core.fsync", "default")
	return repo
}

// BenchmarkTransition is everything of one step: open, lock, read the tip, write six files, commit, move, project one worktree.
func BenchmarkTransition(b *testing.B) {
	repo := durable(gitopstest.New(b, hello))
	n := 0
	for b.Loop() {
		n++
		advance(b, repo.Open(), "refs/heads/main", sixFiles(n)...)
	}
}

// BenchmarkTransition_git is the yardstick: the same files with `git add` and `git commit`.
func BenchmarkTransition_git(b *testing.B) {
	repo := durable(gitopstest.New(b, hello))
	n := 0
	for b.Loop() {
		n++
		for _, edit := range sixFiles(n) {
			repo.Write(edit.Path, string(edit.Content))
		}
		repo.Git("add", "agentd")
		repo.Git("commit", "--quiet", "-m", "step")
	}
}

// BenchmarkTransition_large is BenchmarkTransition in a repository with 20,000 files.
func BenchmarkTransition_large(b *testing.B) {
	repo := durable(gitopstest.New(b, hello))
	var files strings.Builder
	blob := repo.Git("rev-parse", "main:README.md")
	for n := range 20_000 {
		fmt.Fprintf(&files, "100644 %s\tsrc/%d/%d/%d.txt\n", blob, n%20, n%400, n)
	}
	repo.Feed(files.String(), "update-index", "--index-info")
	repo.Git("commit", "--quiet", "-m", "files")
	repo.Git("checkout", "--quiet", "--", ".")
	n := 0
	for b.Loop() {
		n++
		advance(b, repo.Open(), "refs/heads/main", sixFiles(n)...)
	}
}

func sixFiles(n int) []gitops.Edit {
	var edits []gitops.Edit
	for _, name := range []string{"STATE.yaml", "proposal.md", "tasks.md", "specs/a.md", "specs/b.md", "CHALLENGE.md"} {
		edits = append(edits, gitops.Edit{
			Path:    "agentd/changes/x/" + name,
			Content: fmt.Appendf(nil, "%s of step %d\n%s", name, n, strings.Repeat("a line of the document\n", 100)),
		})
	}
	return edits
}

// manyRefs has 1,000 branches agentd/<n>, packed, each with a commit of its own.
func manyRefs(b *testing.B) *gitopstest.Repo {
	b.Helper()
	repo := gitopstest.New(b, hello)
	var stream strings.Builder
	body := strings.Repeat("what happened in this step, in a line of prose\n", 10) + "\nAgentd-Change: x\nAgentd-Phase: proposed\n"
	for n := range 1000 {
		fmt.Fprintf(&stream, "commit refs/heads/agentd/c%d\ncommitter A <a@b> 1767323045 +0000\ndata %d\n%s\nfrom refs/heads/main^0\n\n", n, len(body), body)
	}
	repo.Feed(stream.String(), "fast-import", "--quiet")
	repo.Git("pack-refs", "--all")
	return repo
}

func BenchmarkRefMessages(b *testing.B) {
	repo := manyRefs(b)
	for b.Loop() {
		n := 0
		for ref, err := range repo.Open().RefMessages(b.Context(), "refs/heads/agentd/") {
			if err != nil || !strings.Contains(ref.Commit.Message, "Agentd-Phase") {
				b.Fatal(ref, err)
			}
			n++
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkRefMessages_git is the yardstick: git printing the same messages.
func BenchmarkRefMessages_git(b *testing.B) {
	repo := manyRefs(b)
	for b.Loop() {
		if out := repo.Git("for-each-ref", "--format=%(refname)%(contents)", "refs/heads/agentd/"); len(out) < 1000 {
			b.Fatal(out)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	repo := gitopstest.New(b, hello)
	for b.Loop() {
		repo.Open()
	}
}

func BenchmarkFingerprint(b *testing.B) {
	got := gitopstest.New(b, hello).Open()
	for b.Loop() {
		if _, err := got.Fingerprint(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
