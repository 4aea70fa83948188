package gitopstest

import (
	"testing"
)

// Shape is a legal kind of repository. What works in one must work in all.
type Shape string

// The shapes that every supported git can make.
const (
	Plain          Shape = "plain"
	Bare           Shape = "bare"
	Linked         Shape = "linked worktree"
	SHA256         Shape = "sha256"
	SplitIndex     Shape = "split index"
	IndexV4        Shape = "index version 4"
	UntrackedCache Shape = "untracked cache"
	Sparse         Shape = "sparse checkout"
	SparseIndex    Shape = "sparse index"
	WorktreeConfig Shape = "worktree configuration"
	Shallow        Shape = "shallow clone"
	Partial        Shape = "partial clone"
	Packed         Shape = "packed references"
	AutoCRLF       Shape = "autocrlf"
	Filtered       Shape = "clean and smudge filter"
	Alternates     Shape = "alternates"
	Submodule      Shape = "submodule"
	SeparateGitDir Shape = "separate git dir"
	OddName        Shape = "odd name"
	Reftable       Shape = "reftable"
)

// Shapes lists the shapes that the git at hand can make.
func Shapes(t testing.TB) []Shape {
	t.Helper()
	shapes := []Shape{
		Plain, Bare, Linked, SHA256, SplitIndex, IndexV4, UntrackedCache, Sparse, SparseIndex, WorktreeConfig,
		Shallow, Partial, Packed, AutoCRLF, Filtered, Alternates, Submodule, SeparateGitDir, OddName,
	}
	probe := &Repo{t: t, Dir: tempDir(t)}
	probe.Environ = Environ(t, probe.Dir)
	if _, err := probe.TryGit("init", "--quiet", "--ref-format=reftable", "probe"); err == nil {
		shapes = append(shapes, Reftable)
	}
	return shapes
}

// New makes a repository of this shape whose tip on main holds the files of the archive.
func (s Shape) New(t testing.TB, archive string) *Repo {
	t.Helper()
	switch s {
	case SHA256:
		return newRepo(t, archive, "--object-format=sha256")
	case Reftable:
		return newRepo(t, archive, "--ref-format=reftable")
	}
	r := newRepo(t, archive)
	switch s {
	case Bare:
		return r.Bare()
	case Linked:
		r.Git("switch", "--quiet", "-c", "elsewhere")
		return r.LinkedWorktree("main")
	case Shallow:
		r.Git("commit", "--quiet", "--allow-empty", "-m", "second")
		return r.Clone("--depth=1")
	case Partial:
		r.Git("config", "uploadpack.allowFilter", "true")
		r.Git("config", "uploadpack.allowAnySHA1InWant", "true")
		return r.Clone("--filter=blob:none")
	case Alternates:
		dir := r.Dir + "-shared"
		r.Git("clone", "--quiet", "--shared", r.Dir, dir)
		return r.At(dir)
	case SeparateGitDir:
		r.Git("init", "--quiet", "--separate-git-dir="+r.Dir+".separate")
	case OddName:
		dir := r.Dir + " with\na \"break\" — ünd mehr"
		r.Git("clone", "--quiet", r.Dir, dir)
		return r.At(dir)
	default:
		s.configure(r)
	}
	return r
}

func (s Shape) configure(r *Repo) {
	r.t.Helper()
	switch s {
	case SplitIndex:
		r.Git("config", "core.splitIndex", "true")
		r.Git("update-index", "--split-index")
	case IndexV4:
		r.Git("config", "index.version", "4")
		r.Git("update-index", "--index-version=4")
	case UntrackedCache:
		r.Git("config", "core.untrackedCache", "true")
		r.Git("update-index", "--untracked-cache")
	case Sparse, SparseIndex:
		r.Write("far/away.txt", "left out\n")
		r.Write("near/here.txt", "taken in\n")
		r.Commit("folders")
		args := []string{"sparse-checkout", "set", "--cone"}
		if s == SparseIndex {
			args = append(args, "--sparse-index")
		}
		r.Git(append(args, "near", "agentd")...)
	case WorktreeConfig:
		r.Git("config", "extensions.worktreeConfig", "true")
		r.Git("config", "--worktree", "core.logAllRefUpdates", "true")
	case Packed:
		r.Git("branch", "other")
		r.Git("gc", "--quiet")
		r.Git("pack-refs", "--all", "--prune")
	case AutoCRLF:
		r.Git("config", "core.autocrlf", "true")
		r.Git("rm", "--quiet", "--cached", "-r", ".")
		r.Git("reset", "--quiet", "--hard")
	case Filtered:
		// Files are upside down in the repository.
		r.Git("config", "filter.turn.clean", "tac")
		r.Git("config", "filter.turn.smudge", "tac")
		r.Git("config", "filter.turn.required", "true")
		r.Write(".gitattributes", "*.turned filter=turn\n")
		r.Commit("filter")
	case Submodule:
		r.Git("clone", "--quiet", "--bare", r.Dir, r.Dir+"-module")
		r.Git("submodule", "--quiet", "add", "file://"+r.Dir+"-module", "module")
		r.Git("commit", "--quiet", "-m", "submodule")
	}
}

// HasWorktree says whether repositories of this shape have files.
func (s Shape) HasWorktree() bool { return s != Bare }
