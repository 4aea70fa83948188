package hooks

import (
	"os"
	"path/filepath"
	"strings"
)

// Facts are what git says about a repository.
type Facts struct {
	CommonDir string // absolute
	WorkTree  string // absolute, "" in a bare repository
	Dir       string // absolute: where git looks for hooks
	Shared    bool   // the folder is not this repository's alone: core.hooksPath is set for the person or the system
}

// Kind says whose the hooks of a repository are.
type Kind string

// The kinds of [Place].
const (
	Git       Kind = "git"       // git's own folder, in the repository: our scripts stand in it
	Husky     Kind = "husky"     // husky runs .husky/<hook>, which calls our scripts
	Lefthook  Kind = "lefthook"  // lefthook.yml calls them
	Folder    Kind = "folder"    // core.hooksPath is a folder of the worktree, whose hooks call them
	Elsewhere Kind = "elsewhere" // core.hooksPath is outside: a person must add the call
)

// Place is where our scripts go, and what has to call them.
type Place struct {
	Kind Kind
	Dir  string // of our scripts, absolute
	Runs string // the folder that git runs hooks from, absolute
	Top  string // the worktree with the files that call us; "" where there are none to write
	File string // the one file that configures all hooks, below Top; "" where each hook has its own
	Sub  string // else the folder of those, below Top
}

// Find looks who runs the hooks of a repository.
//
// pre-commit is not among them, although it runs hooks: it tells them neither all references of a push
// nor anything on standard input. Its own hook lies in git's folder and is called by ours, as every other.
func Find(f Facts) Place {
	behind := filepath.Join(f.CommonDir, "agentd", "hooks")
	inside, inTree := below(f.WorkTree, f.Dir)
	_, inGit := below(f.CommonDir, f.Dir)
	switch {
	case inGit && !f.Shared:
		if file := lefthookFile(f.WorkTree); file != "" {
			return Place{Kind: Lefthook, Dir: behind, Runs: f.Dir, Top: f.WorkTree, File: file}
		}
		return Place{Kind: Git, Dir: f.Dir, Runs: f.Dir}
	case f.Shared || !inTree:
		return Place{Kind: Elsewhere, Dir: behind, Runs: f.Dir}
	case inside == ".husky" || inside == ".husky/_" || strings.HasSuffix(inside, "/.husky/_"):
		return Place{Kind: Husky, Dir: behind, Runs: f.Dir, Top: f.WorkTree, Sub: strings.TrimSuffix(inside, "/_")}
	}
	return Place{Kind: Folder, Dir: behind, Runs: f.Dir, Top: f.WorkTree, Sub: inside}
}

// below is the slash-separated way from a folder to a path in it.
func below(folder, path string) (string, bool) {
	if folder == "" {
		return "", false
	}
	rel, err := filepath.Rel(resolve(folder), resolve(path))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// resolve follows links as far as the path exists.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolve(parent), filepath.Base(path))
}

// lefthookFile is the configuration that lefthook reads first.
func lefthookFile(top string) string {
	if top == "" {
		return ""
	}
	for _, name := range []string{"lefthook", ".lefthook", ".config/lefthook"} {
		for _, ending := range []string{".yml", ".yaml", ".toml", ".json", ".jsonc"} {
			if info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(name+ending))); err == nil && info.Mode().IsRegular() {
				return name + ending
			}
		}
	}
	return ""
}
