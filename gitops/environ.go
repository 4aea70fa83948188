package gitops

import (
	"slices"
	"strings"
)

// Env is the caller's surroundings. The package reads nothing of them by itself.
type Env struct {
	Dir     string       // working directory, required
	Environ []string     // as os.Environ gives it
	Notice  func(string) // told what we wait for; may be nil
}

// locationVars say where a repository is. Git sets some of them for hooks, and they beat `git -C`,
// so that a command for one repository would be carried out in another.
var locationVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_NAMESPACE", "GIT_INTERNAL_SUPER_PREFIX",
}

// repositoryVars belong to one repository without saying where it is: a quarantine of objects, a shallow file.
// They hold for the repository that the caller stands in and for no other.
// What `git -c` hands on (GIT_CONFIG_PARAMETERS, GIT_CONFIG_COUNT) is the caller's wish and stays.
var repositoryVars = []string{
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE",
	"GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS", "GIT_CONFIG",
}

// meddlingVars change what plumbing prints, reads or writes.
var meddlingVars = []string{
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
	"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_REFLOG_ACTION", "GIT_DEFAULT_HASH", "GIT_ATTR_SOURCE",
	"GIT_PAGER", "PAGER", "LANGUAGE", "GIT_REF_PARANOIA", "GIT_ADVICE",
}

// plumbingVars make git's answers the same for every user.
var plumbingVars = []string{
	"LC_ALL=C",                 // messages that we recognise
	"GIT_LITERAL_PATHSPECS=1",  // a path is a path, even ":(glob)*"
	"GIT_OPTIONAL_LOCKS=0",     // reading never takes the index lock
	"GIT_TERMINAL_PROMPT=0",    // nobody sits there
	"GIT_NO_REPLACE_OBJECTS=1", // the record is what was committed, not what a replace ref says
	"GIT_MERGE_AUTOEDIT=no",    // no editor
}

// hookedVars are those of them that a user's hook or filter can live with:
// one that runs git with patterns for paths must still find what it looks for.
var hookedVars = []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}

// without returns environ less the named variables.
func without(environ []string, names ...[]string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(names, func(list []string) bool { return slices.Contains(list, name) })
	})
}

// lookup finds the value that a program would see: the last one.
func lookup(environ []string, name string) (string, bool) {
	for _, pair := range slices.Backward(environ) {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}
