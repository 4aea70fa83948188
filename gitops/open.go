package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Repo is a repository as seen from one place: a checkout, or a bare repository itself.
// It is a value without open files, and safe for concurrent use.
type Repo struct {
	program string   // the git program
	caller  []string // environment for what the user's own programs see
	fixed   []string // environment for plumbing
	notice  func(string)

	credentials []string // environment for commands that talk to a remote

	gitDir    string // of this place: <common>/worktrees/<x> in a linked worktree
	commonDir string
	workTree  string // "" in a bare repository
	prefix    string
	format    string
	bare      bool

	held     *os.File // a lock's descriptor, for commands that move something
	holdName string
	spare    *spare // of the repository under a lock
	config   *configuration

	hookWall time.Duration // for tests; 0 means the constant of that name
}

// Open finds the repository that env.Dir is in, or that GIT_DIR names where a hook or a person set it.
//
// It asks git once, and reads nothing else.
// The error matches [ErrNotRepository] or [ErrDubiousOwnership], or is a [*VersionError], where that is what is wrong.
func Open(ctx context.Context, env Env) (*Repo, error) {
	path, _ := lookup(env.Environ, "PATH")
	program, err := proc.Look("git", path)
	if err != nil {
		return nil, &VersionError{Need: Floor}
	}
	var version error
	var checks sync.WaitGroup
	checks.Go(func() { version = checkVersion(ctx, program, env) })
	r, err := locate(ctx, program, env)
	checks.Wait()
	if version != nil {
		return nil, version
	}
	return r, err
}

// mark separates the fields of rev-parse's answer: it repeats an option that it does not know.
// A path may contain a line break, and only the marks tell where it ends.
const mark = "--agentd-next"

func locate(ctx context.Context, program string, env Env) (*Repo, error) {
	c := call{args: []string{
		"rev-parse", "--path-format=absolute", "--is-bare-repository", "--show-object-format",
		mark, "--absolute-git-dir", mark, "--git-common-dir", mark, "--show-prefix", mark, "--show-toplevel",
	}}
	res, err := proc.Run(ctx, proc.Cmd{
		Path: program, Args: c.args, Dir: env.Dir,
		Env: append(without(env.Environ, meddlingVars, []string{"GIT_PREFIX", "GIT_INDEX_FILE"}), plumbingVars...),
	})
	found := strings.Split(string(res.Stdout), mark+"\n")
	if err != nil && len(found) < 5 {
		return nil, openError(env, gitError(c, res, err))
	}
	if len(found) < 5 {
		return nil, &GitError{Args: c.args, Stderr: "unexpected answer of rev-parse"}
	}
	facts := strings.Fields(found[0])
	if len(facts) != 2 {
		return nil, &GitError{Args: c.args, Stderr: "unexpected answer of rev-parse"}
	}
	for i := range found {
		found[i] = strings.TrimSuffix(found[i], "\n")
	}
	r := &Repo{
		program: program, notice: env.Notice,
		bare: facts[0] == "true", format: facts[1],
		gitDir: found[1], commonDir: found[2], prefix: found[3], workTree: found[4],
		config: new(configuration),
	}
	r.settle(without(env.Environ, locationVars))
	return r, nil
}

// settle fixes the environments. Git finds the repository again from its home;
// only where it could not, as with a work tree that is kept apart from its repository, is it told the place:
// GIT_DIR is inherited by hooks, and would send what they do elsewhere to this repository.
func (r *Repo) settle(base []string) {
	if r.workTree == "" {
		base = append(base, "GIT_DIR="+r.gitDir)
	} else if !samePath(gitDirOf(r.workTree), r.gitDir) {
		base = append(base, "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+r.workTree)
	}
	r.caller = base
	r.fixed = append(without(base, meddlingVars), plumbingVars...)
}

func openError(env Env, err error) error {
	git, ok := errors.AsType[*GitError](err)
	if !ok {
		return err
	}
	switch {
	case strings.Contains(git.Stderr, "dubious ownership"):
		return &OwnershipError{Dir: env.Dir, Advice: safeDirectoryAdvice(git.Stderr)}
	case strings.Contains(git.Stderr, "not a git repository"):
		return &NotRepositoryError{Dir: env.Dir}
	}
	return err
}

func safeDirectoryAdvice(stderr string) string {
	for text := range strings.Lines(stderr) {
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "git config") {
			return text
		}
	}
	return "git config --global --add safe.directory <path>"
}

// At is the same repository seen from another of its worktrees.
// Nothing is checked: if there is no worktree, the first command says so.
func (r *Repo) At(worktree string) *Repo {
	at := *r
	at.workTree, at.prefix = filepath.Clean(worktree), ""
	at.gitDir = gitDirOf(at.workTree)
	at.config = new(configuration) // a worktree may have settings of its own
	at.bare = false
	at.spare = nil // its reader takes HEAD for another one
	at.settle(without(r.caller, locationVars, repositoryVars))
	return &at
}

// gitDirOf reads where the work tree's repository is: the folder .git, or where a file of that name points.
func gitDirOf(worktree string) string {
	dot := filepath.Join(worktree, ".git")
	content, err := os.ReadFile(dot)
	if err != nil {
		return dot
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(string(content), "\r\n"), "gitdir: ")
	if !ok {
		return dot
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(worktree, dir)
	}
	return filepath.Clean(dir)
}

func samePath(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// GitDir is where this place keeps its HEAD and index.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is where all worktrees of the repository keep objects and references.
func (r *Repo) CommonDir() string { return r.commonDir }

// WorkTree is the folder with the files, or "" in a bare repository.
func (r *Repo) WorkTree() string { return r.workTree }

// Bare says that the repository has no work tree of its own.
func (r *Repo) Bare() bool { return r.bare }

// ObjectFormat is "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

// Prefix is the path from WorkTree to where Open was called, with a slash at the end, or "".
func (r *Repo) Prefix() string { return r.prefix }

// home is where commands run.
func (r *Repo) home() string {
	if r.workTree != "" {
		return r.workTree
	}
	return r.gitDir
}

func (r *Repo) environ(v voice) []string {
	switch v {
	case personal:
		return r.caller
	case hooked:
		return append(slices.Clip(r.caller), hookedVars...)
	default:
		return r.fixed
	}
}

func (r *Repo) tell(text string) {
	if r.notice != nil {
		r.notice(text)
	}
}
