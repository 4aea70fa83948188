package foreign

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Tree are the files of a folder, by their slash-separated paths relative to it.
type Tree map[string][]byte

// below are the files under a folder of the tree, by their paths relative to that folder.
func (t Tree) below(folder string) Tree {
	if folder == "" {
		return t
	}
	sub := Tree{}
	for name, content := range t {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			sub[rest] = content
		}
	}
	return sub
}

// folders are the names of the folders directly in the tree, sorted.
func (t Tree) folders() []string {
	names := map[string]bool{}
	for name := range t {
		if folder, _, deeper := strings.Cut(name, "/"); deeper {
			names[folder] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// paths are the paths of all files, sorted.
func (t Tree) paths() []string { return slices.Sorted(maps.Keys(t)) }

// has reports whether a file is there.
func (t Tree) has(name string) bool { _, ok := t[name]; return ok }

// join is path.Join for folders that may be "".
func join(elements ...string) string { return path.Join(elements...) }
